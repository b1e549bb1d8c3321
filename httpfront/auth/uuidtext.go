package auth

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ParseUUID normalises a UUID in any of its spellings (hyphenated, simple, urn, braced).
// Otherwise it returns the fault in the words of the reference.
func ParseUUID(text string) (uid, fault string) {
	// The library accepts any two bytes as braces.
	braced := len(text) == 38 && text[0] == '{' && text[37] == '}'
	if parsed, err := uuid.Parse(text); err == nil && (len(text) != 38 || braced) {
		return parsed.String(), ""
	}
	return "", uuidFault(text)
}

// uuidFault is the error text of the reference's parser. It reports a wrong character
// first, with its byte offset, then the form of the groups, then the length.
func uuidFault(text string) string {
	digits, offset := text, 0
	if rest, ok := strings.CutPrefix(text, "urn:uuid:"); ok {
		digits, offset = rest, len("urn:uuid:")
	} else if len(text) >= 2 && text[0] == '{' && text[len(text)-1] == '}' {
		digits, offset = text[1:len(text)-1], 1
	}
	hyphens, groups := 0, []int{0}
	for i, r := range digits {
		switch {
		case r == '-':
			hyphens++
			groups = append(groups, 0)
		case r < utf8.RuneSelf && isHexDigit(byte(r)):
			groups[len(groups)-1]++
		default:
			return "invalid character: found `" + string(r) + "` at " + strconv.Itoa(i+offset)
		}
	}
	if hyphens == 0 {
		return "invalid length: found " + strconv.Itoa(len(digits))
	}
	if len(groups) != 5 {
		return "invalid group count: found " + strconv.Itoa(len(groups))
	}
	for i, want := range [...]int{8, 4, 4, 4, 12} {
		if groups[i] != want {
			return "invalid group length in group " + strconv.Itoa(i) + ": expected " + strconv.Itoa(want) + ", found " + strconv.Itoa(groups[i])
		}
	}
	return "invalid length: found " + strconv.Itoa(len(text))
}

func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
