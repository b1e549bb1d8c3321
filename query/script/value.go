package script

import (
	"math"
	"sort"
	"strings"
)

// kind is the type of a value.
type kind uint8

const (
	unit kind = iota
	boolean
	integer
	float
	char
	text
	array
	object
	function
	interval
)

// name is the type's name in messages and for type_of.
func (k kind) name() string {
	return [...]string{"()", "bool", "i64", "f64", "char", "string", "array", "map", "Fn", "range"}[k]
}

// value is one value of the language. Scalars live in bits; text holds strings,
// and for floats the number as it stood in the document, if it did.
type value struct {
	kind kind
	bits uint64
	text string
	ref  any // *list, *dict, *span, and for functions what has their name
}

// list is an array. shared: several places may hold it; it must be copied before
// it is modified.
type list struct {
	items  []value
	shared bool
}

// dict is an object map, entries sorted by key.
type dict struct {
	entries []entry
	shared  bool
}

type entry struct {
	key   string
	value value
}

// span is a range of integers.
type span struct {
	from, to  int64
	inclusive bool
	// open: `a..` without an end.
	open bool
}

// named is what a value of the kind function points to.
type named interface{ FunctionName() string }

// functionName is the name of a function.
func (v *value) functionName() string { return v.ref.(named).FunctionName() }

func boolOf(b bool) value {
	if b {
		return value{kind: boolean, bits: 1}
	}
	return value{kind: boolean}
}

func intOf(i int64) value     { return value{kind: integer, bits: uint64(i)} }
func floatOf(f float64) value { return value{kind: float, bits: math.Float64bits(f)} }
func charOf(r rune) value     { return value{kind: char, bits: uint64(r)} }
func textOf(s string) value   { return value{kind: text, text: s} }
func listOf(items []value) value {
	return value{kind: array, ref: &list{items: items}}
}
func dictOf(entries []entry) value { return value{kind: object, ref: &dict{entries: entries}} }

func (v *value) bool() bool     { return v.bits != 0 }
func (v *value) int() int64     { return int64(v.bits) }
func (v *value) float() float64 { return math.Float64frombits(v.bits) }
func (v *value) rune() rune     { return rune(v.bits) }
func (v *value) list() *list    { return v.ref.(*list) }
func (v *value) dict() *dict    { return v.ref.(*dict) }
func (v *value) span() *span    { return v.ref.(*span) }

// number returns an integer or float as a float.
func (v *value) number() (float64, bool) {
	switch v.kind {
	case integer:
		return float64(v.int()), true
	case float:
		return v.float(), true
	}
	return 0, false
}

// copied returns the value for another place. Containers are not copied but
// marked, so that whoever modifies first copies.
func (v value) copied() value {
	switch v.kind {
	case array:
		// The mark is only ever set: values of a shared context stay read-only.
		if l := v.list(); !l.shared {
			l.shared = true
		}
	case object:
		if d := v.dict(); !d.shared {
			d.shared = true
		}
	}
	return v
}

// itemBytes is about what an element of a container takes.
const itemBytes = 64

func (d *dict) find(key string) (int, bool) {
	i := sort.Search(len(d.entries), func(i int) bool { return d.entries[i].key >= key })
	return i, i < len(d.entries) && d.entries[i].key == key
}

func (d *dict) get(key string) (value, bool) {
	if i, ok := d.find(key); ok {
		return d.entries[i].value, true
	}
	return value{}, false
}

// slot returns the place of a key, made when it is missing.
func (d *dict) slot(key string) *value {
	i, ok := d.find(key)
	if !ok {
		d.entries = append(d.entries, entry{})
		copy(d.entries[i+1:], d.entries[i:])
		d.entries[i] = entry{key: key}
	}
	return &d.entries[i].value
}

func (d *dict) remove(key string) (value, bool) {
	i, ok := d.find(key)
	if !ok {
		return value{}, false
	}
	v := d.entries[i].value
	d.entries = append(d.entries[:i], d.entries[i+1:]...)
	return v, true
}

// equal compares as the operator == does: numbers by value whatever their type,
// other values of different types are different.
func equal(a, b *value) bool { return same(a, b, false) }

// same is equal; strict tells integers from floats, as JSON values do.
func same(a, b *value, strict bool) bool {
	if a.kind != b.kind {
		if strict {
			return false
		}
		x, ok := a.number()
		y, ok2 := b.number()
		return ok && ok2 && x == y
	}
	switch a.kind {
	case float:
		return a.float() == b.float()
	case text:
		return a.text == b.text
	case array:
		x, y := a.list().items, b.list().items
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(&x[i], &y[i], strict) {
				return false
			}
		}
		return true
	case object:
		x, y := a.dict().entries, b.dict().entries
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i].key != y[i].key || !same(&x[i].value, &y[i].value, strict) {
				return false
			}
		}
		return true
	case function:
		return a.functionName() == b.functionName()
	case interval:
		return *a.span() == *b.span()
	}
	return a.bits == b.bits
}

// notFound says that no function takes these arguments.
func notFound(name string, args []value) string {
	var b strings.Builder
	b.WriteString("Function not found: " + name + " (")
	for i := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		if args[i].kind == text {
			b.WriteString("&str | ImmutableString | String")
		} else {
			b.WriteString(args[i].kind.name())
		}
	}
	return b.String() + ")"
}

// holds tells whether a range has an integer.
func (s *span) holds(i int64) bool {
	return i >= s.from && (s.open || i < s.to || s.inclusive && i == s.to)
}
