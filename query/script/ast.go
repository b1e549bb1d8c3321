package script

// node is an expression or statement. Statements yield values too: a block
// yields that of its last statement.
type node interface {
	place() place
}

// at is the position part of every node.
type at struct{ pos place }

func (a at) place() place { return a.pos }

type (
	literal struct {
		at
		value value
	}
	// template is an interpolated string: its parts are joined.
	template struct {
		at
		parts []node
	}
	arrayLit struct {
		at
		items []node
	}
	mapLit struct {
		at
		keys   []string
		values []node
	}
	name struct {
		at
		name string
	}
	// this is the value a method was called on.
	this     struct{ at }
	property struct {
		at
		of   node
		name string
		// elvis: `?.`, which yields () for ().
		elvis bool
	}
	index struct {
		at
		of, by node
		elvis  bool
	}
	// call is `name(args)`; with a receiver `of.name(args)`.
	call struct {
		at
		of    node
		name  string
		args  []node
		elvis bool
	}
	unary struct {
		at
		op string
		of node
	}
	binary struct {
		at
		op          string
		left, right node
	}
	closureLit struct {
		at
		fn *fnDef
	}
)

type (
	block struct {
		at
		body []node
	}
	let struct {
		at
		name     string
		value    node // nil: ()
		constant bool
	}
	assign struct {
		at
		to node
		op string // "" or the operator before the =
		by node
	}
	ifNode struct {
		at
		cond      node
		then      node
		otherwise node // nil
	}
	// loop covers while, loop and do. The condition is nil for a plain loop.
	loop struct {
		at
		cond node
		body node
		// after: the condition follows the body. until: it ends the loop.
		after, until bool
	}
	forNode struct {
		at
		item, counter string
		over          node
		body          node
	}
	switchNode struct {
		at
		on    node
		cases []switchCase
	}
	// jump is break, continue, return or throw.
	jump struct {
		at
		what  string
		value node
	}
	try struct {
		at
		body    node
		name    string
		handler node
	}
	importNode struct {
		at
		path node
	}
)

// switchCase is one arm; values nil is the default.
type switchCase struct {
	values []value
	cond   node
	body   node
}

// fnDef is a scripted function or closure.
type fnDef struct {
	name   string
	params []string
	body   node
	// free lists the outer variables a closure uses.
	free []string
}

// closes tells whether a statement needs no semicolon after it.
func closes(n node) bool {
	switch n := n.(type) {
	case *block, *ifNode, *forNode, *switchNode, *try:
		return true
	case *loop:
		return !n.after
	}
	return false
}
