package syntax

import (
	"slices"
	"strconv"

	"shoal/query/script/value"
)

// parser builds the tree of a program. tok is the current token.
type parser struct {
	lex   *lexer
	tok   token
	fns   map[Signature]*Function
	count int // functions and closures
	depth int
	// inFunction and inLoop say where the parser is.
	inFunction, inLoop bool
	// scopes has the names of each enclosing block, so that assignments to constants are
	// refused early. A false value marks a variable that hides a constant.
	scopes []scope
	// names collects the variables used inside the closure being parsed.
	names []string
}

// scope maps the names of one block to whether they are constant.
type scope map[string]bool

// Signature identifies a scripted function.
type Signature struct {
	Name   string
	Params int
}

// Tree is the source of a program as a tree. Immutable.
type Tree struct {
	Body      []Node
	Functions map[Signature]*Function
}

// Parse reads a program. Errors are *value.Error.
func Parse(source string) (*Tree, error) {
	p := &parser{lex: newLexer(source), fns: map[Signature]*Function{}, scopes: []scope{{}}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	body, err := p.statements(false)
	if err != nil {
		return nil, err
	}
	return &Tree{Body: body, Functions: p.fns}, nil
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

// accept consumes a symbol or keyword if it comes next.
func (p *parser) accept(s string) (bool, error) {
	if !p.tok.is(s) {
		return false, nil
	}
	return true, p.advance()
}

// expect consumes a symbol that must come next.
func (p *parser) expect(s, why string) error {
	if !p.tok.is(s) {
		return p.tok.at.Fail("Expecting '" + s + "' " + why)
	}
	return p.advance()
}

// unexpected refuses the current token.
func (p *parser) unexpected() error {
	switch p.tok.kind {
	case tokenEnd:
		return p.tok.at.Fail("Script is incomplete")
	case tokenReserved:
		return p.reserved()
	}
	return p.tok.at.Fail("Unexpected '" + p.tok.text + "'")
}

// reserved refuses the current token as a name.
func (p *parser) reserved() error { return p.tok.at.Fail("'" + p.tok.text + "' is a reserved keyword") }

// isReserved tells whether the current token is a word that cannot be a name, but is no keyword.
func (p *parser) isReserved() bool {
	_, function := functionNames[p.tok.text]
	return p.tok.kind == tokenReserved || p.tok.is("this") || p.tok.kind == tokenName && function
}

// deeper bounds the recursion of the parser. The caller defers p.depth--.
func (p *parser) deeper() error {
	p.depth++
	limit := maxDepth
	if p.inFunction {
		limit = maxFunctionDepth
	}
	if p.depth > limit {
		return p.tok.at.Fail("Expression exceeds maximum complexity")
	}
	return nil
}

// variable reads the name of a variable.
func (p *parser) variable() (string, value.Place, error) {
	at := p.tok.at
	switch {
	case p.isReserved():
		return "", at, p.reserved()
	case p.tok.kind == tokenName:
		name := p.tok.text
		return name, at, p.advance()
	}
	return "", at, at.Fail("Expecting name of a variable")
}

func (p *parser) declare(name string, constant bool) { p.scopes[len(p.scopes)-1][name] = constant }

// constant tells whether a name is a known constant here.
func (p *parser) constant(name string) bool {
	for _, s := range slices.Backward(p.scopes) {
		if constant, ok := s[name]; ok {
			return constant
		}
	}
	return false
}

// statements reads statements up to the end of the text or the closing brace of a block,
// which it does not consume.
func (p *parser) statements(nested bool) ([]Node, error) {
	var body []Node
	for {
		switch {
		case p.tok.is(";"):
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		case p.tok.kind == tokenEnd && nested:
			return nil, p.tok.at.Fail("Expecting '}' to terminate this block")
		case p.tok.kind == tokenEnd || nested && p.tok.is("}"):
			return body, nil
		case p.tok.is("fn") || p.tok.is("private"):
			if nested || p.inFunction {
				return nil, p.tok.at.Fail("Function definitions must be at global level and cannot be inside a block or another function")
			}
			if err := p.function(); err != nil {
				return nil, err
			}
			continue
		}
		n, err := p.statement()
		if err != nil {
			return nil, err
		}
		body = append(body, n)
		if closes(n) || p.tok.kind == tokenEnd && !nested || nested && p.tok.is("}") {
			continue
		}
		if p.tok.kind == tokenReserved || nested && p.tok.kind == tokenEnd {
			return nil, p.missingEnd(nested)
		}
		if err := p.expect(";", "to terminate this statement"); err != nil {
			return nil, err
		}
	}
}

func (p *parser) missingEnd(nested bool) error {
	if nested && p.tok.kind == tokenEnd {
		return p.tok.at.Fail("Expecting '}' to terminate this block")
	}
	return p.unexpected()
}

// block reads `{ ... }` with its own variables.
func (p *parser) block() (Node, error) {
	at := p.tok.at
	if !p.tok.is("{") {
		return nil, at.Fail("Expecting '{' to start a statement block")
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	p.scopes = append(p.scopes, scope{})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	body, err := p.statements(true)
	if err != nil {
		return nil, err
	}
	return &Block{At: PosOf(at), Body: body}, p.advance()
}

func PosOf(p value.Place) At { return At{p} }

// function reads a definition and stores it.
func (p *parser) function() error {
	if _, err := p.accept("private"); err != nil {
		return err
	}
	start := p.tok.at
	if err := p.expect("fn", "following 'private'"); err != nil {
		return err
	}
	if p.isReserved() {
		return p.reserved()
	}
	if p.tok.kind != tokenName {
		return p.tok.at.Fail("Expecting function name in function declaration")
	}
	fn := &Function{Name: p.tok.text}
	if err := p.advance(); err != nil {
		return err
	}
	if !p.tok.is("(") {
		return p.tok.at.Fail("Expecting parameters for function " + fn.Name)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.params(fn, ")", "function '"+fn.Name+"'"); err != nil {
		return err
	}
	key := Signature{fn.Name, len(fn.Params)}
	if p.fns[key] != nil {
		return start.Fail("Function " + fn.Name + " with " + paramCount(len(fn.Params)) + " already exists")
	}
	if !p.tok.is("{") {
		return p.tok.at.Fail("Expecting body statement block for function " + fn.Name)
	}
	if err := p.body(fn, start, func() (Node, error) { return p.block() }); err != nil {
		return err
	}
	p.fns[key] = fn
	return nil
}

func paramCount(n int) string {
	switch n {
	case 0:
		return "no parameters"
	case 1:
		return "1 parameter"
	}
	return strconv.Itoa(n) + " parameters"
}

// params reads names up to the closing symbol.
func (p *parser) params(fn *Function, end, of string) error {
	for {
		done, err := p.accept(end)
		if done || err != nil {
			return err
		}
		name, at, err := p.variable()
		if err != nil {
			return err
		}
		if slices.Contains(fn.Params, name) {
			return at.Fail("Duplicated parameter " + name + " for " + of)
		}
		fn.Params = append(fn.Params, name)
		if p.tok.is(end) {
			continue
		}
		if err := p.expect(",", "to separate the parameters of "+of); err != nil {
			return err
		}
	}
}

// body reads the body of a function in a scope of its own.
func (p *parser) body(fn *Function, start value.Place, read func() (Node, error)) (err error) {
	if p.count++; p.count > maxFunctions {
		return start.Fail("Number of functions defined exceeds maximum limit")
	}
	outer := *p
	p.scopes, p.depth, p.inFunction, p.inLoop = []scope{{}}, 0, true, false
	for _, name := range fn.Params {
		p.declare(name, false)
	}
	fn.Body, err = read()
	p.scopes, p.depth, p.inFunction, p.inLoop = outer.scopes, outer.depth, outer.inFunction, outer.inLoop
	return err
}
