package liquid

import (
	"errors"
	"fmt"
	"strings"
)

// Template is a parsed template. It is safe for concurrent use.
type Template struct{ nodes []node }

// node is a piece of a template that can be rendered.
type node interface{ render(r *rendering) signal }

// signal says how the rendering of a node ended.
type signal int

const (
	done      signal = iota
	broken           // by {% break %}
	continued        // by {% continue %}
)

// Options control parsing.
type Options struct {
	// Lenient names the variables whose members may be missing in conditions.
	Lenient []string
}

// Parse parses a template. Errors: *SyntaxError, or ErrBudget if it is too large.
func Parse(source string, o Options) (*Template, error) {
	if len(source) > MaxSource {
		return nil, exceeded("it has %d bytes, at most %d are allowed", len(source), MaxSource)
	}
	p := &parser{tokens: trimmed(cut(source)), lenient: o.Lenient}
	nodes, _, err := p.nodes(nil)
	if err != nil {
		return nil, err
	}
	return &Template{nodes: nodes}, nil
}

// parser makes a tree from tokens.
type parser struct {
	tokens  []token
	lenient []string
	depth   int
}

// tag is the parser's knowledge of a tag.
type tag struct {
	// parse makes the node of a tag. It is nil for tags that only occur inside others.
	parse func(p *parser, t *token) (node, error)
	// within names the blocks that such a tag belongs to.
	within string
}

// tags are all tags.
var tags map[string]tag

func init() { // in init, because its functions refer to the table
	tags = map[string]tag{
		"if":        {parse: parseIf},
		"unless":    {parse: parseUnless},
		"case":      {parse: parseCase},
		"for":       {parse: parseLoop},
		"tablerow":  {parse: parseLoop},
		"capture":   {parse: parseCapture},
		"ifchanged": {parse: parseIfChanged},
		"comment":   {parse: parseComment},
		"raw":       {parse: parseRaw},
		"assign":    {parse: parseAssign},
		"cycle":     {parse: parseCycle},
		"increment": {parse: parseCounter},
		"decrement": {parse: parseCounter},
		"break":     {parse: parseBreak},
		"continue":  {parse: parseContinue},

		"elsif": {within: "if or unless"},
		"else":  {within: "case or for or if or unless"},
		"when":  {within: "case"},

		"endif": {within: "if"}, "endunless": {within: "unless"}, "endcase": {within: "case"}, "endfor": {within: "for"},
		"endtablerow": {within: "tablerow"}, "endcapture": {within: "capture"}, "endifchanged": {within: "ifchanged"},
		"endcomment": {within: "comment"}, "endraw": {within: "raw"},
	}
}

// syntax is an error about a token.
func (t *token) syntax(err error) error {
	if errors.Is(err, ErrBudget) {
		return err
	}
	return &SyntaxError{Line: t.line, Part: t.source, Message: err.Error()}
}

func (t *token) syntaxf(format string, args ...any) error {
	return t.syntax(fmt.Errorf(format, args...))
}

// nodes parses up to one of the tags that end a part of a block, which it returns. It
// returns nil at the end of the template.
func (p *parser) nodes(until []string) ([]node, *token, error) {
	var out []node
	for len(p.tokens) > 0 {
		t := &p.tokens[0]
		p.tokens = p.tokens[1:]
		switch t.kind {
		case textToken:
			if t.source != "" {
				out = append(out, text(t.source))
			}
			continue
		case outputToken:
			e, err := parseExpression(t.args, nil)
			if err != nil {
				return nil, nil, t.syntax(err)
			}
			out = append(out, output{e})
			continue
		}
		for _, end := range until {
			if t.name == end {
				return out, t, nil
			}
		}
		known, ok := tags[t.name]
		switch {
		case !ok:
			return nil, nil, t.syntaxf("undefined tag %q", t.name)
		case known.parse == nil:
			return nil, nil, t.syntaxf("%s not inside %s", t.name, known.within)
		}
		n, err := known.parse(p, t)
		if err != nil {
			return nil, nil, err
		}
		if n != nil {
			out = append(out, n)
		}
	}
	return out, nil, nil
}

// block parses the parts of a block up to its end tag. It calls visit for each part with
// its first tag; visit may refuse the part.
func (p *parser) block(t *token, visit func(begin *token, body []node) error, between ...string) error {
	if p.depth++; p.depth > maxNesting {
		return exceeded("its blocks are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	end := "end" + t.name
	begin := t
	for {
		body, next, err := p.nodes(append(between, end))
		if err != nil {
			return err
		}
		if next == nil {
			return t.syntaxf("unterminated %q block", t.name)
		}
		if err := visit(begin, body); err != nil {
			return err
		}
		if next.name == end {
			return nil
		}
		begin = next
	}
}

// skip consumes the text up to the end of a block, and returns it as written.
func (p *parser) skip(t *token) (string, error) {
	var out strings.Builder
	for i := range p.tokens {
		if next := &p.tokens[i]; next.kind == tagToken && next.name == "end"+t.name {
			p.tokens = p.tokens[i+1:]
			return out.String(), nil
		}
		out.WriteString(p.tokens[i].source)
	}
	return "", t.syntaxf("unterminated %q block", t.name)
}

// condition parses the expression of a conditional tag.
func (p *parser) condition(t *token) (expression, error) {
	e, err := parseExpression(t.args, p.isLenient)
	if err != nil {
		return nil, t.syntax(err)
	}
	return e, nil
}

func (p *parser) isLenient(name string) bool {
	for _, l := range p.lenient {
		if l == name {
			return true
		}
	}
	return false
}
