package liquid

import "fmt"

// expression is the parsed content of braces.
type expression interface{ eval(r *rendering) any }

type (
	literal struct{ value any }
	// variable is a name. With lenient, missing members are nil.
	variable struct {
		name    string
		lenient bool
	}
	access  struct{ of, key expression }
	between struct{ from, to expression }
	compare struct {
		sign string
		a, b expression
	}
	// both is "and", either is "or", of two conditions.
	both     struct{ a, b expression }
	either   struct{ a, b expression }
	negated  struct{ of expression }
	filtered struct {
		of     expression
		name   string
		filter *filter
		args   []expression
		named  []namedArg
	}
	namedArg struct {
		name  string
		value expression
	}
)

func (e literal) eval(*rendering) any { return e.value }

func (e variable) eval(r *rendering) any {
	v, ok := r.vars[e.name]
	if !ok {
		switch e.name {
		case "empty", "blank":
			return special(e.name)
		}
	}
	if d, ok := v.(data); ok && e.lenient {
		d.lenient = true
		return d
	}
	return v
}

func (e access) eval(r *rendering) any { return r.member(e.of.eval(r), e.key.eval(r)) }

func (e between) eval(r *rendering) any {
	return span{r.whole(e.from.eval(r)), r.whole(e.to.eval(r))}
}

func (e compare) eval(r *rendering) any {
	a, b := e.a.eval(r), e.b.eval(r)
	switch e.sign {
	case "==":
		return r.equal(a, b)
	case "!=", "<>":
		return !r.equal(a, b)
	case "<":
		return r.less(a, b)
	case ">":
		return r.less(b, a)
	case "<=":
		return r.less(a, b) || r.equal(a, b)
	case ">=":
		return r.less(b, a) || r.equal(a, b)
	}
	return r.contains(a, b)
}

func (e both) eval(r *rendering) any { return r.truth(e.a.eval(r)) && r.truth(e.b.eval(r)) }

func (e either) eval(r *rendering) any { return r.truth(e.a.eval(r)) || r.truth(e.b.eval(r)) }

func (e negated) eval(r *rendering) any {
	v := r.plain(e.of.eval(r))
	return v == nil || v == false
}

// expressionParser parses the words of an expression. lenient names variables whose members
// may be missing in conditions.
type expressionParser struct {
	source  string
	words   []word
	lenient func(name string) bool
	depth   int
}

// newExpressions returns a parser for a text.
func newExpressions(source string, lenient func(string) bool) (*expressionParser, error) {
	words, err := wordsOf(source)
	if err != nil {
		return nil, err
	}
	return &expressionParser{source: source, words: words, lenient: lenient}, nil
}

// parseExpression parses a text that must be one expression.
func parseExpression(source string, lenient func(string) bool) (expression, error) {
	p, err := newExpressions(source, lenient)
	if err != nil {
		return nil, err
	}
	e, err := p.condition()
	if err != nil {
		return nil, err
	}
	return e, p.end()
}

func (p *expressionParser) peek() word { return p.words[0] }

func (p *expressionParser) next() word {
	w := p.words[0]
	if w.kind != endWord {
		p.words = p.words[1:]
	}
	return w
}

// sign consumes an operator if it comes next.
func (p *expressionParser) sign(text string) bool {
	if w := p.peek(); w.kind != signWord || w.text != text {
		return false
	}
	p.next()
	return true
}

// name consumes a word if it comes next.
func (p *expressionParser) name(text string) bool {
	if w := p.peek(); w.kind != nameWord || w.text != text {
		return false
	}
	p.next()
	return true
}

func (p *expressionParser) fail() error { return fmt.Errorf("syntax error in %q", p.source) }

func (p *expressionParser) end() error {
	if p.peek().kind != endWord {
		return p.fail()
	}
	return nil
}

