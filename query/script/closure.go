package script

// closureOf returns the function that a value points to.
func closureOf(v *value) *closure { return v.ref.(*closure) }

// closure is a pointer to a scripted or built-in function.
type closure struct {
	name     string
	fn       *fnDef // nil for functions found by name when called
	captured []*variable
	bound    []value // by curry
}

// FunctionName is the name that values show of it.
func (c *closure) FunctionName() string { return c.name }
