package syntax

import "shoal/query/script/value"

// condition reads an expression that is no literal of another type than a boolean.
func (p *parser) condition() (Node, error) {
	n, err := p.expression()
	if err == nil {
		err = notBoolean(n)
	}
	return n, err
}

// notBoolean refuses what can never be a boolean.
func notBoolean(n Node) error {
	name := literalName(n)
	if name == "" || name == "a boolean" {
		return nil
	}
	return n.Place().Fail("Expecting a boolean expression, not " + name)
}

// notIterable refuses what can never be iterated over.
func notIterable(n Node) error {
	switch name := literalName(n); name {
	case "", "a string", "an array":
		return nil
	default:
		return n.Place().Fail("Expecting an iterable value, not " + name)
	}
}

// literalName names the type of a literal in messages. It is "" for other expressions.
func literalName(n Node) string {
	switch n := n.(type) {
	case *Template:
		return "a string"
	case *Array:
		return "an array"
	case *Map:
		return "an object map"
	case *Literal:
		return map[value.Kind]string{
			value.KindUnit: "()", value.KindBool: "a boolean", value.KindInt: "a number", value.KindFloat: "a floating-point number",
			value.KindChar: "a character", value.KindString: "a string",
		}[n.Value.Kind]
	}
	return ""
}
