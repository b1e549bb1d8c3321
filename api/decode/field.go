package decode

// Field is one optional member of a body. It distinguishes an absent member, null and a
// value. The zero Field is absent.
type Field[T any] struct {
	// Value is meaningful only if IsSet.
	Value T
	state fieldState
}

type fieldState uint8

const (
	fieldAbsent fieldState = iota
	fieldNull
	fieldSet
)

// Set returns a Field that holds v.
func Set[T any](v T) Field[T] { return Field[T]{Value: v, state: fieldSet} }

// Null returns a Field that was given as null.
func Null[T any]() Field[T] { return Field[T]{state: fieldNull} }

// Given tells whether the member appeared, as null or with a value.
func (f Field[T]) Given() bool { return f.state != fieldAbsent }

// IsNull tells whether the member was given as null.
func (f Field[T]) IsNull() bool { return f.state == fieldNull }

// IsSet tells whether the member was given a value.
func (f Field[T]) IsSet() bool { return f.state == fieldSet }

// Or returns the value, or other if there is none.
func (f Field[T]) Or(other T) T {
	if f.state == fieldSet {
		return f.Value
	}
	return other
}
