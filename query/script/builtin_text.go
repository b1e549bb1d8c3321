package script

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

func charMethods() map[string]method {
	return map[string]method{
		"to_upper": reader(0, 0, func(c *invocation) (value, error) { return charOf(unicode.ToUpper(c.recv.rune())), nil }),
		"to_lower": reader(0, 0, func(c *invocation) (value, error) { return charOf(unicode.ToLower(c.recv.rune())), nil }),
		"to_int":   reader(0, 0, func(c *invocation) (value, error) { return intOf(int64(c.recv.rune())), nil }),
		"max":      reader(1, 1, func(c *invocation) (value, error) { return extreme(c, ">") }),
		"min":      reader(1, 1, func(c *invocation) (value, error) { return extreme(c, "<") }),
		"make_upper": mutator(0, 0, func(c *invocation) (value, error) {
			*c.recv = charOf(unicode.ToUpper(c.recv.rune()))
			return value{}, nil
		}),
		"make_lower": mutator(0, 0, func(c *invocation) (value, error) {
			*c.recv = charOf(unicode.ToLower(c.recv.rune()))
			return value{}, nil
		}),
	}
}

func textMethods() map[string]method {
	return map[string]method{
		"len":         reader(0, 0, func(c *invocation) (value, error) { return c.counted(chars(c.recv.text)) }),
		"bytes":       reader(0, 0, func(c *invocation) (value, error) { return intOf(int64(len(c.recv.text))), nil }),
		"is_empty":    reader(0, 0, func(c *invocation) (value, error) { return boolOf(c.recv.text == ""), nil }),
		"to_upper":    reader(0, 0, func(c *invocation) (value, error) { return c.m.newText(strings.ToUpper(c.recv.text)) }),
		"to_lower":    reader(0, 0, func(c *invocation) (value, error) { return c.m.newText(strings.ToLower(c.recv.text)) }),
		"make_upper":  mutator(0, 0, func(c *invocation) (value, error) { return c.become(strings.ToUpper(c.recv.text)) }),
		"make_lower":  mutator(0, 0, func(c *invocation) (value, error) { return c.become(strings.ToLower(c.recv.text)) }),
		"trim":        mutator(0, 0, func(c *invocation) (value, error) { return c.become(strings.TrimSpace(c.recv.text)) }),
		"clear":       mutator(0, 0, func(c *invocation) (value, error) { return c.become("") }),
		"contains":    reader(1, 1, textual(func(s, arg string) value { return boolOf(strings.Contains(s, arg)) })),
		"starts_with": reader(1, 1, textual(func(s, arg string) value { return boolOf(strings.HasPrefix(s, arg)) })),
		"ends_with":   reader(1, 1, textual(func(s, arg string) value { return boolOf(strings.HasSuffix(s, arg)) })),
		"index_of":    reader(1, 2, textIndexOf),
		"sub_string":  reader(1, 2, textSub),
		"crop":        mutator(1, 2, textCrop),
		"truncate":    mutator(1, 1, textTruncate),
		"split":       reader(0, 2, textSplit),
		"split_rev":   reader(1, 2, textSplitRev),
		"chars":       reader(0, 2, textChars),
		"to_chars":    reader(0, 0, textChars),
		"get":         reader(1, 1, textGet),
		"set":         mutator(2, 2, textSet),
		"replace":     mutator(2, 2, textReplace),
		"remove":      mutator(1, 1, textRemove),
		"append":      mutator(1, 1, func(c *invocation) (value, error) { return c.become(c.recv.text + c.m.display(&c.args[0])) }),
		"pad":         mutator(2, 2, textPad),
		"pop":         mutator(0, 1, textPop),
		"parse_int":   reader(0, 1, textParseInt),
		"parse_float": reader(0, 0, textParseFloat),
		"parse_json":  reader(0, 0, func(c *invocation) (value, error) { return c.m.parseJSON([]byte(c.recv.text)) }),
		"max":         reader(1, 1, func(c *invocation) (value, error) { return extreme(c, ">") }),
		"min":         reader(1, 1, func(c *invocation) (value, error) { return extreme(c, "<") }),
	}
}

// counted yields a number found by walking a string.
func (c *invocation) counted(n int) (value, error) {
	return intOf(int64(n)), c.m.worked(len(c.recv.text) / bytesPerStep)
}

// become replaces the receiver.
func (c *invocation) become(s string) (value, error) {
	v, err := c.m.newText(s)
	if err == nil {
		*c.recv = v
	}
	return value{}, err
}

func textual(f func(s, arg string) value) func(c *invocation) (value, error) {
	return func(c *invocation) (value, error) {
		arg, ok := c.textual(0)
		if !ok {
			return value{}, errNoMatch
		}
		return f(c.recv.text, arg), c.m.worked(len(c.recv.text) / bytesPerStep)
	}
}

