package script

import (
	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

// closureOf returns the function that a value points to.
func closureOf(v *value.Value) *closure { return v.Ref.(*closure) }

// closure is a pointer to a scripted or built-in function.
type closure struct {
	name     string
	fn       *syntax.Function // nil for functions found by name when called
	captured []*variable
	bound    []value.Value // by curry
}

// FunctionName is the name shown for the function.
func (c *closure) FunctionName() string { return c.name }
