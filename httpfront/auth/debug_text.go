package auth

import (
	"slices"
	"strings"

	"shoal/api/jsonvalue"
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
		b.WriteString(jsonvalue.QuoteDebug(s))
	}
	b.WriteByte(']')
	return b.String()
}
