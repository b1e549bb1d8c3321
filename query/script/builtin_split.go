package script

import (
	"slices"
	"strings"

	"shoal/query/script/value"
)

// textSplit splits a string at an index, at a delimiter with an optional limit, or at
// blanks.
func textSplit(c *invocation) (value.Value, error) {
	s := c.recv.Text
	if len(c.args) == 0 {
		return c.parts(strings.Fields(s))
	}
	if n, ok := c.int(0); ok && len(c.args) == 1 {
		length := int64(chars(s))
		if n < 0 {
			n = max(n+length, 0)
		}
		at := byteOf(s, int(min(n, length)))
		return c.parts([]string{s[:at], s[at:]})
	}
	delimiter, limit, ok := c.delimiter()
	if !ok {
		return value.Value{}, errNoMatch
	}
	if limit >= 0 {
		return c.parts(cut(s, delimiter, limit))
	}
	return c.parts(cut(s, delimiter, strings.Count(s, delimiter)+2))
}

// cut splits into at most n parts. An empty delimiter matches before, between and after all
// characters.
func cut(s, delimiter string, n int) []string {
	switch {
	case n <= 0:
		return nil
	case delimiter != "":
		return strings.SplitN(s, delimiter, n)
	case n == 1:
		return []string{s}
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
	parts := strings.Split(c.recv.Text, delimiter)
	if limit >= 0 && len(parts) > limit && limit > 0 {
		at := len(parts) - limit + 1
		parts = append([]string{strings.Join(parts[:at], delimiter)}, parts[at:]...)
	} else if limit == 0 {
		parts = nil
	}
	slices.Reverse(parts)
	return c.parts(parts)
}

// delimiter reads a delimiter and an optional number of parts, -1 if absent.
func (c *invocation) delimiter() (string, int, bool) {
	delimiter, ok := c.textual(0)
	if len(c.args) == 1 {
		return delimiter, -1, ok
	}
	n, isInt := c.int(1)
	return delimiter, int(min(max(n, 0), int64(c.m.limits.Items))), ok && isInt
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
	var items []value.Value
	for _, r := range s {
		items = append(items, value.Char(r))
	}
	return c.m.newList(items)
}
