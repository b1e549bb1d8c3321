package value

import (
	"iter"
	"math"
	"sort"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

// The kinds of values, as type_of tells them apart.
const (
	KindUnit Kind = iota
	KindBool
	KindInt
	KindFloat
	KindChar
	KindString
	KindArray
	KindObject
	KindFunction
	KindRange
	KindIterator
)

// TypeName is the type's name in messages and for type_of.
func (v *Value) TypeName() string {
	if v.Kind == KindRange && v.Range().Inclusive {
		return "range="
	}
	return [...]string{"()", "bool", "i64", "f64", "char", "string", "array", "map", "Fn", "range", "range"}[v.Kind]
}

// Value is one value of the language. Scalars are in bits. Text holds strings and, for
// floats from a document, the number as written there.
type Value struct {
	Kind Kind
	// Tag is a number that a program attached to the value.
	Tag  int32
	bits uint64
	Text string
	Ref  any // *List, *Dict, *Range, *Iterator, and for functions what has their name
}

// List is an array. If Shared is set, several places may hold it, and it must be copied
// before it is modified.
type List struct {
	Items  []Value
	Shared bool
}

// Dict is an object map, entries sorted by key.
type Dict struct {
	Entries []Entry
	Shared  bool
}

// Entry is one property of an object map.
type Entry struct {
	Key   string
	Value Value
}

// Range is a range of integers. A range without an end has the largest one.
type Range struct {
	From, To  int64
	Inclusive bool
}

// Iterator is a sequence that a for loop runs over and nothing else reads. It may be run
// over many times.
type Iterator struct {
	Items iter.Seq[Value]
	// Source is the name that JSON shows for it.
	Source string
}

// named is implemented by the values that functions refer to.
type named interface{ FunctionName() string }

// functionName is the name of a function.
func (v *Value) functionName() string { return v.Ref.(named).FunctionName() }

// Bool, Int, Float, Char, String, Array and Object make values. Slices then belong to the
// value.
func Bool(b bool) Value {
	if b {
		return Value{Kind: KindBool, bits: 1}
	}
	return Value{Kind: KindBool}
}

func Int(i int64) Value     { return Value{Kind: KindInt, bits: uint64(i)} }
func Float(f float64) Value { return Value{Kind: KindFloat, bits: math.Float64bits(f)} }
func Char(r rune) Value     { return Value{Kind: KindChar, bits: uint64(r)} }
func String(s string) Value { return Value{Kind: KindString, Text: s} }
func Array(items []Value) Value {
	return Value{Kind: KindArray, Ref: &List{Items: items}}
}
func Object(entries []Entry) Value { return Value{Kind: KindObject, Ref: &Dict{Entries: entries}} }

// Interval makes a range, Sequence an iterator.
func Interval(from, to int64, inclusive bool) Value {
	return Value{Kind: KindRange, Ref: &Range{From: from, To: to, Inclusive: inclusive}}
}

func Sequence(source string, items iter.Seq[Value]) Value {
	return Value{Kind: KindIterator, Ref: &Iterator{Items: items, Source: source}}
}

// Bool, Int, Float, Rune, List, Dict, Range and Iterator return the content of a value. The value
// must be of that kind.
func (v *Value) Bool() bool     { return v.bits != 0 }
func (v *Value) Int() int64     { return int64(v.bits) }
func (v *Value) Float() float64 { return math.Float64frombits(v.bits) }
func (v *Value) Rune() rune     { return rune(v.bits) }
func (v *Value) List() *List    { return v.Ref.(*List) }
func (v *Value) Dict() *Dict    { return v.Ref.(*Dict) }
func (v *Value) Range() *Range  { return v.Ref.(*Range) }

func (v *Value) Iterator() *Iterator { return v.Ref.(*Iterator) }

// Number returns an integer or float as a float.
func (v *Value) Number() (float64, bool) {
	switch v.Kind {
	case KindInt:
		return float64(v.Int()), true
	case KindFloat:
		return v.Float(), true
	}
	return 0, false
}

// Copied returns the value for another place. It does not copy a container but marks it as
// shared, so that the next modification copies it.
func (v Value) Copied() Value {
	switch v.Kind {
	case KindArray:
		// The mark is only ever set: values of a shared context stay read-only.
		if l := v.List(); !l.Shared {
			l.Shared = true
		}
	case KindObject:
		if d := v.Dict(); !d.Shared {
			d.Shared = true
		}
	}
	return v
}

// ItemBytes is the approximate size of a container's element.
const ItemBytes = 64

// Find returns the index of a key, or the index where it belongs.
func (d *Dict) Find(key string) (int, bool) {
	i := sort.Search(len(d.Entries), func(i int) bool { return d.Entries[i].Key >= key })
	return i, i < len(d.Entries) && d.Entries[i].Key == key
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (Value, bool) {
	if i, ok := d.Find(key); ok {
		return d.Entries[i].Value, true
	}
	return Value{}, false
}

// Slot returns the place of a key, which it adds if it is missing.
func (d *Dict) Slot(key string) *Value {
	i, ok := d.Find(key)
	if !ok {
		d.Entries = append(d.Entries, Entry{})
		copy(d.Entries[i+1:], d.Entries[i:])
		d.Entries[i] = Entry{Key: key}
	}
	return &d.Entries[i].Value
}

// Remove removes a key and returns its value.
func (d *Dict) Remove(key string) (Value, bool) {
	i, ok := d.Find(key)
	if !ok {
		return Value{}, false
	}
	v := d.Entries[i].Value
	d.Entries = append(d.Entries[:i], d.Entries[i+1:]...)
	return v, true
}

// Equal implements the operator ==: numbers are compared by value, other values of
// different types differ.
func Equal(a, b *Value) bool { return Same(a, b, false) }

// Same is Equal. With strict, integers differ from floats, as for JSON values.
func Same(a, b *Value, strict bool) bool {
	if a.Kind != b.Kind {
		if strict {
			return false
		}
		x, ok := a.Number()
		y, ok2 := b.Number()
		return ok && ok2 && x == y
	}
	switch a.Kind {
	case KindFloat: // a is another number than was read if it lost its text
		return a.Float() == b.Float() && (!strict || a.Text != "")
	case KindString:
		return a.Text == b.Text
	case KindArray:
		x, y := a.List().Items, b.List().Items
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Same(&x[i], &y[i], strict) {
				return false
			}
		}
		return true
	case KindObject:
		x, y := a.Dict().Entries, b.Dict().Entries
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i].Key != y[i].Key || !Same(&x[i].Value, &y[i].Value, strict) {
				return false
			}
		}
		return true
	case KindFunction:
		return a.functionName() == b.functionName()
	case KindRange:
		return *a.Range() == *b.Range()
	case KindIterator:
		return a.Ref == b.Ref
	}
	return a.bits == b.bits
}

// signature shows a call with the types of its arguments.
func signature(name string, args []Value) string {
	var b strings.Builder
	b.WriteString(name + " (")
	for i := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		if args[i].Kind == KindString {
			b.WriteString("&str | ImmutableString | String")
		} else {
			b.WriteString(args[i].TypeName())
		}
	}
	return b.String() + ")"
}

// Holds tells whether the range contains an integer.
func (s *Range) Holds(i int64) bool {
	return i >= s.From && (i < s.To || s.Inclusive && i == s.To)
}
