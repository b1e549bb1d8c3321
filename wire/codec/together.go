package codec

import "unsafe"

const (
	// shortText is the length up to which texts share memory with others.
	shortText = 64
	// chunk is the memory that short texts share, in bytes.
	chunk = 256
)

// memory determines where texts and bytes of a message are copied to.
type memory struct {
	together bool
	texts    []byte // the rest of a chunk
	// rest is a copy of the message from restAt on, nil until it is needed.
	rest   []byte
	restAt int
}

// text reads a text and copies it.
func (r *reader) text() (string, error) {
	b, err := r.bytes()
	if !r.together || len(b) == 0 || len(b) > shortText {
		return string(b), err
	}
	b = r.short(b)
	return unsafe.String(unsafe.SliceData(b), len(b)), err
}

// own returns a copy of the bytes just read, nil for nil.
func (r *reader) own(b []byte) []byte {
	switch {
	case b == nil:
		return nil
	case !r.together || len(b) == 0:
		return append([]byte{}, b...)
	case len(b) <= shortText:
		return r.short(b)
	}
	if r.rest == nil { // later values will need the rest
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
