package script

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"shoal/query/script/value"
)

// upper and lower map all letters as Unicode does, some to several: "Straße" becomes
// "STRASSE". A Caser has a state and must not be shared.
func upper(text string) string { return cases.Upper(language.Und).String(text) }

func lower(text string) string { return cases.Lower(language.Und).String(text) }

// oneCase maps a character. One that would become several stays as it is.
func oneCase(fold func(string) string, char rune) rune {
	mapped := []rune(fold(string(char)))
	if len(mapped) != 1 {
		return char
	}
	return mapped[0]
}

func charMethods() map[string]method {
	return map[string]method{
		"to_upper": reader(0, 0, func(c *invocation) (value.Value, error) { return value.Char(oneCase(upper, c.recv.Rune())), nil }),
		"to_lower": reader(0, 0, func(c *invocation) (value.Value, error) { return value.Char(oneCase(lower, c.recv.Rune())), nil }),
		"to_int":   reader(0, 0, func(c *invocation) (value.Value, error) { return value.Int(int64(c.recv.Rune())), nil }),
		"max":      reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, ">") }),
		"min":      reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, "<") }),
		"make_upper": mutator(0, 0, func(c *invocation) (value.Value, error) {
			*c.recv = value.Char(oneCase(upper, c.recv.Rune()))
			return value.Value{}, nil
		}),
		"make_lower": mutator(0, 0, func(c *invocation) (value.Value, error) {
			*c.recv = value.Char(oneCase(lower, c.recv.Rune()))
			return value.Value{}, nil
		}),
	}
}

func textMethods() map[string]method {
	return map[string]method{
		"len":         property(func(c *invocation) (value.Value, error) { return c.counted(chars(c.recv.Text)) }),
		"bytes":       property(func(c *invocation) (value.Value, error) { return value.Int(int64(len(c.recv.Text))), nil }),
		"is_empty":    property(func(c *invocation) (value.Value, error) { return value.Bool(c.recv.Text == ""), nil }),
		"to_upper":    reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(upper(c.recv.Text)) }),
		"to_lower":    reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.newText(lower(c.recv.Text)) }),
		"make_upper":  mutator(0, 0, func(c *invocation) (value.Value, error) { return c.become(upper(c.recv.Text)) }),
		"make_lower":  mutator(0, 0, func(c *invocation) (value.Value, error) { return c.become(lower(c.recv.Text)) }),
		"trim":        mutator(0, 0, func(c *invocation) (value.Value, error) { return c.become(strings.TrimSpace(c.recv.Text)) }),
		"clear":       mutator(0, 0, func(c *invocation) (value.Value, error) { return c.become("") }),
		"contains":    reader(1, 1, textual(func(s, arg string) value.Value { return value.Bool(strings.Contains(s, arg)) })),
		"starts_with": reader(1, 1, textual(func(s, arg string) value.Value { return value.Bool(strings.HasPrefix(s, arg)) })),
		"ends_with":   reader(1, 1, textual(func(s, arg string) value.Value { return value.Bool(strings.HasSuffix(s, arg)) })),
		"index_of":    reader(1, 2, textIndexOf),
		"sub_string":  reader(1, 2, textSub),
		"crop":        mutator(1, 2, textCrop),
		"truncate":    mutator(1, 1, textTruncate),
		"split":       reader(0, 2, textSplit),
		"split_rev":   reader(1, 2, textSplitRev),
		"chars":       {most: 2, property: true, run: textChars},
		"to_chars":    reader(0, 0, textRunes),
		"get":         reader(1, 1, textGet),
		"set":         mutator(2, 2, textSet),
		"replace":     mutator(2, 2, textReplace),
		"remove":      mutator(1, 1, textRemove),
		"append":      mutator(1, 1, func(c *invocation) (value.Value, error) { return c.become(c.recv.Text + c.m.display(&c.args[0])) }),
		"pad":         mutator(2, 2, textPad),
		"pop":         mutator(0, 1, textPop),
		"parse_int":   reader(0, 1, textParseInt),
		"parse_float": reader(0, 0, textParseFloat),
		"parse_json":  reader(0, 0, func(c *invocation) (value.Value, error) { return c.m.parseJSON([]byte(c.recv.Text)) }),
		"max":         reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, ">") }),
		"min":         reader(1, 1, func(c *invocation) (value.Value, error) { return extreme(c, "<") }),
	}
}

// counted returns a number that was found by scanning the receiver.
func (c *invocation) counted(n int) (value.Value, error) {
	return value.Int(int64(n)), c.m.worked(len(c.recv.Text) / bytesPerStep)
}

// become replaces the receiver.
func (c *invocation) become(s string) (value.Value, error) {
	v, err := c.m.newText(s)
	if err == nil {
		*c.recv = v
	}
	return value.Value{}, err
}

func textual(f func(s, arg string) value.Value) func(c *invocation) (value.Value, error) {
	return func(c *invocation) (value.Value, error) {
		arg, ok := c.textual(0)
		if !ok {
			return value.Value{}, errNoMatch
		}
		return f(c.recv.Text, arg), c.m.worked(len(c.recv.Text) / bytesPerStep)
	}
}

// textIndexOf returns the index of a substring in characters, or -1.
func textIndexOf(c *invocation) (value.Value, error) {
	arg, ok := c.textual(0)
	from := 0
	if len(c.args) == 2 {
		start, isInt := c.int(1)
		if !ok || !isInt {
			return value.Value{}, errNoMatch
		}
		n := int64(chars(c.recv.Text))
		if start < 0 {
			start = max(start+n, 0)
		}
		if start >= n {
			return value.Int(-1), c.m.worked(len(c.recv.Text) / bytesPerStep)
		}
		from = byteOf(c.recv.Text, int(start))
	}
	if !ok {
		return value.Value{}, errNoMatch
	}
	if c.recv.Text == "" {
		return value.Int(-1), nil // even for ""
	}
	i := strings.Index(c.recv.Text[from:], arg)
	if i < 0 {
		return value.Int(-1), c.m.worked(len(c.recv.Text) / bytesPerStep)
	}
	return c.counted(chars(c.recv.Text[:from+i]))
}

