package auth

import (
	"bytes"
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// rawClaims are the claims before the signature is checked.
type rawClaims struct {
	keyUID   string
	rules    *jsonvalue.Value
	expires  *int64
	audience bool
}

// decodeClaims reads the payload of a token. Like the reference, it reads the members in the
// order of the text and reports the first fault with the place at which its parser stopped.
func decodeClaims(part string) (c rawClaims, _ *apierr.Error) {
	text, seen, refusal := claimsObject.readMembers(part, c.read)
	if refusal != nil {
		return c, refusal
	}
	for _, name := range []string{"searchRules", "apiKeyUid"} {
		if !seen[name] {
			return c, misread("missing field `"+name+"`", text, len(text))
		}
	}
	return c, nil
}

var claimsObject = object{name: "Claims", known: isClaim}

// isClaim names the members that are read.
var isClaim = map[string]bool{"searchRules": true, "exp": true, "apiKeyUid": true}

// read takes a claim. The reference reads the rules whole first, with the end of the claims if
// they come last.
func (c *rawClaims) read(m *member) (fault string, stop int) {
	if !isClaim[m.name] && m.name != "aud" {
		return "", 0
	}
	fault = c.set(m.name, &m.value)
	if m.name != "searchRules" {
		return fault, m.stop()
	}
	rest := bytes.TrimLeft(m.text[m.end:], " \t\r\n")
	if len(rest) == 1 {
		rest = nil
	}
	return fault, len(m.text) - len(rest)
}

// set takes a claim, or tells what is wrong with it.
func (c *rawClaims) set(member string, v *jsonvalue.Value) (fault string) {
	switch member {
	case "searchRules":
		if c.rules = v; !validSearchRules(v) {
			return "data did not match any variant of untagged enum SearchRules"
		}
	case "exp":
		seconds, ok := integerOf(v)
		switch {
		case v.IsNull():
		case v.Kind() == jsonvalue.KindPositive && !ok:
			return "invalid value: " + v.Describe() + ", expected i64"
		case !ok:
			return "invalid type: " + v.Describe() + ", expected i64"
		default:
			c.expires = &seconds
		}
	case "apiKeyUid":
		if v.Kind() != jsonvalue.KindString {
			return "invalid type: " + v.Describe() + ", expected a formatted UUID string"
		}
		uid, fault := ParseUUID(v.String())
		if fault != "" {
			return "UUID parsing failed: " + fault
		}
		c.keyUID = uid
	case "aud":
		c.audience = v.Kind() == jsonvalue.KindString || isTexts(v)
	}
	return ""
}

// isTexts tells whether a value is an array of texts.
func isTexts(v *jsonvalue.Value) bool {
	return v.Kind() == jsonvalue.KindArray && !slices.ContainsFunc(v.Members(), func(m jsonvalue.Member) bool { return m.Value.Kind() != jsonvalue.KindString })
}

func integerOf(v *jsonvalue.Value) (int64, bool) {
	switch v.Kind() {
	case jsonvalue.KindPositive:
		return int64(v.Uint()), v.Uint() <= 1<<63-1
	case jsonvalue.KindNegative:
		n, err := strconv.ParseInt(v.JSON(), 10, 64)
		return n, err == nil
	}
	return 0, false
}
