package auth

import (
	"encoding/base64"
	"strconv"

	"shoal/api/apierr"
)

// decodePart decodes a part of a tenant token: base64 for URLs, without padding.
func decodePart(part string) ([]byte, *apierr.Error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil || !onlySymbols(part) { // package base64 skips line ends
		return nil, undecodable("Base64 error: " + base64Fault(part))
	}
	return data, nil
}

// base64Fault names the fault of a text that is no base64 in the words of the reference's
// decoder. It looks at the last one to four bytes after all others, and treats padding among
// them apart.
func base64Fault(s string) string {
	if last := len(s) - 1; len(s)%4 == 1 && s[last] != '=' && !isSymbol(s[last]) {
		return invalidSymbol(s, last)
	}
	tail := (len(s) - 1) / 4 * 4
	for i := range tail {
		if !isSymbol(s[i]) {
			return invalidSymbol(s, i)
		}
	}
	padding := len(s)
	for i := tail; i < len(s); i++ {
		switch {
		case s[i] == '=' && i >= tail+2:
			padding = min(padding, i)
		case padding < i:
			return invalidSymbol(s, padding)
		case !isSymbol(s[i]):
			return invalidSymbol(s, i)
		}
	}
	switch {
	case padding < tail+2:
		return "Invalid input length: " + strconv.Itoa(padding)
	case padding < len(s):
		return "Invalid padding"
	}
	return "Invalid last symbol " + symbolAt(s, len(s)-1) // its unused bits are not zero
}

func invalidSymbol(s string, i int) string { return "Invalid symbol " + symbolAt(s, i) }

func symbolAt(s string, i int) string {
	return strconv.Itoa(int(s[i])) + ", offset " + strconv.Itoa(i) + "."
}

// isSymbol tells whether a byte is a digit of base64 for URLs.
func isSymbol(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

func onlySymbols(s string) bool {
	for i := range len(s) {
		if !isSymbol(s[i]) {
			return false
		}
	}
	return true
}