// textIndexOf yields the place of a substring in characters, -1 without one.
func textIndexOf(c *invocation) (value, error) {
	arg, ok := c.textual(0)
	from := 0
	if len(c.args) == 2 {
		start, isInt := c.int(1)
		ok = ok && isInt
		n := int64(chars(c.recv.text))
		if start < 0 {
			start = max(start+n, 0)
		}
		if start >= n {
			return intOf(-1), c.m.worked(len(c.recv.text) / bytesPerStep)
		}
		from = byteOf(c.recv.text, int(start))
	}
	if !ok {
		return value{}, errNoMatch
	}
	i := strings.Index(c.recv.text[from:], arg)
	if i < 0 {
		return intOf(-1), c.m.worked(len(c.recv.text) / bytesPerStep)
	}
	return c.counted(chars(c.recv.text[:from+i]))
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

func textSub(c *invocation) (value, error) {
	s, from, to, ok := c.substring()
	if !ok {
		return value{}, errNoMatch
	}
	return c.m.newText(s[from:to])
}

// substring reads a stretch of characters as byte offsets.
func (c *invocation) substring() (s string, from, to int, ok bool) {
	s = c.recv.text
	n := chars(s)
	from, to, ok = c.stretch(0, n)
	from = byteOf(s, from)
	if to == n {
		return s, from, len(s), ok
	}
	return s, from, max(from, byteOf(s, to)), ok
}

func textCrop(c *invocation) (value, error) {
	s, from, to, ok := c.substring()
	if !ok {
		return value{}, errNoMatch
	}
	return c.become(s[from:to])
}

func textTruncate(c *invocation) (value, error) {
	n, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	return c.become(c.recv.text[:byteOf(c.recv.text, int(min(max(n, 0), math.MaxInt32)))])
}

func textGet(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	runes := []rune(c.recv.text)
	if at, ok := position(i, len(runes)); ok {
		return charOf(runes[at]), nil
	}
	return value{}, nil
}

func textSet(c *invocation) (value, error) {
	i, ok := c.int(0)
	if !ok || c.args[1].kind != char {
		return value{}, errNoMatch
	}
	return value{}, c.m.setChar(c.recv, i, c.args[1].rune())
}

func textReplace(c *invocation) (value, error) {
	old, ok := c.textual(0)
	with, ok2 := c.textual(1)
	if !ok || !ok2 {
		return value{}, errNoMatch
	}
	if n := strings.Count(c.recv.text, old); n > 0 && len(c.recv.text)+n*(len(with)-len(old)) > c.m.limits.StringBytes {
		return value{}, &Error{Message: "Length of string too large", fatal: true}
	}
	return c.become(strings.ReplaceAll(c.recv.text, old, with))
}

func textRemove(c *invocation) (value, error) {
	arg, ok := c.textual(0)
	if !ok {
		return value{}, errNoMatch
	}
	return c.become(strings.ReplaceAll(c.recv.text, arg, ""))
}

func textPad(c *invocation) (value, error) {
	n, ok := c.int(0)
	with, ok2 := c.textual(1)
	if !ok || !ok2 {
		return value{}, errNoMatch
	}
	missing := n - int64(chars(c.recv.text))
	if missing <= 0 || with == "" {
		return value{}, nil
	}
	unit := int64(chars(with))
	times := (missing + unit - 1) / unit
	if times > int64(c.m.limits.StringBytes/len(with)) {
		return value{}, &Error{Message: "Length of string too large", fatal: true}
	}
	padding := strings.Repeat(with, int(times))
	return c.become(c.recv.text + padding[:byteOf(padding, int(missing))])
}

// textPop takes the last character, or the last characters as a string.
func textPop(c *invocation) (value, error) {
	s := c.recv.text
	if len(c.args) == 0 {
		if s == "" {
			return value{}, nil
		}
		runes := []rune(s)
		last := runes[len(runes)-1]
		_, err := c.become(string(runes[:len(runes)-1]))
		return charOf(last), err
	}
	n, ok := c.int(0)
	if !ok {
		return value{}, errNoMatch
	}
	at := byteOf(s, chars(s)-int(min(max(n, 0), int64(chars(s)))))
	if _, err := c.become(s[:at]); err != nil {
		return value{}, err
	}
	return c.m.newText(s[at:])
}

func textParseInt(c *invocation) (value, error) {
	base := int64(10)
	if len(c.args) == 1 {
		var ok bool
		if base, ok = c.int(0); !ok {
			return value{}, errNoMatch
		}
		if base < 2 || base > 36 {
			return value{}, failed("Invalid radix: '" + itoa64(base) + "'")
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(c.recv.text), int(base), 64)
	if err != nil {
		return value{}, failed("Error parsing integer number '" + c.recv.text + "': " + parseProblem(err, strings.TrimSpace(c.recv.text)))
	}
	return intOf(n), nil
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

func textParseFloat(c *invocation) (value, error) {
	s := strings.TrimSpace(c.recv.text)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) || strings.ContainsAny(s, "xX_") {
		problem := "invalid float literal"
		if s == "" {
			problem = "cannot parse float from empty string"
		}
		return value{}, failed("Error parsing floating-point number '" + c.recv.text + "': " + problem)
	}
	return floatOf(f), nil
}
