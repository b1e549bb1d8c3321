package jsonvalue

import (
	"strconv"
	"time"
)

// ObjectWriter writes the members of one JSON object in the order of the calls. It starts
// with the buffer to append to, and End returns that buffer:
//
//	o := jsonvalue.ObjectWriter{Buf: dst}
//	o.Text("uid", uid)
//	return o.End()
//
// For a value without a method of its own, call Member or Key and append the value to Buf.
type ObjectWriter struct {
	// Buf is the text so far.
	Buf   []byte
	begun bool
}

// Continued continues an object whose text ends after a member.
func Continued(text []byte) ObjectWriter { return ObjectWriter{Buf: text, begun: true} }

// Member starts a member whose name needs no escapes. The caller appends its value to Buf.
func (o *ObjectWriter) Member(name string) {
	o.next()
	o.Buf = append(o.Buf, '"')
	o.Buf = append(o.Buf, name...)
	o.Buf = append(o.Buf, '"', ':')
}

// Key is Member for any name.
func (o *ObjectWriter) Key(name string) {
	o.next()
	o.Buf = append(AppendString(o.Buf, name), ':')
}

func (o *ObjectWriter) next() {
	if o.begun {
		o.Buf = append(o.Buf, ',')
		return
	}
	o.Buf = append(o.Buf, '{')
	o.begun = true
}

// Adopt adds the members of a finished object that has no white space.
func (o *ObjectWriter) Adopt(finished []byte) {
	if len(finished) > 2 {
		o.next()
		o.Buf = append(o.Buf, finished[1:len(finished)-1]...)
	}
}

// Value writes a member of any name. write appends its value.
func (o *ObjectWriter) Value(name string, write func([]byte) []byte) {
	o.Key(name)
	o.Buf = write(o.Buf)
}

// Text writes a string.
func (o *ObjectWriter) Text(name, value string) {
	o.Member(name)
	o.Buf = AppendString(o.Buf, value)
}

// OptionalText writes a string unless it is nil.
func (o *ObjectWriter) OptionalText(name string, value *string) {
	if value != nil {
		o.Text(name, *value)
	}
}

// NullableText writes a string, null for nil.
func (o *ObjectWriter) NullableText(name string, value *string) {
	if value == nil {
		o.Null(name)
		return
	}
	o.Text(name, *value)
}

// Count writes an integer.
func (o *ObjectWriter) Count(name string, value uint64) {
	o.Member(name)
	o.Buf = strconv.AppendUint(o.Buf, value, 10)
}

// NullableCount writes an integer, null for nil.
func (o *ObjectWriter) NullableCount(name string, value *uint32) {
	if value == nil {
		o.Null(name)
		return
	}
	o.Count(name, uint64(*value))
}

// Raw writes a value that is JSON already.
func (o *ObjectWriter) Raw(name string, value []byte) {
	o.Member(name)
	o.Buf = append(o.Buf, value...)
}

// RawOr is Raw; absent is the text for a nil value.
func (o *ObjectWriter) RawOr(name string, value []byte, absent string) {
	o.Member(name)
	if value == nil {
		o.Buf = append(o.Buf, absent...)
		return
	}
	o.Buf = append(o.Buf, value...)
}

// Null writes null.
func (o *ObjectWriter) Null(name string) {
	o.Member(name)
	o.Buf = append(o.Buf, "null"...)
}

// Time writes a UnixNano in the form of AppendTime.
func (o *ObjectWriter) Time(name string, nanos int64) {
	o.Member(name)
	o.Buf = AppendTime(o.Buf, nanos)
}

// Duration writes the time between two UnixNanos in the form of ISODuration, or null unless
// both are known and in order.
func (o *ObjectWriter) Duration(name string, started, finished int64) {
	if started == 0 || finished == 0 || finished < started {
		o.Null(name)
		return
	}
	o.Text(name, ISODuration(time.Duration(finished-started)))
}

// End closes the object and returns the buffer.
func (o *ObjectWriter) End() []byte {
	if !o.begun {
		o.Buf = append(o.Buf, '{')
	}
	return append(o.Buf, '}')
}
