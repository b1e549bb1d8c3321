package script

import (
	"errors"
	"slices"
	"strings"

	"shoal/query/script/value"
)

// callback is how a method calls its function argument. A function may take the arguments,
// the item before or among them, and the extra argument behind them; without the item it
// gets it as `this`.
type callback struct {
	// item is the current element, or nil.
	item *value.Value
	args []value.Value
	// at is where the item stands among the arguments; negative: it is only `this`.
	at int
	// extra is the last argument, for functions that take it: an index.
	extra []value.Value
}

// each is the callback of a method of arrays for one element: |item, index|.
func each(item *value.Value, i int) callback {
	return callback{item: item, extra: []value.Value{value.Int(int64(i))}}
}

// forms are the argument lists to try, in order.
func (b *callback) forms() (lists [3][]value.Value) {
	lists[0] = b.args
	full := b.args
	if b.item != nil && b.at >= 0 {
		full = slices.Insert(slices.Clone(b.args), b.at, b.item.Copied())
	}
	lists[1] = full
	lists[2] = append(slices.Clone(full), b.extra...)
	return lists
}

// call calls a function argument of a method.
func (c *invocation) call(f *value.Value, b callback) (value.Value, error) {
	v, err := c.attempt(f, b)
	c.lost = missing(err, closureOf(f).name)
	return v, err
}

// attempt tries the argument lists until the function takes one.
func (c *invocation) attempt(f *value.Value, b callback) (value.Value, error) {
	fn := closureOf(f)
	lists := b.forms()
	if fn.fn != nil {
		return c.callScripted(fn, b, lists)
	}
	var v value.Value
	var err error
	for i, args := range lists {
		if i > 0 && len(args) == len(lists[i-1]) {
			continue
		}
		if b.item != nil && (i == 0 || b.at < 0) {
			args = append([]value.Value{b.item.Copied()}, args...)
		}
		if v, err = c.m.applyNamed(value.Place{}, fn.name, append(slices.Clone(fn.bound), args...)); !missing(err, fn.name) {
			return v, err
		}
	}
	return v, err
}

// callScripted chooses the argument list by the number of parameters.
func (c *invocation) callScripted(fn *closure, b callback, lists [3][]value.Value) (value.Value, error) {
	takes := len(fn.fn.Params) - len(fn.bound)
	this := b.item
	switch {
	case takes == len(b.args):
		return c.m.apply(value.Place{}, fn, b.args, this)
	case takes == len(lists[1]):
		return c.m.apply(value.Place{}, fn, lists[1], nil)
	case takes == len(lists[2]):
		if len(lists[1]) > len(b.args) {
			this = nil
		}
		return c.m.apply(value.Place{}, fn, lists[2], this)
	case takes == len(b.args)+len(b.extra):
		return c.m.apply(value.Place{}, fn, append(slices.Clone(b.args), b.extra...), this)
	}
	return c.m.apply(value.Place{}, fn, lists[2], nil)
}

// missing tells whether a function of this name was not found.
func missing(err error, name string) bool {
	var e *value.Error
	return errors.As(err, &e) && e.Kind == "ErrorFunctionNotFound" && strings.HasPrefix(e.Message, "Function not found: "+name)
}

// yes calls a function argument that says which items to take: those for which it returns
// true.
func (c *invocation) yes(f *value.Value, b callback) (bool, error) {
	v, err := c.call(f, b)
	return err == nil && v.Kind == value.KindBool && v.Bool(), err
}

// function reads an argument that is a function, or the name of one.
func (c *invocation) function(i int, named bool) (value.Value, bool) {
	if i >= len(c.args) {
		return value.Value{}, false
	}
	switch v := c.args[i]; {
	case v.Kind == value.KindFunction:
		return v, true
	case named && v.Kind == value.KindString:
		return value.Value{Kind: value.KindFunction, Ref: &closure{name: v.Text}}, true
	}
	return value.Value{}, false
}
