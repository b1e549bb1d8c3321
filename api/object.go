package api

import (
	"strconv"
	"time"
)

// object writes the members of one JSON object in the order of the calls. It is
// begun with the buffer to append to, and its end returns that buffer:
//
//	o := object{buf: dst}
//	o.text("uid", uid)
//	return o.end()
//
// A value that has no method of its own is appended to buf behind member or key.
type object struct {
	// buf is the text so far.
	buf   []byte
	begun bool
}

// member starts the member name, which needs no escapes; the caller appends its
// value to buf.
func (o *object) member(name string) {
	o.next()
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

// key is member for any name.
func (o *object) key(name string) {
	o.next()
	o.buf = append(AppendString(o.buf, name), ':')
}

func (o *object) next() {
	if o.begun {
		o.buf = append(o.buf, ',')
		return
	}
	o.buf = append(o.buf, '{')
	o.begun = true
}

// members takes over the members of a finished object that has no spaces.
func (o *object) members(finished []byte) {
	if len(finished) > 2 {
		o.next()
		o.buf = append(o.buf, finished[1:len(finished)-1]...)
	}
}

// value writes a member of any name by a function that appends its value.
func (o *object) value(name string, write func([]byte) []byte) {
	o.key(name)
	o.buf = write(o.buf)
}

// text writes a string.
func (o *object) text(name, value string) {
	o.member(name)
	o.buf = AppendString(o.buf, value)
}

// optionalText writes a string unless it is nil.
func (o *object) optionalText(name string, value *string) {
	if value != nil {
		o.text(name, *value)
	}
}

// nullableText writes a string, null for nil.
func (o *object) nullableText(name string, value *string) {
	if value == nil {
		o.null(name)
		return
	}
	o.text(name, *value)
}

// count writes an integer.
func (o *object) count(name string, value uint64) {
	o.member(name)
	o.buf = strconv.AppendUint(o.buf, value, 10)
}

// nullableCount writes an integer, null for nil.
func (o *object) nullableCount(name string, value *uint32) {
	if value == nil {
		o.null(name)
		return
	}
	o.count(name, uint64(*value))
}

// raw writes a value that is JSON already.
func (o *object) raw(name string, value []byte) {
	o.member(name)
	o.buf = append(o.buf, value...)
}

// rawOr is raw with the text to write instead of nil.
func (o *object) rawOr(name string, value []byte, absent string) {
	o.member(name)
	if value == nil {
		o.buf = append(o.buf, absent...)
		return
	}
	o.buf = append(o.buf, value...)
}

// null writes null.
func (o *object) null(name string) {
	o.member(name)
	o.buf = append(o.buf, "null"...)
}

// time writes a UnixNano as AppendTime does.
func (o *object) time(name string, nanos int64) {
	o.member(name)
	o.buf = AppendTime(o.buf, nanos)
}

// duration writes the time between two UnixNanos as ISODuration does, null unless
// both are known and in order.
func (o *object) duration(name string, started, finished int64) {
	if started == 0 || finished == 0 || finished < started {
		o.null(name)
		return
	}
	o.text(name, ISODuration(time.Duration(finished-started)))
}

// end closes the object and returns the buffer.
func (o *object) end() []byte {
	if !o.begun {
		o.buf = append(o.buf, '{')
	}
	return append(o.buf, '}')
}
