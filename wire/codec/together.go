package codec

import "unsafe"

const (
	// shortText is how long texts are that share memory with others.
	shortText = 64
	// chunk is how much memory short texts share.
	chunk = 256
)

// memory is where texts and bytes of a message are copied to.
type memory struct {
	together bool
	texts    []byte // what is left of a chunk
	// rest is a copy of the message from a place on, nil until it is needed.
	rest   []byte
	restAt int
}

// text takes a text, as one of its own.
func (r *reader) text() (string, error) {
	b, err := r.bytes()
	if !r.together || len(b) == 0 || len(b) > shortText {
		return string(b), err
	}
	b = r.short(b)
	return unsafe.String(unsafe.SliceData(b), len(b)), err
}

// own returns a copy of the bytes that were just taken, nil for nil.
func (r *reader) own(b []byte) []byte {
	switch {
	case b == nil:
		return nil
	case !r.together || len(b) == 0:
		return append([]byte{}, b...)
	case len(b) <= shortText:
		return r.short(b)
	}
	if r.rest == nil { // more will be wanted of what follows
		r.restAt = r.at - len(b)
		r.rest = append([]byte(nil), r.data[r.restAt:]...)
	}
	to := r.at - r.restAt
	return r.rest[to-len(b) : to : to]
}

// short copies a few bytes behind the last ones.
func (r *reader) short(b []byte) []byte {
	if len(b) > len(r.texts) {
		r.texts = make([]byte, min(chunk, len(b)+r.left()))
	}
	out := r.texts[:len(b):len(b)]
	r.texts = r.texts[len(b):]
	copy(out, b)
	return out
}
