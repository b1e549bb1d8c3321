package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"shoal/query/script/value"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenInt
	tokenFloat
	tokenChar
	tokenText
	// tokenTemplate is the first part of an interpolated string, up to its first `${`.
	// lexer.template reads the following parts.
	tokenTemplate
	tokenName
	tokenKeyword
	tokenReserved
	tokenSymbol
)

// token is one word of the source. text is the name, the symbol, or the decoded string.
type token struct {
	kind  tokenKind
	text  string
	int   int64
	float float64
	at    value.Place
}

// is tells whether the token is this symbol or keyword.
func (t *token) is(s string) bool {
	return (t.kind == tokenSymbol || t.kind == tokenKeyword) && t.text == s
}

var keywords = map[string]bool{
	"true": true, "false": true, "let": true, "const": true, "if": true, "else": true, "switch": true, "do": true,
	"while": true, "until": true, "loop": true, "for": true, "in": true, "fn": true, "private": true, "continue": true,
	"break": true, "return": true, "throw": true, "try": true, "catch": true, "this": true,
}

// reserved words have no meaning but cannot be names. There are no modules.
var reserved = map[string]bool{
	"import": true, "export": true, "as": true,
	"var": true, "static": true, "is": true, "goto": true, "match": true, "case": true, "public": true, "protected": true,
	"new": true, "use": true, "with": true, "module": true, "package": true, "super": true, "spawn": true, "thread": true,
	"go": true, "sync": true, "async": true, "await": true, "yield": true, "default": true, "void": true, "null": true,
	"nil": true, "shared": true,
}

// functionNames are names of functions only; those that are true are names of methods, too.
var functionNames = map[string]bool{
	"print": false, "debug": false, "eval": false, "is_def_var": false, "is_def_fn": false, "Fn": false,
	"call": true, "curry": true, "type_of": true, "is_shared": true,
}

// symbols, longest first for each first byte.
var symbols = []string{
	"<<=", ">>=", "**=", "..=", "...", "===", "!==", "!in",
	"#{", "::", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>",
	"..", "?.", "?[", "??", "->", "<-", ":=", "++", "--",
	"{", "}", "(", ")", "[", "]", "+", "-", "*", "/", "%", "=", "<", ">", "!", "&", "|", "^", "~", ",", ";", ":", ".", "?", "@", "$", "#",
}

// reservedSymbols are recognised and refused.
var reservedSymbols = map[string]bool{
	"===": true, "!==": true, "->": true, "<-": true, ":=": true, "...": true, "++": true, "--": true, "~": true, "?": true,
	"@": true, "$": true, "#": true, "::": true,
}

// lexer cuts source text into tokens. It accepts any bytes: invalid UTF-8 reads as U+FFFD.
type lexer struct {
	src string
	pos int
	at  value.Place // of src[pos]
}

func newLexer(src string) *lexer { return &lexer{src: src, at: value.Place{Line: 1, Column: 1}} }

// peek returns the next character, 0 at the end.
func (l *lexer) peek() rune {
	if l.pos >= len(l.src) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos:])
	return r
}

// take consumes one character.
func (l *lexer) take() rune {
	if l.pos >= len(l.src) {
		return 0
	}
	r, n := utf8.DecodeRuneInString(l.src[l.pos:])
	l.pos += n
	if r == '\n' {
		l.at = value.Place{Line: l.at.Line + 1, Column: 1}
	} else {
		l.at.Column++
	}
	return r
}

