package auth

import (
	"slices"
	"strconv"
	"strings"
)

// debugList renders a sorted list as the reference's debug output does:
// ["a", "b*"].
func debugList(list []string) string {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return DebugStrings(sorted)
}

// DebugStrings renders a list without sorting it.
func DebugStrings(list []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		writeDebugString(&b, s)
	}
	b.WriteByte(']')
	return b.String()
}

// writeDebugString quotes s like a string literal: quotes, backslashes and
// control characters are escaped, printable Unicode is not.
func writeDebugString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == 0:
			b.WriteString(`\0`)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		}
	}
	b.WriteByte('"')
}
