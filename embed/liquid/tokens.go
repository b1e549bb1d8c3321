package liquid

import "strings"

// tokenKind is the kind of a piece of a template.
type tokenKind int

const (
	textToken   tokenKind = iota
	outputToken           // {{ ... }}
	tagToken              // {% name args %}
)

// token is one piece of a template.
type token struct {
	kind   tokenKind
	source string // as it was written
	name   string // of a tag
	args   string // the text after the name, or inside an output
	line   int
	// trimLeft and trimRight: white space before or after the token is dropped.
	trimLeft, trimRight bool
}

// cut cuts a template into pieces. Braces without an end are text.
func cut(source string) []token {
	var out []token
	line, begin := 1, 0
	text := func(end int) {
		if begin < end {
			out = append(out, token{kind: textToken, source: source[begin:end], line: line})
			line += strings.Count(source[begin:end], "\n")
		}
	}
	for at := 0; at < len(source); {
		next := strings.IndexByte(source[at:], '{')
		if next < 0 {
			break
		}
		at += next
		t, length := braces(source[at:])
		if length == 0 {
			at++
			continue
		}
		text(at)
		t.line = line
		line += strings.Count(t.source, "\n")
		out = append(out, t)
		at += length
		begin = at
		if t.kind == tagToken && (t.name == "raw" || t.name == "comment") {
			at += opaque(source[at:], "end"+t.name)
		}
	}
	text(len(source))
	return out
}

// opaque is the distance to the tag that ends a raw or comment block, or to the end of the
// source if there is none.
func opaque(source, end string) int {
	for at := 0; ; at++ {
		next := strings.Index(source[at:], "{%")
		if next < 0 {
			return len(source)
		}
		at += next
		if t, _ := braces(source[at:]); t.name == end {
			return at
		}
	}
}

// braces reads a token that begins with a brace. length is 0 if there is none.
func braces(source string) (t token, length int) {
	var ending string
	switch {
	case strings.HasPrefix(source, "{{"):
		t.kind, ending = outputToken, "}}"
	case strings.HasPrefix(source, "{%"):
		t.kind, ending = tagToken, "%}"
	default:
		return t, 0
	}
	end := strings.Index(source[2:], ending)
	if end <= 0 {
		return t, 0
	}
	length = end + 4
	t.source = source[:length]
	inner := source[2 : length-2]
	if strings.HasPrefix(inner, "-") {
		t.trimLeft, inner = true, inner[1:]
	}
	if strings.HasSuffix(inner, "-") {
		t.trimRight, inner = true, inner[:len(inner)-1]
	}
	inner = strings.TrimSpace(inner)
	if t.kind == outputToken {
		t.args = inner
		return t, length
	}
	n := 0
	for n < len(inner) && isWord(inner[n]) {
		n++
	}
	if n == 0 {
		return t, 0
	}
	t.name, t.args = inner[:n], strings.TrimSpace(inner[n:])
	return t, length
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// trimmed removes the white space that the tokens around a text drop.
func trimmed(tokens []token) []token {
	for i := range tokens {
		if tokens[i].kind != textToken {
			continue
		}
		if i > 0 && tokens[i-1].trimRight {
			tokens[i].source = strings.TrimLeft(tokens[i].source, space)
		}
		if i+1 < len(tokens) && tokens[i+1].trimLeft {
			tokens[i].source = strings.TrimRight(tokens[i].source, space)
		}
	}
	return tokens
}

// space is the white space that {{- and -}} remove.
const space = " \t\r\n\v\f"
