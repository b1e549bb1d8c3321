package decode

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// String accepts a string.
func String(at *Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	if v.Kind() != jsonvalue.KindString {
		return "", at.WrongType(v, jsonvalue.KindString)
	}
	return v.String(), nil
}

// Bool accepts true and false.
func Bool(at *Loc, v *jsonvalue.Value) (bool, *apierr.Error) {
	if v.Kind() != jsonvalue.KindBool {
		return false, at.WrongType(v, jsonvalue.KindBool)
	}
	return v.Bool(), nil
}

// Uint accepts an integer of 0 .. 2^64-1.
func Uint(at *Loc, v *jsonvalue.Value) (uint64, *apierr.Error) {
	if v.Kind() != jsonvalue.KindPositive {
		return 0, at.WrongType(v, jsonvalue.KindPositive)
	}
	return v.Uint(), nil
}

// UintUpTo accepts an integer of 0 .. most.
func UintUpTo(most uint64) Decoder[uint64] {
	return Decoder[uint64](Uint).Then(func(at *Loc, n uint64) *apierr.Error {
		if n > most {
			return at.Invalid(tooLarge(strconv.FormatUint(n, 10), most))
		}
		return nil
	})
}

// NonZero accepts an integer of 1 .. 2^64-1.
func NonZero(at *Loc, v *jsonvalue.Value) (uint64, *apierr.Error) {
	n, err := Uint(at, v)
	if err == nil && n == 0 {
		return 0, at.Invalid("a non-zero integer value lower than `" + strconv.FormatUint(MaxUint, 10) + "` was expected, but found a zero")
	}
	return n, err
}

// Float accepts any number.
func Float(at *Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	switch v.Kind() {
	case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
		return v.Float(), nil
	}
	return 0, at.WrongType(v, jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat)
}

// Float32 accepts any number, rounded to single precision.
func Float32(at *Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, err := Float(at, v)
	return float32(f), err
}

// Any accepts every value, null included.
func Any(_ *Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) { return *v, nil }

// JSON keeps any value as compact JSON text, null too.
func JSON(_ *Loc, v *jsonvalue.Value) (json.RawMessage, *apierr.Error) { return v.AppendJSON(nil), nil }

// OneOf accepts one of the words.
func OneOf[T ~string](words ...T) Decoder[T] {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return func(at *Loc, v *jsonvalue.Value) (T, *apierr.Error) {
		if v.Kind() != jsonvalue.KindString {
			return "", at.WrongType(v, jsonvalue.KindString)
		}
		if !slices.Contains(names, v.String()) {
			return "", at.UnknownValue(v.String(), names)
		}
		return T(v.String()), nil
	}
}

// List accepts an array. The result is never nil.
func List[T any](dec Decoder[T]) Decoder[[]T] {
	return func(at *Loc, v *jsonvalue.Value) ([]T, *apierr.Error) {
		if v.Kind() != jsonvalue.KindArray {
			return nil, at.WrongType(v, jsonvalue.KindArray)
		}
		out := make([]T, 0, v.Len())
		for i := range v.Members() {
			loc := at.Element(i)
			t, err := dec(&loc, &v.Members()[i].Value)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		return out, nil
	}
}

// Strings accepts an array of strings. The result is never nil.
func Strings(at *Loc, v *jsonvalue.Value) ([]string, *apierr.Error) { return List(String)(at, v) }

// StringSet accepts an array of strings and returns them sorted bytewise, without
// duplicates. The result is never nil.
func StringSet(at *Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	list, err := Strings(at, v)
	if err != nil {
		return nil, err
	}
	sort.Strings(list)
	return slices.Compact(list), nil
}

// Entry is one member of a decoded map.
type Entry[T any] struct {
	Name  string
	Value T
}

// Map accepts an object of values that dec accepts. Entries keep the order of the body. The
// result is never nil.
func Map[T any](dec Decoder[T]) Decoder[[]Entry[T]] {
	return func(at *Loc, v *jsonvalue.Value) ([]Entry[T], *apierr.Error) {
		if v.Kind() != jsonvalue.KindObject {
			return nil, at.WrongType(v, jsonvalue.KindObject)
		}
		out := make([]Entry[T], 0, v.Len())
		for i := range v.Members() {
			m := &v.Members()[i]
			loc := at.Member(m.Name, apierr.Code{})
			t, err := dec(&loc, &m.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, Entry[T]{Name: m.Name, Value: t})
		}
		return out, nil
	}
}

// OrNull lets dec accept null too, as a nil pointer.
func OrNull[T any](dec Decoder[T]) Decoder[*T] {
	return func(at *Loc, v *jsonvalue.Value) (*T, *apierr.Error) {
		if v.IsNull() {
			return nil, nil
		}
		t, err := dec(at, v)
		if err != nil {
			return nil, err
		}
		return &t, nil
	}
}

// IndexUID accepts a valid index uid.
func IndexUID(at *Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	s, err := String(at, v)
	if err == nil && !apierr.ValidIndexUID(s) {
		return "", at.Invalid(apierr.InvalidIndexUIDText(s))
	}
	return s, err
}

func SortEntries[T any](list []Entry[T]) []Entry[T] {
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// EntriesOf lists a map, sorted by name.
func EntriesOf[T any](m map[string]T) []Entry[T] {
	list := make([]Entry[T], 0, len(m))
	for name, v := range m {
		list = append(list, Entry[T]{Name: name, Value: v})
	}
	return SortEntries(list)
}
