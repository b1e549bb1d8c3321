package jsonvalue

import (
	"net/url"
	"strconv"
	"strings"
)

// ParseQuery turns a raw query string into an object of strings, in the order of
// appearance. A repeated parameter keeps its first place and its last value. A parameter
// without "=" is the empty string, "+" is a blank, and a percent sign that starts no escape
// stands for itself (spec write-api 2.3).
func ParseQuery(raw string) Value {
	v := Value{kind: KindObject}
	var places map[string]int
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		places = v.put(decodeForm(name), StringValue(decodeForm(value)), places)
	}
	return v
}

func decodeForm(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	plain, err := url.QueryUnescape(s)
	if err != nil {
		plain = lenientUnescape(s)
	}
	return strings.ToValidUTF8(plain, "\uFFFD")
}

// lenientUnescape decodes valid escapes and keeps all other text.
func lenientUnescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil { // two hex digits always parse
				b.WriteByte(s[i])
				continue
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