// byteOf returns where character n starts.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func textSub(c *invocation) (value.Value, error) {
	s, from, to, ok := c.substring()
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.m.newText(s[from:to])
}

// substring reads a range of characters as byte offsets.
func (c *invocation) substring() (s string, from, to int, ok bool) {
	s = c.recv.Text
	n := chars(s)
	from, to, ok = c.stretch(0, n, true)
	from = byteOf(s, from)
	if to == n {
		return s, from, len(s), ok
	}
	return s, from, max(from, byteOf(s, to)), ok
}

// textSpan are the byte offsets of a range of characters.
func textSpan(s string, r *value.Range) (from, to int) {
	start, count := span(r)
	n := int64(chars(s))
	start = min(start, n)
	return byteOf(s, int(start)), byteOf(s, int(start+min(count, n-start)))
}

func textCrop(c *invocation) (value.Value, error) {
	s, from, to, ok := c.substring()
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.become(s[from:to])
}

func textTruncate(c *invocation) (value.Value, error) {
	n, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.become(c.recv.Text[:byteOf(c.recv.Text, int(min(max(n, 0), math.MaxInt32)))])
}

func textGet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	runes := []rune(c.recv.Text)
	if at, ok := position(i, len(runes)); ok {
		return value.Char(runes[at]), nil
	}
	return value.Value{}, nil
}

func textSet(c *invocation) (value.Value, error) {
	i, ok := c.int(0)
	if !ok || c.args[1].Kind != value.KindChar {
		return value.Value{}, errNoMatch
	}
	return value.Value{}, c.m.setChar(c.recv, i, c.args[1].Rune())
}

func textReplace(c *invocation) (value.Value, error) {
	old, ok := c.textual(0)
	with, ok2 := c.textual(1)
	if !ok || !ok2 {
		return value.Value{}, errNoMatch
	}
	if n := strings.Count(c.recv.Text, old); n > 0 && len(c.recv.Text)+n*(len(with)-len(old)) > c.m.limits.StringBytes {
		return value.Value{}, &value.Error{Message: "Length of string too large", Fatal: true}
	}
	return c.become(strings.ReplaceAll(c.recv.Text, old, with))
}

func textRemove(c *invocation) (value.Value, error) {
	arg, ok := c.textual(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	return c.become(strings.ReplaceAll(c.recv.Text, arg, ""))
}

func textPad(c *invocation) (value.Value, error) {
	n, ok := c.int(0)
	with, ok2 := c.textual(1)
	if !ok || !ok2 {
		return value.Value{}, errNoMatch
	}
	missing := n - int64(chars(c.recv.Text))
	if missing <= 0 || with == "" {
		return value.Value{}, nil
	}
	unit := int64(chars(with))
	times := (missing + unit - 1) / unit
	if times > int64(c.m.limits.StringBytes/len(with)) {
		return value.Value{}, &value.Error{Message: "Length of string too large", Fatal: true}
	}
	padding := strings.Repeat(with, int(times))
	return c.become(c.recv.Text + padding[:byteOf(padding, int(missing))])
}

// textPop removes and returns the last character, or the last characters as a string.
func textPop(c *invocation) (value.Value, error) {
	s := c.recv.Text
	if len(c.args) == 0 {
		if s == "" {
			return value.Value{}, nil
		}
		runes := []rune(s)
		last := runes[len(runes)-1]
		_, err := c.become(string(runes[:len(runes)-1]))
		return value.Char(last), err
	}
	n, ok := c.int(0)
	if !ok {
		return value.Value{}, errNoMatch
	}
	at := byteOf(s, chars(s)-int(min(max(n, 0), int64(chars(s)))))
	if _, err := c.become(s[:at]); err != nil {
		return value.Value{}, err
	}
	return c.m.newText(s[at:])
}

func textParseInt(c *invocation) (value.Value, error) {
	base := int64(10)
	if len(c.args) == 1 {
		var ok bool
		if base, ok = c.int(0); !ok {
			return value.Value{}, errNoMatch
		}
		if base < 2 || base > 36 {
			return value.Value{}, value.Failed("Invalid radix: '" + value.Itoa(base) + "'").WithKind(value.ArithmeticKind)
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(c.recv.Text), int(base), 64)
	if err != nil {
		return value.Value{}, value.Failed("Error parsing integer number '" + c.recv.Text + "': " + parseProblem(err, strings.TrimSpace(c.recv.Text))).WithKind(value.ArithmeticKind)
	}
	return value.Int(n), nil
}

func parseProblem(err error, s string) string {
	switch {
	case s == "":
		return "cannot parse integer from empty string"
	case errors.Is(err, strconv.ErrRange) && s[0] == '-':
		return "number too small to fit in target type"
	case errors.Is(err, strconv.ErrRange):
		return "number too large to fit in target type"
	}
	return "invalid digit found in string"
}

func textParseFloat(c *invocation) (value.Value, error) {
	s := strings.TrimSpace(c.recv.Text)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) || strings.ContainsAny(s, "xX_") {
		problem := "invalid float literal"
		if s == "" {
			problem = "cannot parse float from empty string"
		}
		return value.Value{}, value.Failed("Error parsing floating-point number '" + c.recv.Text + "': " + problem).WithKind(value.ArithmeticKind)
	}
	return value.Float(f), nil
}
