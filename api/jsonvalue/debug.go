package jsonvalue

import (
	"strconv"
	"strings"
	"unicode"
)

// QuoteDebug quotes s as the debug output of the reference does, which its messages show:
// quotes, backslashes, characters that cannot be printed and combining marks are escaped.
func QuoteDebug(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r == '\'' {
			b.WriteRune(r)
			continue
		}
		WriteDebugRune(&b, r, true)
	}
	b.WriteByte('"')
	return b.String()
}

// WriteDebugRune writes one character so that it can be read on one line: quotes,
// backslashes and what cannot be printed are escaped, and with marks also the combining
// marks, which would join the character before them.
func WriteDebugRune(b *strings.Builder, r rune, marks bool) {
	switch r {
	case 0:
		b.WriteString(`\0`)
	case '\t':
		b.WriteString(`\t`)
	case '\r':
		b.WriteString(`\r`)
	case '\n':
		b.WriteString(`\n`)
	case '\'', '"', '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	default:
		if !unicode.IsPrint(r) || marks && unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend) {
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
			return
		}
		b.WriteRune(r)
	}
}
