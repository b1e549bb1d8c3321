package jsonvalue

import "math"

// Kind is the kind of a JSON value in messages to clients. Numbers have three kinds, chosen
// by their literal: integers that fit 64 bits unsigned or signed, and all others (spec
// write-api 2.2).
type Kind uint8

// Kinds in the order in which messages list them.
const (
	KindNull Kind = iota
	KindBool
	KindPositive // integer in 0 .. 2^64-1
	KindNegative // integer in -2^63 .. -1
	KindFloat
	KindString
	KindArray
	KindObject
)

// Value is one parsed JSON value. Objects keep the order of their members. Of members with
// the same name, the last value stands at the place of the first. Values are immutable once
// parsed and safe for concurrent use.
type Value struct {
	kind Kind
	num  uint64 // bool, integer (two's complement) or float bits
	str  string
	kids []Member
}

// Member is one member of an object, or one element of an array (no name).
type Member struct {
	Name  string
	Value Value
}

// StringValue returns the JSON string s.
func StringValue(s string) Value { return Value{kind: KindString, str: s} }

// BoolValue returns the JSON boolean b.
func BoolValue(b bool) Value {
	v := Value{kind: KindBool}
	if b {
		v.num = 1
	}
	return v
}

// UintValue returns the JSON integer n.
func UintValue(n uint64) Value { return Value{kind: KindPositive, num: n} }

// IntValue returns the JSON integer n.
func IntValue(n int64) Value {
	if n < 0 {
		return Value{kind: KindNegative, num: uint64(n)}
	}
	return UintValue(uint64(n))
}

// FloatValue returns the JSON number f, which must be finite.
func FloatValue(f float64) Value { return Value{kind: KindFloat, num: math.Float64bits(f)} }

// ArrayOfStrings returns the JSON array of the strings.
func ArrayOfStrings(list []string) Value {
	v := Value{kind: KindArray, kids: make([]Member, len(list))}
	for i, s := range list {
		v.kids[i].Value = StringValue(s)
	}
	return v
}

// ArrayValue returns the JSON array of the values.
func ArrayValue(list ...Value) Value {
	v := Value{kind: KindArray, kids: make([]Member, len(list))}
	for i := range list {
		v.kids[i].Value = list[i]
	}
	return v
}

// ObjectValue returns the JSON object of the members, whose names must differ.
// The slice belongs to the value.
func ObjectValue(members ...Member) Value { return Value{kind: KindObject, kids: members} }

// Kind returns the kind of v.
func (v *Value) Kind() Kind { return v.kind }

// IsNull tells whether v is null (as the zero Value is).
func (v *Value) IsNull() bool { return v.kind == KindNull }

// IsNumber tells whether v is a number of any kind.
func (v *Value) IsNumber() bool {
	return v.kind == KindPositive || v.kind == KindNegative || v.kind == KindFloat
}

// Bool returns the boolean; false for other kinds.
func (v *Value) Bool() bool { return v.kind == KindBool && v.num != 0 }

// String returns the string; "" for other kinds.
func (v *Value) String() string { return v.str }

// Uint returns the number of a KindPositive; 0 for other kinds.
func (v *Value) Uint() uint64 {
	if v.kind != KindPositive {
		return 0
	}
	return v.num
}

// Float returns any number as a double; 0 for other kinds.
func (v *Value) Float() float64 {
	switch v.kind {
	case KindPositive:
		return float64(v.num)
	case KindNegative:
		return float64(int64(v.num))
	case KindFloat:
		return floatOfBits(v.num)
	}
	return 0
}

// Members returns the members of an object, or the elements of an array without
// names. The slice is shared: do not modify.
func (v *Value) Members() []Member { return v.kids }

// Len is the number of members or elements.
func (v *Value) Len() int { return len(v.kids) }

// Get finds a member of an object, or returns nil.
func (v *Value) Get(name string) *Value {
	if v.kind != KindObject {
		return nil
	}
	for i := range v.kids {
		if v.kids[i].Name == name {
			return &v.kids[i].Value
		}
	}
	return nil
}

// Equal tells whether two values are equal. The order of the members of objects does not count,
// and 1 differs from 1.0.
func (v *Value) Equal(o *Value) bool {
	if v.kind != o.kind || v.num != o.num || v.str != o.str || len(v.kids) != len(o.kids) {
		return false
	}
	for i := range v.kids {
		other := &o.kids[i].Value
		if v.kind == KindObject {
			other = o.Get(v.kids[i].Name)
		}
		if other == nil || !v.kids[i].Value.Equal(other) {
			return false
		}
	}
	return true
}

// AppendJSON appends v as compact JSON, numbers and strings rendered as clients
// see them (AppendFloat, AppendString).
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case KindNull:
		return append(dst, "null"...)
	case KindBool:
		if v.num != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case KindPositive:
		return appendUint(dst, v.num)
	case KindNegative:
		return appendInt(dst, int64(v.num))
	case KindFloat:
		return AppendFloat(dst, floatOfBits(v.num))
	case KindString:
		return AppendString(dst, v.str)
	case KindArray:
		dst = append(dst, '[')
		for i := range v.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.kids[i].Value.AppendJSON(dst)
		}
		return append(dst, ']')
	default:
		dst = append(dst, '{')
		for i := range v.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, v.kids[i].Name)
			dst = append(dst, ':')
			dst = v.kids[i].Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
}

// JSON returns v as compact JSON text.
func (v *Value) JSON() string { return string(v.AppendJSON(nil)) }

// MarshalJSON lets encoding/json encode types that contain a Value.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON parses data as Parse does.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}
