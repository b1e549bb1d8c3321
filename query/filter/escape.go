package filter

import (
	"strings"
	"unicode/utf8"
)

// escapeFault says what is wrong with an escape sequence.
type escapeFault uint8

const (
	escapeFine escapeFault = iota
	escapeIncomplete
	escapeNumber
	escapeCharacter
)

// decodeEscapes decodes the escape sequences of a value (spec search-api 7.2):
// \b \f \n \r \t \' \" \\ \/, \uXXXX, \u{X...}, \xHH and octal \N, \NN, \NNN.
func decodeEscapes(s string) (string, escapeFault) {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s, escapeFine
	}
	out := make([]byte, 0, len(s))
	for at >= 0 {
		out = append(out, s[:at]...)
		s = s[at+1:]
		r, size, fault := decodeEscape(s)
		if fault != escapeFine {
			return "", fault
		}
		out = utf8.AppendRune(out, r)
		s = s[size:]
		at = strings.IndexByte(s, '\\')
	}
	return string(append(out, s...)), escapeFine
}

// decodeEscape decodes what follows a backslash and tells how long it is.
func decodeEscape(s string) (r rune, size int, fault escapeFault) {
	if s == "" {
		return 0, 0, escapeIncomplete
	}
	switch c := s[0]; c {
	case 'b':
		return '\b', 1, escapeFine
	case 'f':
		return '\f', 1, escapeFine
	case 'n':
		return '\n', 1, escapeFine
	case 'r':
		return '\r', 1, escapeFine
	case 't':
		return '\t', 1, escapeFine
	case '\'', '"', '\\', '/':
		return rune(c), 1, escapeFine
	case 'u':
		return decodeUnicode(s)
	case 'x':
		digits, ok := takeRunes(s[1:], 2)
		if !ok {
			return 0, 0, escapeIncomplete
		}
		n, ok := parseRadix(digits, 16, 0xff)
		if !ok {
			return 0, 0, escapeNumber
		}
		return rune(n), 1 + len(digits), escapeFine
	case '0', '1', '2', '3', '4', '5', '6', '7':
		most := 3
		if c > '3' {
			most = 2
		}
		size = 1
		for size < most && size < len(s) && s[size] >= '0' && s[size] <= '7' {
			size++
		}
		n, _ := parseRadix(s[:size], 8, 0xff)
		return rune(n), size, escapeFine
	}
	return 0, 0, escapeCharacter
}

// decodeUnicode decodes u{X...} or uXXXX.
func decodeUnicode(s string) (r rune, size int, fault escapeFault) {
	var digits string
	if strings.HasPrefix(s, "u{") {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, 0, escapeIncomplete
		}
		digits, size = s[2:end], end+1
	} else {
		var ok bool
		if digits, ok = takeRunes(s[1:], 4); !ok {
			return 0, 0, escapeIncomplete
		}
		size = 1 + len(digits)
	}
	n, ok := parseRadix(digits, 16, 0xffffffff)
	if !ok {
		return 0, 0, escapeNumber
	}
	if n > utf8.MaxRune || (n >= 0xd800 && n < 0xe000) {
		return 0, 0, escapeCharacter
	}
	return rune(n), size, escapeFine
}

// takeRunes returns the first n characters of s.
func takeRunes(s string, n int) (string, bool) {
	at := 0
	for ; n > 0; n-- {
		if at >= len(s) {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], true
}

// parseRadix reads digits (one plus sign may lead) up to a maximum.
func parseRadix(digits string, radix, limit uint64) (n uint64, ok bool) {
	digits = strings.TrimPrefix(digits, "+")
	if digits == "" {
		return 0, false
	}
	for i := 0; i < len(digits); i++ {
		var d uint64
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c >= 'a' && c <= 'f':
			d = uint64(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = uint64(c-'A') + 10
		default:
			return 0, false
		}
		if n = n*radix + d; d >= radix || n > limit {
			return 0, false
		}
	}
	return n, true
}
