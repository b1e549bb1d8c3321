package element

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Kind says what a posting list of elements is about.
type Kind byte

// Kinds. An Object has the field, or stands in the array that the field is; the others are
// facts about a field of an object.
const (
	Object Kind = 'O'
	Exists Kind = 'E'
	Null   Kind = 'N'
	Empty  Kind = 'Y'
	Number Kind = 'n'
	String Kind = 's'
)

// Range selects the lists of a field and a kind whose values lie within bounds.
type Range struct {
	Field uint16
	Kind  Kind
	// Depth is that of the name whose objects are asked for.
	Depth uint32
	// From and To bound numbers in their ordered form, both included.
	From, To uint64
	// First and Last bound facet forms, Last excluded; without one if Unbounded.
	First, Last string
	Unbounded   bool
	// Contains must stand in facet forms.
	Contains string
}

// Head appends what the names of a field and a kind begin with.
func Head(dst []byte, field uint16, kind Kind) []byte {
	return append(binary.BigEndian.AppendUint16(dst, field), byte(kind))
}

// AppendNumber appends the name of the list of a number without its place.
func AppendNumber(dst []byte, field uint16, ordered uint64) []byte {
	return binary.BigEndian.AppendUint64(Head(dst, field, Number), ordered)
}

// AppendString appends the name of the list of a facet form without its place.
func AppendString(dst []byte, field uint16, form string) []byte {
	dst = Head(dst, field, String)
	for i := range len(form) {
		if dst = append(dst, form[i]); form[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0)
}

// Start returns a lower bound of the names of the range.
func (r *Range) Start() []byte {
	switch r.Kind {
	case Number:
		return AppendNumber(nil, r.Field, r.From)
	case String:
		start := AppendString(nil, r.Field, r.First)
		return start[:len(start)-1]
	}
	return Head(nil, r.Field, r.Kind)
}

// Key tells ranges apart, in a cache.
func (r *Range) Key() string {
	b := binary.BigEndian.AppendUint32(Head(nil, r.Field, r.Kind), r.Depth)
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, r.From), r.To)
	for _, s := range []string{r.First, r.Last, r.Contains} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	if r.Unbounded {
		b = append(b, 1)
	}
	return string(b)
}

// Verdict tells where a name stands relative to a range.
type Verdict uint8

// Verdicts: names that belong, that do not, and that stand behind all that belong.
const (
	Inside Verdict = iota
	Outside
	Past
	Damaged
)

// Judge tells whether the list of a name belongs to the range, and the place of the
// objects at the level of the range, which aliases name. Names that stand before Start
// must not be asked for.
func (r *Range) Judge(name []byte) (place []byte, v Verdict) {
	if len(name) < 3 || binary.BigEndian.Uint16(name) != r.Field || Kind(name[2]) != r.Kind {
		return nil, Past
	}
	rest := name[3:]
	switch r.Kind {
	case Number:
		if len(rest) < 8 {
			return nil, Damaged
		}
		if binary.BigEndian.Uint64(rest) > r.To {
			return nil, Past
		}
		rest = rest[8:]
	case String:
		form, left, ok := cutForm(rest)
		switch {
		case !ok:
			return nil, Damaged
		case !r.Unbounded && string(form) >= r.Last:
			return nil, Past
		case string(form) < r.First || r.Contains != "" && !strings.Contains(string(form), r.Contains):
			return nil, Outside
		}
		rest = left
	}
	place, ok := Level(rest, r.Depth)
	if !ok {
		return nil, Outside
	}
	return place, Inside
}

// cutForm reads a facet form that AppendString wrote.
func cutForm(b []byte) (form, rest []byte, ok bool) {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return nil, nil, false
	}
	if i+1 == len(b) || b[i+1] != 0xff {
		return b[:i], b[i+1:], true
	}
	var out []byte
	for {
		out = append(append(out, b[:i]...), 0)
		b = b[i+2:]
		if i = bytes.IndexByte(b, 0); i < 0 {
			return nil, nil, false
		}
		if i+1 == len(b) || b[i+1] != 0xff {
			return append(out, b[:i]...), b[i+1:], true
		}
	}
}
