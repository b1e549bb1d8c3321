package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/query/script/value"
)

// quoted reads a string after its opening quote. A doubled quote is a quote. A backslash at
// the end of a line joins the next line.
func (l *lexer) quoted(t token) (token, error) {
	var b strings.Builder
	t.kind = tokenText
	for {
		at := l.at
		if l.pos >= len(l.src) {
			return t, at.Fail("Open string is not terminated")
		}
		switch c := l.take(); c {
		case '"':
			if l.peek() != '"' {
				t.text = b.String()
				return t, nil
			}
			l.take()
			b.WriteByte('"')
		case '\n':
			return t, at.Fail("Open string is not terminated")
		case '\\':
			if l.continued() {
				continue
			}
			r, err := l.escape(at)
			if err != nil {
				return t, err
			}
			b.WriteRune(r)
		default:
			b.WriteRune(c)
		}
	}
}

// continued skips the end of a line after a backslash, and the blanks at the start of the
// next line.
func (l *lexer) continued() bool {
	switch {
	case l.starts("\n"):
		l.take()
	case l.starts("\r\n"):
		l.skip(2)
	default:
		return false
	}
	for l.peek() == ' ' || l.peek() == '\t' {
		l.take()
	}
	return true
}

// escape reads an escape after its backslash.
func (l *lexer) escape(at value.Place) (rune, error) {
	from := l.pos
	c := l.take()
	switch c {
	case 't':
		return '\t', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case '\\', '"', '\'', '`':
		return c, nil
	case 'x', 'u', 'U':
		n := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c]
		start := l.pos
		for range n {
			l.take()
		}
		r, err := strconv.ParseUint(l.src[start:l.pos], 16, 32)
		if err == nil && len(l.src[start:l.pos]) == n && utf8.ValidRune(rune(r)) {
			return rune(r), nil
		}
	}
	return 0, at.Fail("Invalid escape sequence: '\\" + l.src[from:l.pos] + "'")
}

// character reads a character literal after its opening quote.
func (l *lexer) character(t token) (token, error) {
	start := l.at
	t.kind = tokenChar
	var content []rune
	for {
		at := l.at
		c := l.take()
		switch {
		case c == 0 || c == '\n':
			return t, start.Fail("Open string is not terminated")
		case c == '\'' && len(content) == 1:
			t.int = int64(content[0])
			return t, nil
		case c == '\'':
			return t, t.at.Fail("Invalid character: '" + string(content) + "'")
		case c == '\\':
			r, err := l.escape(at)
			if err != nil {
				return t, err
			}
			content = append(content, r)
		default:
			content = append(content, c)
		}
	}
}

// template reads a part of an interpolated string: up to its closing quote (tokenText) or
// the next `${` (tokenTemplate). It is also called after the brace that ends an
// interpolation.
func (l *lexer) template(t token) (token, error) {
	var b strings.Builder
	for {
		if l.pos >= len(l.src) {
			return t, l.at.Fail("Open string is not terminated")
		}
		switch {
		case l.starts("``"):
			l.skip(2)
			b.WriteByte('`')
		case l.starts("`"):
			l.take()
			t.kind, t.text = tokenText, b.String()
			return t, nil
		case l.starts("${"):
			l.skip(2)
			t.kind, t.text = tokenTemplate, b.String()
			return t, nil
		default:
			b.WriteRune(l.take())
		}
	}
}

// raw reads `#"..."#`, with any number of hashes, without escapes.
func (l *lexer) raw(t token) (token, error) {
	hashes := 0
	for l.peek() == '#' {
		l.take()
		hashes++
	}
	if l.peek() != '"' {
		return t, t.at.Fail("'#' is a reserved symbol")
	}
	l.take()
	end := `"` + strings.Repeat("#", hashes)
	start := l.pos
	for !l.starts(end) {
		if l.pos >= len(l.src) {
			return t, l.at.Fail("Open string is not terminated")
		}
		l.take()
	}
	t.kind, t.text = tokenText, l.src[start:l.pos]
	l.skip(len(end))
	return t, nil
}
