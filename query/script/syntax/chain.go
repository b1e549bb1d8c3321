package syntax

import "shoal/query/script/value"

// of is the expression that a link of a chain (a property, an index, a call with a receiver)
// follows, and where the link begins; nil if the node is none.
func of(n Node) (Node, value.Place) {
	switch n := n.(type) {
	case *Property:
		return n.Of, n.Link
	case *Index:
		return n.Of, n.Pos
	case *Call:
		return n.Of, n.Link
	}
	return nil, value.Place{}
}

// Start is where the first part of an expression begins.
func Start(n Node) value.Place {
	for {
		if b, ok := n.(*Binary); ok && (b.Op == "&&" || b.Op == "||" || b.Op == "??") {
			n = b.Left
			continue
		}
		first, _ := of(n)
		if first == nil {
			return n.Place()
		}
		n = first
	}
}

// FirstLink is where the first link of a chain begins, and the place of any other node.
func FirstLink(n Node) value.Place {
	at := n.Place()
	for first, link := of(n); first != nil; first, link = of(n) {
		n, at = first, link
	}
	return at
}

// checkIndex refuses the index of a literal that cannot have it.
func checkIndex(of, by Node) error {
	want := indexOfLiteral(of)
	have := ""
	switch by := by.(type) {
	case *Template:
		have = "a string"
	case *Binary:
		if by.Op == "&&" || by.Op == "||" {
			have = "a boolean"
		}
	case *Literal:
		have = literalNames[by.Value.Kind]
	}
	switch {
	case want == "" || have == "" || want == "string" && have == "a string" || want == "integer" && have == "a number":
		return nil
	case want == "string":
		return Start(by).Fail("Object map expects string index, not " + have)
	case have == "a string":
		want = "numeric"
	}
	return Start(by).Fail("Array, string or bit-field expects " + want + " index, not " + have)
}

// literalNames are what errors about an index call literals.
var literalNames = map[value.Kind]string{
	value.KindInt: "a number", value.KindFloat: "a float", value.KindChar: "a character", value.KindString: "a string",
	value.KindBool: "a boolean", value.KindUnit: "()",
}

// indexOfLiteral is what indexes a literal, or "" for what is none or has no index.
func indexOfLiteral(of Node) string {
	switch of := of.(type) {
	case *Map:
		return "string"
	case *Array, *Template:
		return "integer"
	case *Literal:
		if of.Value.Kind == value.KindInt || of.Value.Kind == value.KindString {
			return "integer"
		}
	}
	return ""
}
