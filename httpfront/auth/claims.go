package auth

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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
	data, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return c, undecodable("Base64 error: " + base64Reason(err))
	}
	text := bytes.TrimRight(data, " \t\r\n")
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'{'}) {
		v, err := jsonvalue.Parse(data)
		if err != nil {
			return c, undecodable("JSON error: " + err.Error())
		}
		return c, misread("invalid type: "+v.Describe()+", expected struct Claims", text, len(text))
	}
	seen := map[string]bool{}
	members := json.NewDecoder(bytes.NewReader(data))
	for _, err = members.Token(); err == nil && members.More(); {
		var name json.Token
		if name, err = members.Token(); err != nil {
			break
		}
		member, _ := name.(string)
		named := int(members.InputOffset())
		var raw json.RawMessage
		if err = members.Decode(&raw); err != nil {
			break
		}
		if seen[member] && isClaim[member] {
			return c, misread("duplicate field `"+member+"`", text, named)
		}
		seen[member] = true
		if fault, stop := c.read(member, raw, text, int(members.InputOffset())); fault != "" {
			return c, misread(fault, text, stop)
		}
	}
	if _, ended := members.Token(); err != nil || ended != nil || len(text) > int(members.InputOffset()) {
		if _, err := jsonvalue.Parse(data); err != nil {
			return c, undecodable("JSON error: " + err.Error())
		}
	}
	for _, name := range []string{"searchRules", "apiKeyUid"} {
		if !seen[name] {
			return c, misread("missing field `"+name+"`", text, len(text))
		}
	}
	return c, nil
}

// isClaim names the members that are read.
var isClaim = map[string]bool{"searchRules": true, "exp": true, "apiKeyUid": true}

// misread refuses claims for a fault behind the first n bytes of their text.
func misread(reason string, text []byte, n int) *apierr.Error {
	line, column := jsonvalue.Position(text[:n])
	return undecodable("JSON error: " + reason + " at line " + strconv.Itoa(line) + " column " + strconv.Itoa(column))
}

// read takes a claim whose value ends at a place in the text. Otherwise it tells what is wrong
// and where the reference's parser stopped: before a wrong array or object, behind another
// wrong value. It reads rules whole first, with the end of the claims if they come last.
func (c *rawClaims) read(member string, raw json.RawMessage, text []byte, end int) (fault string, stop int) {
	if !isClaim[member] && member != "aud" {
		return "", 0
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return err.Error(), end
	}
	fault = c.set(member, &v)
	kind := v.Kind()
	switch {
	case member == "searchRules":
		rest := bytes.TrimLeft(text[end:], " \t\r\n")
		if len(rest) == 1 {
			rest = nil
		}
		return fault, len(text) - len(rest)
	case kind == jsonvalue.KindArray || kind == jsonvalue.KindObject:
		return fault, end - len(raw)
	}
	return fault, end
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