func (l *lexer) starts(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

func (l *lexer) skip(n int) {
	for range n {
		l.take()
	}
}

// blank skips white space and comments.
func (l *lexer) blank() {
	for l.pos < len(l.src) {
		switch {
		case l.starts("//"):
			for l.pos < len(l.src) && l.peek() != '\n' {
				l.take()
			}
		case l.starts("/*"):
			l.comment()
		case unicode.IsSpace(l.peek()):
			l.take()
		default:
			return
		}
	}
}

// comment skips a block comment. Comments nest.
func (l *lexer) comment() {
	depth := 0
	for l.pos < len(l.src) {
		switch {
		case l.starts("/*"):
			depth++
			l.skip(2)
		case l.starts("*/"):
			depth--
			l.skip(2)
			if depth == 0 {
				return
			}
		default:
			l.take()
		}
	}
}

// next reads a token.
func (l *lexer) next() (token, error) {
	l.blank()
	t := token{at: l.at}
	if l.pos >= len(l.src) {
		return t, nil
	}
	c := l.peek()
	switch {
	case c >= '0' && c <= '9':
		return l.number(t)
	case c == '_' || unicode.IsLetter(c):
		return l.name(t), nil
	case c == '"':
		l.take()
		return l.quoted(t)
	case c == '\'':
		l.take()
		return l.character(t)
	case c == '`':
		l.take()
		if l.peek() == '\r' {
			l.take()
		}
		if l.peek() == '\n' {
			l.take() // a line break right after the quote does not count
		}
		return l.template(t)
	case c == '#' && (l.starts(`#"`) || l.starts("##")):
		return l.raw(t)
	}
	return l.symbol(t)
}

func (l *lexer) symbol(t token) (token, error) {
	for _, s := range symbols {
		if !l.starts(s) {
			continue
		}
		if s == "!in" && !l.keywordEnds(l.pos+len(s)) {
			continue
		}
		l.skip(len(s))
		t.kind, t.text = tokenSymbol, s
		if reservedSymbols[s] {
			return t, t.at.Fail(symbolProblem(s))
		}
		return t, nil
	}
	return t, t.at.Fail("Unexpected '" + string(l.take()) + "'")
}

func symbolProblem(s string) string {
	switch s {
	case "===":
		return "'===' is not a valid operator. This is not JavaScript! Should it be '=='?"
	case "!==":
		return "'!==' is not a valid operator. This is not JavaScript! Should it be '!='?"
	case "->":
		return "'->' is not a valid symbol. This is not C or C++!"
	case "<-":
		return "'<-' is not a valid symbol. This is not Go! Should it be '<='?"
	case ":=":
		return "':=' is not a valid assignment operator. This is not Go or Pascal! Should it be simply '='?"
	case "::":
		return "'::' is not a valid symbol. This is not Rust! Should it be '::'?"
	}
	return "'" + s + "' is a reserved symbol"
}

// keywordEnds tells whether a keyword that ends at i is a complete word.
func (l *lexer) keywordEnds(i int) bool {
	r, _ := utf8.DecodeRuneInString(l.src[min(i, len(l.src)):])
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func (l *lexer) name(t token) token {
	start := l.pos
	for {
		c := l.peek()
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			break
		}
		l.take()
	}
	t.text = l.src[start:l.pos]
	switch {
	case keywords[t.text]:
		t.kind = tokenKeyword
	case reserved[t.text]:
		t.kind = tokenReserved
	default:
		t.kind = tokenName
	}
	return t
}

// number reads an integer or float. A dot belongs to it unless a method or range follows.
func (l *lexer) number(t token) (token, error) {
	start := l.pos
	if l.peek() == '0' && l.pos+1 < len(l.src) {
		if base := radix(l.src[l.pos+1]); base != 0 {
			l.skip(2)
			return l.integer(t, start, base)
		}
	}
	l.digits()
	isFloat := false
	if l.peek() == '.' && l.fractionFollows() {
		isFloat = true
		l.take()
		l.digits()
	}
	if c := l.peek(); (c == 'e' || c == 'E') && l.exponentFollows() {
		isFloat = true
		l.skip(2)
		l.digits()
	}
	written := l.src[start:l.pos]
	digits := strings.ReplaceAll(written, "_", "")
	if !isFloat {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			t.kind, t.int = tokenInt, n
			return t, nil
		}
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(digits, "."), 64)
	if err != nil {
		return t, t.at.Fail("Invalid number: '" + written + "'")
	}
	t.kind, t.float = tokenFloat, f
	return t, nil
}

func radix(c byte) int {
	switch c {
	case 'x', 'X':
		return 16
	case 'o', 'O':
		return 8
	case 'b', 'B':
		return 2
	}
	return 0
}

func (l *lexer) integer(t token, start, base int) (token, error) {
	from := l.pos
	for {
		c := l.peek()
		if c != '_' && !(c < 128 && strings.ContainsRune("0123456789abcdefABCDEF", c)) {
			break
		}
		l.take()
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(l.src[from:l.pos], "_", ""), base, 64)
	if err != nil {
		return t, t.at.Fail("Invalid number: '" + l.src[start:l.pos] + "'")
	}
	t.kind, t.int = tokenInt, int64(n)
	return t, nil
}

func (l *lexer) digits() {
	for c := l.peek(); c == '_' || c >= '0' && c <= '9'; c = l.peek() {
		l.take()
	}
}

func (l *lexer) fractionFollows() bool {
	if l.pos+1 >= len(l.src) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos+1:])
	return r != '.' && r != '_' && !unicode.IsLetter(r)
}

func (l *lexer) exponentFollows() bool {
	rest := l.src[l.pos+1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
