package script

import (
	"math"
	"slices"
	"strings"

	"shoal/query/script/value"
)

// textSplit splits a string at an index, at a delimiter with an optional limit, or at
// blanks.
func textSplit(c *invocation) (value.Value, error) {
	s := c.recv.Text
	if len(c.args) == 0 && s != "" {
		return c.parts(strings.Fields(s))
	} else if len(c.args) == 0 {
		return c.parts([]string{""})
	}
	if n, ok := c.int(0); ok && len(c.args) == 1 {
		length := int64(chars(s))
		if n <= 0 { // 0 counts from the end too
			n = max(n+length, 0)
		}
		at := byteOf(s, int(min(n, length)))
		return c.parts([]string{s[:at], s[at:]})
	}
	delimiter, limit, ok := c.delimiter()
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.parts(cut(s, delimiter, limit))
}

// cut splits into at most n parts. An empty delimiter matches before, between and after all
// characters.
func cut(s, delimiter string, n int) []string {
	switch {
	case s == "" || n == 1:
		return []string{s}
	case delimiter != "":
		return strings.SplitN(s, delimiter, n)
	}
	parts := []string{""}
	taken := 0
	for _, r := range s {
		if len(parts) == n-1 {
			return append(parts, s[taken:])
		}
		parts = append(parts, string(r))
		taken += len(parts[len(parts)-1])
	}
	if len(parts) < n {
		return append(parts, "")
	}
	return parts[:n]
}

// textSplitRev splits from the end.
func textSplitRev(c *invocation) (value.Value, error) {
	delimiter, limit, ok := c.delimiter()
	if !ok {
		return value.Value{}, errNoMatch
	}
	parts := cut(c.recv.Text, delimiter, math.MaxInt)
	if len(parts) > limit {
		at := len(parts) - limit + 1
		parts = append([]string{strings.Join(parts[:at], delimiter)}, parts[at:]...)
	}
	slices.Reverse(parts)
	return c.parts(parts)
}

// delimiter reads a delimiter and an optional number of parts, at least one.
func (c *invocation) delimiter() (string, int, bool) {
	delimiter, ok := c.textual(0)
	if len(c.args) == 1 {
		return delimiter, math.MaxInt, ok
	}
	n, isInt := c.int(1)
	return delimiter, int(max(n, 1)), ok && isInt
}

// parts makes an array of strings.
func (c *invocation) parts(parts []string) (value.Value, error) {
	items := make([]value.Value, len(parts))
	for i, p := range parts {
		items[i] = value.String(p)
	}
	return c.m.newList(items)
}

// textChars yields the characters of a string or of a part of it.
func textChars(c *invocation) (value.Value, error) {
	s := c.recv.Text
	if len(c.args) > 0 {
		var from, to int
		var ok bool
		if s, from, to, ok = c.substring(); !ok {
			return value.Value{}, errNoMatch
		}
		s = s[from:to]
	}
	return value.Sequence(iteratorSource+"CharsStream", func(yield func(value.Value) bool) {
		for _, r := range s {
			if !yield(value.Char(r)) {
				return
			}
		}
	}), c.m.worked(len(s) / bytesPerStep)
}

// textRunes is the array of the characters.
func textRunes(c *invocation) (value.Value, error) {
	var items []value.Value
	for _, r := range c.recv.Text {
		items = append(items, value.Char(r))
	}
	return c.m.newList(items)
}
