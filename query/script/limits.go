package script

// Limits bound one run. The zero value of a member means its default.
type Limits struct {
	// Steps is the number of statements and expressions evaluated.
	Steps int
	// Calls is the depth of calls of scripted functions.
	Calls int
	// Variables is the number of variables alive at once.
	Variables int
	// Items is the number of elements of an array or map. Within one literal, nested
	// elements count too.
	Items int
	// StringBytes is the length of one string. Memory is the sum of all bytes allocated
	// during the run, freed ones included.
	StringBytes, Memory int
}

// The defaults are the reference's, except for memory: it allows strings of 1 GiB, with
// which one request could exhaust a node.
const (
	defaultSteps       = 1_000_000
	defaultCalls       = 1_000
	defaultVariables   = 1_000
	defaultItems       = 10_000
	defaultStringBytes = 64 << 20
	defaultMemory      = 256 << 20
)

// maxNesting bounds the recursion of the interpreter over all calls, so that
// deep expressions in deep calls cannot exhaust the stack.
const maxNesting = 20_000

func (l Limits) filled() Limits {
	for _, d := range []struct {
		at    *int
		value int
	}{
		{&l.Steps, defaultSteps}, {&l.Calls, defaultCalls}, {&l.Variables, defaultVariables},
		{&l.Items, defaultItems}, {&l.StringBytes, defaultStringBytes}, {&l.Memory, defaultMemory},
	} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
	return l
}
