package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"hash"
	"slices"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// searchRules are the rules of a tenant token: index patterns, each with an
// optional filter (spec tasks-auth-ops-api 9).
type searchRules struct {
	rules []searchRule
}

type searchRule struct {
	pattern string
	filter  json.RawMessage // nil = none
}

// tenantClaims are the verified claims of a tenant token.
type tenantClaims struct {
	keyUID string
	rules  *searchRules
}

// allow tells whether any rule covers the index.
func (s *searchRules) allow(uid string) bool {
	return slices.ContainsFunc(s.rules, func(r searchRule) bool { return api.MatchesIndex([]string{r.pattern}, uid) })
}

// filter returns the filter of the most specific rule: the one for the exact uid, otherwise
// the one with the longest matching prefix.
func (s *searchRules) filter(uid string) json.RawMessage {
	var best *searchRule
	for i := range s.rules {
		r := &s.rules[i]
		if r.pattern == uid {
			return r.filter
		}
		if api.MatchesIndex([]string{r.pattern}, uid) && (best == nil || len(r.pattern) > len(best.pattern)) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	return best.filter
}

func (s *searchRules) patterns() []string {
	out := make([]string, len(s.rules))
	for i := range s.rules {
		out[i] = s.rules[i].pattern
	}
	return out
}

// joinFilters makes both filters apply. Each side becomes an array; the result holds first
// the elements of the query's array, then those of the rule's.
func joinFilters(query, rule json.RawMessage) json.RawMessage {
	if rule == nil {
		return query
	}
	if query == nil {
		return rule
	}
	inner := func(f json.RawMessage) string {
		text := strings.TrimSpace(string(f))
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			return strings.TrimSpace(text[1 : len(text)-1])
		}
		return text
	}
	left, right := inner(query), inner(rule)
	separator := ","
	if left == "" || right == "" {
		separator = ""
	}
	return json.RawMessage("[" + left + separator + right + "]")
}

// undecodable is the refusal of a malformed or forged token.
func undecodable(reason string) *apierr.Error {
	return InvalidKey("Could not decode tenant token, " + reason + ".")
}

// maxTenantToken bounds the tokens that are read as tenant tokens, in bytes, because
// anybody may send one.
const maxTenantToken = 16 << 10

// tenantToken verifies a tenant token. isTenant is false if the token does not have the
// form of one. The signature is checked only with HS256, HS384 and HS512, under the text of
// the parent key's value. The claims of a token with an invalid signature serve only to
// choose the error of the reference.
func (a *Authenticator) tenantToken(token string) (claims tenantClaims, isTenant bool, err *apierr.Error) {
	end := strings.LastIndexByte(token, '.')
	if len(token) > maxTenantToken || end < 0 {
		return claims, false, nil
	}
	signed := token[:end]
	begin := strings.LastIndexByte(signed, '.')
	if begin < 0 {
		return claims, false, nil
	}
	algorithm, err := tokenAlgorithm(signed[:begin]) // with more dots, this is no base64
	if err != nil {
		return claims, false, err
	}
	raw, err := decodeClaims(signed[begin+1:])
	if err != nil {
		return claims, false, err
	}
	newHash := hmacHashes[algorithm]
	if newHash == nil {
		return claims, false, undecodable("InvalidAlgorithm")
	}
	signature, err := decodePart(token[end+1:])
	if err != nil {
		return claims, false, err
	}
	mac := hmac.New(newHash, []byte(a.Value(raw.keyUID)))
	mac.Write([]byte(signed)) // a hash never fails to write
	if !hmac.Equal(signature, mac.Sum(nil)) {
		return claims, false, undecodable("InvalidSignature")
	}
	if raw.audience {
		return claims, false, undecodable("InvalidAudience")
	}
	if now := a.now().Unix(); raw.expires != nil && now > *raw.expires {
		return claims, false, InvalidKey("Tenant token expired. Was valid up to `" + strconv.FormatInt(*raw.expires, 10) +
			"` and we're now `" + strconv.FormatInt(now, 10) + "`.")
	}
	return tenantClaims{keyUID: raw.keyUID, rules: newSearchRules(raw.rules)}, true, nil
}

var hmacHashes = map[string]func() hash.Hash{"HS256": sha256.New, "HS384": sha512.New384, "HS512": sha512.New}

// validSearchRules accepts an array of patterns, or an object from pattern to null or
// {"filter": ...}, which may also be written [...] around the filter. Other members of a rule
// are ignored.
func validSearchRules(v *jsonvalue.Value) bool {
	for i := range v.Members() {
		switch kind := v.Members()[i].Value.Kind(); {
		case v.Kind() == jsonvalue.KindArray && kind == jsonvalue.KindString:
		case v.Kind() == jsonvalue.KindObject && (kind == jsonvalue.KindNull || kind == jsonvalue.KindObject):
		case v.Kind() == jsonvalue.KindObject && kind == jsonvalue.KindArray && v.Members()[i].Value.Len() == 1:
		default:
			return false
		}
	}
	return v.Kind() == jsonvalue.KindArray || v.Kind() == jsonvalue.KindObject
}

// newSearchRules converts a valid value.
func newSearchRules(v *jsonvalue.Value) *searchRules {
	s := &searchRules{rules: make([]searchRule, 0, v.Len())}
	for i := range v.Members() {
		m := &v.Members()[i]
		if v.Kind() == jsonvalue.KindArray {
			s.rules = append(s.rules, searchRule{pattern: m.Value.String()})
			continue
		}
		rule := searchRule{pattern: m.Name}
		f := m.Value.Get("filter")
		if m.Value.Kind() == jsonvalue.KindArray {
			f = &m.Value.Members()[0].Value
		}
		if f != nil && !f.IsNull() {
			rule.filter = json.RawMessage(f.JSON())
		}
		s.rules = append(s.rules, rule)
	}
	return s
}
