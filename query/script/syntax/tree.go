package syntax

import "shoal/query/script/value"

// Node is an expression or statement. Statements have values too: the value of a block is
// that of its last statement.
type Node interface {
	// Place is where the node begins in the source.
	Place() value.Place
}

// At is the position part of every node.
type At struct{ Pos value.Place }

// Place is where the node begins.
func (a At) Place() value.Place { return a.Pos }

// Expressions.
type (
	// Literal is a literal value.
	Literal struct {
		At
		Value value.Value
	}
	// Template is an interpolated string. Its parts are joined.
	Template struct {
		At
		Parts []Node
	}
	// Array makes an array of its items.
	Array struct {
		At
		Items []Node
	}
	// Map makes an object map. Values are parallel to Keys.
	Map struct {
		At
		Keys   []string
		Values []Node
	}
	// Name reads a variable.
	Name struct {
		At
		Name string
	}
	// This is the value that the function was called on.
	This struct{ At }
	// Property is `of.name`.
	Property struct {
		At
		Link value.Place // of the dot
		Of   Node
		Name string
		// Elvis: `?.`, which gives () for ().
		Elvis bool
	}
	// Index is `of[by]`.
	Index struct {
		At
		Of, By Node
		Elvis  bool
	}
	// Call is `name(args)`; with a receiver `of.name(args)`.
	Call struct {
		At
		Link  value.Place // of the dot, if there is a receiver
		Of    Node
		Name  string
		Args  []Node
		Elvis bool
	}
	// Unary applies an operator to one operand.
	Unary struct {
		At
		Op string
		Of Node
	}
	// Binary applies an operator to two operands.
	Binary struct {
		At
		Op          string
		Left, Right Node
	}
	// Closure makes a function value.
	Closure struct {
		At
		Fn *Function
	}
)

// Statements.
type (
	// Block is a list of statements with variables of its own.
	Block struct {
		At
		Body []Node
	}
	// Let defines a variable or constant.
	Let struct {
		At
		Name     string
		Value    Node // nil: ()
		Constant bool
	}
	// Assign writes to a place.
	Assign struct {
		At
		To Node
		Op string // "" or the operator before the =
		By Node
	}
	// If chooses by a condition.
	If struct {
		At
		Cond      Node
		Then      Node
		Otherwise Node // nil
	}
	// Loop covers while, loop and do. The condition is nil for a plain loop.
	Loop struct {
		At
		Cond Node
		Body Node
		// After: the condition follows the body. until: it ends the loop.
		After, Until bool
	}
	// For runs its body for each item.
	For struct {
		At
		Item, Counter string
		Over          Node
		Body          Node
	}
	// Switch takes the first case that fits.
	Switch struct {
		At
		On    Node
		Cases []Case
	}
	// Jump is break, continue, return or throw.
	Jump struct {
		At
		What  string
		Value Node
	}
	// Try runs its handler when the body fails; the failure gets the name.
	Try struct {
		At
		Body    Node
		Name    string
		Handler Node
	}
)

// Case is one arm. nil Values mark the default.
type Case struct {
	Values []value.Value
	Cond   Node
	Body   Node
}

// Function is a scripted function or closure.
type Function struct {
	Name   string
	Params []string
	Body   Node
	// Free lists the outer variables a closure uses.
	Free []string
}

// closes tells whether a statement needs no semicolon after it.
func closes(n Node) bool {
	switch n := n.(type) {
	case *Block, *If, *For, *Switch, *Try:
		return true
	case *Loop:
		return !n.After
	}
	return false
}