// deeper bounds nested brackets.
func (p *expressionParser) deeper() error {
	if p.depth++; p.depth > maxNesting {
		return exceeded("its brackets are nested more than %d deep", maxNesting)
	}
	return nil
}

// condition parses comparisons joined by and and or, from left to right.
func (p *expressionParser) condition() (expression, error) {
	e, err := p.comparison()
	for n := 0; err == nil; n++ {
		var other expression
		switch {
		case n > maxChain:
			return nil, exceeded("it joins more than %d conditions", maxChain)
		case p.name("and"):
			other, err = p.comparison()
			e = both{e, other}
		case p.name("or"):
			other, err = p.comparison()
			e = either{e, other}
		default:
			return e, nil
		}
	}
	return nil, err
}

// maxChain bounds the conditions and nested members in one expression, because their
// evaluation is recursive.
const maxChain = 10000

func (p *expressionParser) comparison() (expression, error) {
	a, err := p.operand()
	if err != nil {
		return nil, err
	}
	w := p.peek()
	switch {
	case w.kind == nameWord && w.text == "contains":
	case w.kind == signWord && (w.text == "==" || w.text == "!=" || w.text == "<>" || w.text == "<" || w.text == ">" || w.text == "<=" || w.text == ">="):
	default:
		return p.filters(a)
	}
	p.next()
	b, err := p.operand()
	return compare{w.text, a, b}, err
}

// filters parses any number of | name: arguments.
func (p *expressionParser) filters(e expression) (expression, error) {
	for p.sign("|") {
		w := p.next()
		if w.kind != nameWord {
			return nil, p.fail()
		}
		f := filtered{of: e, name: w.text, filter: filters[w.text]}
		if p.sign(":") {
			if err := p.arguments(&f); err != nil {
				return nil, err
			}
		}
		e = f
	}
	return e, nil
}

func (p *expressionParser) arguments(f *filtered) error {
	for {
		if w := p.peek(); w.kind == nameWord && len(p.words) > 1 && p.words[1].kind == signWord && p.words[1].text == ":" {
			p.next()
			p.next()
			value, err := p.operand()
			if err != nil {
				return err
			}
			f.named = append(f.named, namedArg{w.text, value})
		} else {
			value, err := p.operand()
			if err != nil {
				return err
			}
			f.args = append(f.args, value)
		}
		if !p.sign(",") {
			return nil
		}
	}
}

// operand parses a value with its members.
func (p *expressionParser) operand() (expression, error) {
	e, err := p.value()
	for n := 0; err == nil; n++ {
		switch {
		case n > maxChain:
			return nil, exceeded("it asks for members of members more than %d deep", maxChain)
		case p.peek().kind == propertyWord:
			e = access{e, literal{p.next().text}}
		case p.sign("["):
			var key expression
			if err = p.deeper(); err != nil {
				return nil, err
			}
			if key, err = p.operand(); err != nil {
				return nil, err
			}
			p.depth--
			if !p.sign("]") {
				return nil, p.fail()
			}
			e = access{e, key}
		default:
			return e, nil
		}
	}
	return nil, err
}

func (p *expressionParser) value() (expression, error) {
	w := p.next()
	switch w.kind {
	case literalWord:
		return literal{w.value}, nil
	case nameWord:
		switch w.text {
		case "and", "or", "in", "contains":
			return nil, p.fail()
		}
		return variable{w.text, p.lenient != nil && p.lenient(w.text)}, nil
	case signWord:
		if w.text == "(" {
			return p.brackets()
		}
	}
	return nil, p.fail()
}

// brackets parses a range or a condition after its opening bracket.
func (p *expressionParser) brackets() (expression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	e, err := p.condition()
	if err != nil {
		return nil, err
	}
	if p.sign("..") {
		to, err := p.operand()
		if err != nil {
			return nil, err
		}
		e = between{e, to}
	}
	if !p.sign(")") {
		return nil, p.fail()
	}
	return e, nil
}
