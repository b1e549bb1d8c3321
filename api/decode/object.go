package decode

import (
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Decoder turns the JSON value at a place into a T, or fails with the exact text. It keeps
// no reference to its arguments, but the result may share the value.
type Decoder[T any] func(at *Loc, v *jsonvalue.Value) (T, *apierr.Error)

// Row is one member of an object that is decoded into an S.
type Row[S any] struct {
	name      string
	code      apierr.Code // of errors at or below the member; none means inherited
	missing   apierr.Code
	required  bool
	immutable bool
	unlisted  bool
	set       func(s *S, at *Loc, v *jsonvalue.Value) *apierr.Error
	write     func(o *jsonvalue.ObjectWriter, s *S) // of Patched rows
}

// Plain is a member stored where slot points. null goes to the decoder like any value (most
// refuse it). An absent member leaves the slot unchanged.
func Plain[S, T any](name string, code apierr.Code, dec Decoder[T], slot func(*S) *T) Row[S] {
	return Row[S]{name: name, code: code, set: func(s *S, at *Loc, v *jsonvalue.Value) *apierr.Error {
		t, err := dec(at, v)
		if err == nil {
			*slot(s) = t
		}
		return err
	}}
}

// Optional is a member for which null means absent: nil.
func Optional[S, T any](name string, code apierr.Code, dec Decoder[T], slot func(*S) **T) Row[S] {
	return Plain(name, code, OrNull(dec), slot)
}

// Nullable is a member for which null leaves the slot unchanged. It is for slices and maps
// whose nil means absent.
func Nullable[S, T any](name string, code apierr.Code, dec Decoder[T], slot func(*S) *T) Row[S] {
	given := Plain(name, code, dec, slot).set
	return Custom(name, code, func(s *S, at *Loc, v *jsonvalue.Value) *apierr.Error {
		if v.IsNull() {
			return nil
		}
		return given(s, at, v)
	})
}

// Tristate is a member that distinguishes absence, null and a value.
func Tristate[S, T any](name string, code apierr.Code, dec Decoder[T], slot func(*S) *Field[T]) Row[S] {
	return Plain(name, code, func(at *Loc, v *jsonvalue.Value) (Field[T], *apierr.Error) {
		if v.IsNull() {
			return Null[T](), nil
		}
		t, err := dec(at, v)
		return Set(t), err
	}, slot)
}

// Patched is Tristate for a patch, whose given members Object.Write writes with write.
func Patched[S, T any](name string, code apierr.Code, dec Decoder[T], write func(dst []byte, v T, masked bool) []byte, slot func(*S) *Field[T]) Row[S] {
	r := Tristate(name, code, dec, slot)
	r.write = func(o *jsonvalue.ObjectWriter, s *S) {
		switch f := slot(s); {
		case !f.Given():
		case f.IsNull():
			o.Null(name)
		default:
			o.Member(name)
			o.Buf = write(o.Buf, f.Value, false)
		}
	}
	return r
}

// Custom is a member that set handles, null included.
func Custom[S any](name string, code apierr.Code, set func(s *S, at *Loc, v *jsonvalue.Value) *apierr.Error) Row[S] {
	return Row[S]{name: name, code: code, set: set}
}

// Immutable is a member that appears in answers but must not be sent.
func Immutable[S any](name string, code apierr.Code) Row[S] {
	return Row[S]{name: name, code: code, immutable: true}
}

// Within is the row of a T as one of an S that contains the T where of points.
func Within[S, T any](r Row[T], of func(*S) *T) Row[S] {
	return Row[S]{name: r.name, code: r.code, missing: r.missing, required: r.required, immutable: r.immutable, unlisted: r.unlisted,
		set: func(s *S, at *Loc, v *jsonvalue.Value) *apierr.Error { return r.set(of(s), at, v) }}
}

// Name is the name of the member.
func (r Row[S]) Name() string { return r.name }

// Required makes the member mandatory. missing is the code for its absence (none means the
// code of the object).
func (r Row[S]) Required(missing apierr.Code) Row[S] {
	r.required, r.missing = true, missing
	return r
}

// Unlisted leaves the member out of the lists in messages, so that clients of API 1.50,
// which lacks the member, get the messages of 1.50. It is read and described like any
// other.
func (r Row[S]) Unlisted() Row[S] {
	r.unlisted = true
	return r
}

// Object is the table of an object's members, in the order in which messages
// list them. It is immutable and safe for concurrent use.
type Object[S any] struct {
	rows     []Row[S]
	accepted []string
}

// NewObject makes the table.
func NewObject[S any](rows ...Row[S]) *Object[S] {
	o := &Object[S]{rows: rows}
	for i := range rows {
		if !rows[i].immutable && !rows[i].unlisted {
			o.accepted = append(o.accepted, rows[i].name)
		}
	}
	return o
}

// Names lists the accepted members in order, without unlisted ones. The slice is shared.
func (o *Object[S]) Names() []string { return o.accepted }

// Decode reads the object v into s. It takes members in the order of the body and stops at
// the first failure. It reports missing members only if all others are valid, in the order
// of the table (spec write-api 2.4).
func (o *Object[S]) Decode(at *Loc, v *jsonvalue.Value, s *S) *apierr.Error {
	if v.Kind() != jsonvalue.KindObject {
		return at.WrongType(v, jsonvalue.KindObject)
	}
	members := v.Members()
	for i := range members {
		m := &members[i]
		row := o.row(m.Name)
		if row == nil {
			return at.UnknownField(m.Name, o.accepted)
		}
		if row.immutable {
			return at.ImmutableField(m.Name, row.code, o.accepted)
		}
		loc := at.Member(m.Name, row.code)
		if err := row.set(s, &loc, &m.Value); err != nil {
			return err
		}
	}
	for i := range o.rows {
		if r := &o.rows[i]; r.required && v.Get(r.name) == nil {
			return at.MissingField(r.name, r.missing)
		}
	}
	return nil
}

func (o *Object[S]) row(name string) *Row[S] {
	for i := range o.rows {
		if o.rows[i].name == name {
			return &o.rows[i]
		}
	}
	return nil
}

// Write appends the object s with the members that were given, in the order of the table. All
// rows must be Patched.
func (o *Object[S]) Write(dst []byte, s S, _ bool) []byte {
	w := jsonvalue.ObjectWriter{Buf: dst}
	for i := range o.rows {
		o.rows[i].write(&w, &s)
	}
	return w.End()
}

// Read is a Decoder whose value is the zero value but for the members in the body.
func (o *Object[S]) Read(at *Loc, v *jsonvalue.Value) (s S, err *apierr.Error) {
	err = o.Decode(at, v, &s)
	return s, err
}

// As makes the table a Decoder. fresh returns the value with its defaults.
func (o *Object[S]) As(fresh func() S) Decoder[S] {
	return func(at *Loc, v *jsonvalue.Value) (S, *apierr.Error) {
		s := fresh()
		err := o.Decode(at, v, &s)
		return s, err
	}
}

// Then adds a check of the decoded value.
func (d Decoder[T]) Then(check func(at *Loc, t T) *apierr.Error) Decoder[T] {
	return func(at *Loc, v *jsonvalue.Value) (T, *apierr.Error) {
		t, err := d(at, v)
		if err != nil {
			return t, err
		}
		return t, check(at, t)
	}
}
