package prompt

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/osteele/liquid/render"
	"github.com/osteele/liquid/values"
)

// boundedFilters defines the engine's filters so that each counts what it makes, and
// those that can make much of little are asked before.
type boundedFilters struct {
	cfg    *render.Config
	budget func() *budget
}

// Sizes of what holds values, in bytes.
const (
	itemBytes  = 16 // of a list
	pieceBytes = 48 // a part of a text in a list of its own
)

var anyType = reflect.TypeFor[any]()

// AddFilter defines one filter. What is defined takes its arguments as they are:
// turning a list into a text, or a range into a list, is where memory goes.
func (f boundedFilters) AddFilter(name string, fn any) {
	inner := reflect.ValueOf(fn)
	t := inner.Type()
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
		if in[i].Kind() != reflect.Func && !(t.IsVariadic() && i == len(in)-1) {
			in[i] = anyType
		}
	}
	out := make([]reflect.Type, t.NumOut())
	for i := range out {
		out[i] = t.Out(i)
	}
	outer := reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		b := f.budget()
		b.step(1)
		for i := range args {
			if in[i] == anyType {
				b.before(args[i].Interface(), t.In(i))
				args[i] = converted(args[i], t.In(i))
			}
		}
		if ask := expensive[name]; ask != nil {
			ask(b, args)
		}
		var made []reflect.Value
		if t.IsVariadic() {
			made = inner.CallSlice(args)
		} else {
			made = inner.Call(args)
		}
		b.spend(shallow(made[0].Interface()))
		return made
	})
	f.cfg.AddFilter(name, outer.Interface())
}

// converted is the engine's conversion of an argument.
func converted(v reflect.Value, t reflect.Type) reflect.Value {
	if v.IsNil() {
		return reflect.Zero(t)
	}
	out := reflect.New(t).Elem()
	if made := values.MustConvert(v.Interface(), t); made != nil {
		out.Set(reflect.ValueOf(made))
	}
	return out
}

// before counts what it takes to hand a value to a filter that wants type t.
func (b *budget) before(v any, t reflect.Type) {
	switch v := v.(type) {
	case nil, node:
		return // a node counts for itself
	case values.Range:
		b.spend(itemBytes * max(0, v.Len()))
		return
	case string:
		b.look(len(v))
		return
	}
	if t.Kind() == reflect.String {
		b.room(b.printed(v, 0))
		return
	}
	b.look(shallow(v))
}

// shallow is the size of a value without what its items refer to.
func shallow(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case nil:
		return 0
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		return itemBytes * r.Len()
	}
	return itemBytes
}

// printed is about how long a value is as a text, or more than there is room for.
// Lists may hold one text many times: they are never printed before this was asked.
func (b *budget) printed(v any, depth int) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case node:
		return len(v.String())
	case nil:
		return 4
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || depth > maxNesting {
		return 24
	}
	n := 2
	for i := range r.Len() {
		n += b.printed(r.Index(i).Interface(), depth+1) + 1
		b.room(n)
	}
	return n
}

// expensive are the filters whose output can be much longer than their input. Their
// arguments are those of the engine's own functions.
var expensive = map[string]func(b *budget, args []reflect.Value){
	"replace": func(b *budget, args []reflect.Value) {
		s, old, fresh := args[0].String(), args[1].String(), args[2].String()
		b.room(len(s))
		if n := strings.Count(s, old); len(fresh) > len(old) && n > (maxBytes-len(s))/(len(fresh)-len(old)) {
			b.room(maxBytes + 1)
		}
	},
	"join": func(b *budget, args []reflect.Value) {
		list := args[0].Interface()
		sep := constant(args[1], " ")
		if n := args[0].Len(); len(sep) > 0 && n > maxBytes/len(sep) {
			b.room(maxBytes + 1)
		}
		b.room(b.printed(list, 0) + args[0].Len()*len(sep))
	},
	"split": func(b *budget, args []reflect.Value) {
		s := args[0].String()
		b.spend(pieceBytes * (strings.Count(s, args[1].String()) + 1))
	},
	"uniq": func(b *budget, args []reflect.Value) {
		n := args[0].Len() // texts are compared each with each
		b.step(min(n, maxSteps) * (min(n, maxSteps) / 256))
	},
	"json":          func(b *budget, args []reflect.Value) { b.room(6 * b.printed(args[0].Interface(), 0)) },
	"inspect":       func(b *budget, args []reflect.Value) { b.room(6 * b.printed(args[0].Interface(), 0)) },
	"escape":        func(b *budget, args []reflect.Value) { b.room(longer(args[0].String(), `&<>"'`, 5)) },
	"escape_once":   func(b *budget, args []reflect.Value) { b.room(longer(args[0].String(), `&<>"'`, 5)) },
	"newline_to_br": func(b *budget, args []reflect.Value) { b.room(longer(args[0].String(), "\n", 6)) },
	"url_encode":    func(b *budget, args []reflect.Value) { b.room(3 * args[0].Len()) },
	"date":          func(b *budget, args []reflect.Value) { b.room(dateLength(constant(args[1], ""))) },
}

// longer is the length of a text in which each of some characters becomes n bytes.
func longer(s, chars string, n int) int {
	out := len(s)
	for i := range len(chars) {
		out += (n - 1) * strings.Count(s, chars[i:i+1])
	}
	return out
}

// constant is the argument that the engine hands over as a function.
func constant(fn reflect.Value, otherwise string) string {
	return fn.Call([]reflect.Value{reflect.ValueOf(otherwise)})[0].String()
}

var dateWidth = regexp.MustCompile(`%[-0^#_:]*([0-9]*)`)

// dateLength is at least as long as a date in a format.
func dateLength(format string) int {
	n := len(format)
	for _, m := range dateWidth.FindAllStringSubmatch(format, -1) {
		width, err := strconv.Atoi(m[1])
		if m[1] != "" && (err != nil || width > 1000) {
			return maxBytes + 1
		}
		n += width + 64
	}
	return n
}
