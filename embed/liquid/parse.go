package liquid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template is a parsed template. It is safe for concurrent use.
type Template struct{ nodes []node }

// node is a piece of a template that can be rendered.
type node interface{ render(r *rendering) }

// Parse parses a template. Errors: *SyntaxError, or ErrBudget if it is too large.
func Parse(source string) (*Template, error) {
	if len(source) > MaxSource {
		return nil, exceeded("it has %d bytes, at most %d are allowed", len(source), MaxSource)
	}
	p := &parser{scanner: scanner{source: source}}
	var nodes []node
	for {
		e := p.next()
		if e.kind == endElement {
			return &Template{nodes: nodes}, nil
		}
		n, err := p.node(&e)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
}

// parser makes a tree from elements.
type parser struct {
	scanner
	blocks int // the depth of open blocks
}

// tagParser makes the node of a tag. For a block it reads on until the end of the block.
type tagParser func(p *parser, t *tag) (node, error)

// tags are all tags that may begin a node.
var tags map[string]tagParser

func init() { // in init, because its functions refer to the table
	tags = map[string]tagParser{
		"if":        parseChoice,
		"unless":    parseChoice,
		"case":      parseCase,
		"for":       parseLoop,
		"tablerow":  parseLoop,
		"capture":   parseCapture,
		"ifchanged": parseIfChanged,
		"comment":   parseComment,
		"raw":       parseRaw,
		"assign":    parseAssign,
		"cycle":     parseCycle,
		"increment": parseCounter,
		"decrement": parseCounter,
		"break":     parseInterrupt,
		"continue":  parseInterrupt,
		"include":   parseInclude,
		"render":    parseInclude,
	}
}

// node parses what begins with an element.
func (p *parser) node(e *element) (node, error) {
	switch e.kind {
	case textElement:
		return text(p.source[e.begin:e.end]), nil
	case outputElement:
		return output{e.chain}, e.chain.resolve()
	case tagElement:
		parse, ok := tags[e.name]
		if !ok {
			return nil, p.wrong(e, "unknown tag "+e.name)
		}
		return parse(p, &tag{element: e, p: p})
	}
	p.at = len(p.source) // nothing behind it is looked at, also in a comment
	if p.tooDeep {
		return nil, exceeded("its brackets are nested more than %d deep", maxNesting)
	}
	return nil, p.wrong(e, "a syntax error")
}

// wrong is an error about an element.
func (p *parser) wrong(e *element, message string) error {
	begin := e.begin
	for begin < e.end && isSpace(p.source[begin]) {
		begin++
	}
	part := p.source[begin:]
	if e.kind != wrongElement {
		part = p.source[begin:e.end]
	} else if part, _, _ = strings.Cut(part, "\n"); len(part) > 1 {
		closing := map[byte]string{'{': "}}", '%': "%}"}[part[1]]
		if before, _, ok := strings.Cut(part, closing); ok {
			part = before + closing
		}
	}
	return &SyntaxError{Line: 1 + strings.Count(p.source[:begin], "\n"), Part: strings.TrimSpace(part), Message: message}
}

// block is the open block of a tag.
type block struct {
	*tag
	closed bool
}

// open begins the block of a tag. The caller calls leave when it has read it.
func (t *tag) open() (*block, error) {
	if t.p.blocks++; t.p.blocks > maxNesting {
		return nil, exceeded("its blocks are nested more than %d deep", maxNesting)
	}
	return &block{tag: t}, nil
}

func (b *block) leave() { b.p.blocks-- }

// next is the next element of the block, or nil at its end.
func (b *block) next() (*element, error) {
	if b.closed {
		return nil, nil
	}
	e := b.p.next()
	switch {
	case e.kind == endElement:
		return nil, b.wrongf("the block has no end%s", b.name)
	case e.kind == tagElement && e.name == "end"+b.name:
		if len(e.words) > 0 {
			return nil, b.p.wrong(&e, "unexpected "+e.words[0].text)
		}
		b.closed = true
		return nil, nil
	}
	return &e, nil
}

// until parses up to a tag of one of the names, which it returns, or up to the end of the block.
func (b *block) until(names ...string) (body []node, found *element, err error) {
	for {
		e, err := b.next()
		if e == nil || err != nil || e.kind == tagElement && slices.Contains(names, e.name) {
			return body, e, err
		}
		n, err := b.p.node(e)
		if err != nil {
			return nil, nil, err
		}
		body = append(body, n)
	}
}

// rest parses up to the end of the block.
func (b *block) rest() ([]node, error) {
	body, _, err := b.until()
	return body, err
}

// body parses a block that has one part.
func (t *tag) body() ([]node, error) {
	b, err := t.open()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	return b.rest()
}

// tag is an element whose words are being read.
type tag struct {
	*element
	p    *parser
	read int
}

func (t *tag) wrongf(format string, args ...any) error {
	return t.p.wrong(t.element, fmt.Sprintf(format, args...))
}

// unexpected is the error about the last word read.
func (t *tag) unexpected(want string) error {
	if t.read == 0 || t.read > len(t.words) {
		return t.wrongf("%s expected at the end", want)
	}
	return t.wrongf("%s expected instead of %s", want, t.words[t.read-1].text)
}

// word is the next word. At the end it is an empty one.
func (t *tag) word() word {
	t.read++
	if t.read > len(t.words) {
		return word{}
	}
	return t.words[t.read-1]
}

// peek is the text of the next word, or empty at the end.
func (t *tag) peek() string {
	if t.read >= len(t.words) {
		return ""
	}
	return t.words[t.read].text
}

// accept reads a word if it is the given one.
func (t *tag) accept(text string) bool {
	if t.peek() != text {
		return false
	}
	t.read++
	return true
}

func (t *tag) expect(text string) error {
	if t.word().text != text {
		return t.unexpected(text)
	}
	return nil
}

// nothing refuses further words.
func (t *tag) nothing() error {
	if t.read < len(t.words) {
		t.read++
		return t.unexpected("nothing")
	}
	return nil
}

// value reads a value without filters.
func (t *tag) value() (expression, error) {
	if v := t.word().value(); v != nil {
		return v, nil
	}
	return nil, t.unexpected("a value")
}

func (w word) value() expression {
	if w.chain == nil || len(w.chain.calls) > 0 {
		return nil
	}
	return w.chain.of
}

// identifier reads a plain name.
func (t *tag) identifier() (string, error) {
	if v, ok := t.word().value().(variable); ok && len(v.indexes) == 0 {
		return v.name, nil
	}
	return "", t.unexpected("a name")
}

// isBudget tells whether an error is about the size of a template.
func isBudget(err error) bool { return errors.Is(err, ErrBudget) }
