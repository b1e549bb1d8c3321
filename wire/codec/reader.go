package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxDepth bounds the nesting of values.
const maxDepth = 1000

// reader holds bytes being decoded.
type reader struct {
	data   []byte
	at     int  // bytes of data already read
	known  bool // refuse members that the type lacks
	depth  int
	budget uintptr // what may still be allocated, in bytes
	memory
}

// Decoded values can take more memory than the message: an element of a list needs one byte
// there, and here as many bytes as its type has. leastBudget and budgetPerByte bound that. The
// empty elements of a list of lists or texts take 24 bytes each; lists of larger empty values
// are short in our messages.
const (
	leastBudget   = 16 << 20
	budgetPerByte = 32
)

// spend takes memory for n values of a size from the budget.
func (r *reader) spend(n int, size uintptr) error {
	if size != 0 && uintptr(n) > r.budget/size {
		return fmt.Errorf("%w: its content needs too much memory for its size", ErrMalformed)
	}
	r.budget -= uintptr(n) * size
	return nil
}

func malformed(code byte, want string) error {
	return fmt.Errorf("%w: code %#x instead of %s", ErrMalformed, code, want)
}

func endsEarly() error { return fmt.Errorf("%w: truncated", ErrMalformed) }

// into enters a nested value, out leaves it.
func (r *reader) into() error {
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("%w: values are nested more than %d deep", ErrMalformed, maxDepth)
	}
	return nil
}

func (r *reader) out() { r.depth-- }

// left returns the number of unread bytes.
func (r *reader) left() int { return len(r.data) - r.at }

// take returns the next n bytes, which alias the message.
func (r *reader) take(n int) ([]byte, error) {
	if n > r.left() {
		return nil, endsEarly()
	}
	b := r.data[r.at : r.at+n]
	r.at += n
	return b, nil
}

func (r *reader) code() (byte, error) {
	if r.at >= len(r.data) {
		return 0, endsEarly()
	}
	c := r.data[r.at]
	r.at++
	return c, nil
}

// null reads a nil if it is next.
func (r *reader) null() bool {
	if r.at < len(r.data) && r.data[r.at] == codeNil {
		r.at++
		return true
	}
	return false
}

// number reads n bytes (1, 2, 4 or 8) as a big-endian number.
func (r *reader) number(n int) (uint64, error) {
	b, err := r.take(n)
	if err != nil {
		return 0, err
	}
	switch n {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(binary.BigEndian.Uint16(b)), nil
	case 4:
		return uint64(binary.BigEndian.Uint32(b)), nil
	}
	return binary.BigEndian.Uint64(b), nil
}

// small reads an integer below 128 if it is next.
func (r *reader) small() (c byte, ok bool) {
	if r.at >= len(r.data) || r.data[r.at] >= fixMap {
		return 0, false
	}
	c = r.data[r.at]
	r.at++
	return c, true
}

// int reads an integer of any size. One above MaxInt64 is returned as the negative number with
// the same bits, which an unsigned member needs.
func (r *reader) int() (int64, error) {
	c, err := r.code()
	if err != nil {
		return 0, err
	}
	return r.intAfter(c)
}

func (r *reader) intAfter(c byte) (int64, error) {
	if c < fixMap || c >= fixNeg {
		return int64(int8(c)), nil
	}
	switch c {
	case codeNil:
		return 0, nil
	case codeUint8, codeUint16, codeUint32, codeUint64:
		n, err := r.number(1 << (c - codeUint8))
		return int64(n), err
	case codeInt8:
		n, err := r.number(1)
		return int64(int8(n)), err
	case codeInt16:
		n, err := r.number(2)
		return int64(int16(n)), err
	case codeInt32:
		n, err := r.number(4)
		return int64(int32(n)), err
	case codeInt64:
		n, err := r.number(8)
		return int64(n), err
	}
	return 0, malformed(c, "a number")
}

func (r *reader) float32() (float32, error) {
	c, err := r.code()
	if err != nil {
		return 0, err
	}
	if c == codeFloat32 {
		n, err := r.number(4)
		return math.Float32frombits(uint32(n)), err
	}
	n, err := r.intAfter(c)
	return float32(n), err
}

func (r *reader) float64() (float64, error) {
	c, err := r.code()
	if err != nil {
		return 0, err
	}
	switch c {
	case codeFloat32:
		n, err := r.number(4)
		return float64(math.Float32frombits(uint32(n))), err
	case codeFloat64:
		n, err := r.number(8)
		return math.Float64frombits(n), err
	}
	n, err := r.intAfter(c)
	return float64(n), err
}

func (r *reader) bool() (bool, error) {
	c, err := r.code()
	if err != nil {
		return false, err
	}
	switch c {
	case codeTrue:
		return true, nil
	case codeFalse, codeNil:
		return false, nil
	}
	return false, malformed(c, "true or false")
}

// bytes reads a text or bytes, which alias the message; nil for a nil.
func (r *reader) bytes() ([]byte, error) {
	c, err := r.code()
	if err != nil {
		return nil, err
	}
	if c >= fixStr && c < codeNil {
		return r.take(int(c - fixStr))
	}
	size := 0
	switch c {
	case codeNil:
		return nil, nil
	case codeStr8, codeBin8:
		size = 1
	case codeStr16, codeBin16:
		size = 2
	case codeStr32, codeBin32:
		size = 4
	default:
		return nil, malformed(c, "text or bytes")
	}
	n, err := r.number(size)
	if err != nil {
		return nil, err
	}
	return r.take(int(n))
}

// list reads the size of an array; none means a nil. Each element takes at least one byte.
func (r *reader) list() (n int, none bool, err error) {
	return r.size(fixArray, codeArray16, "a list")
}

// fields reads the size of a map; none means a nil.
func (r *reader) fields() (n int, none bool, err error) {
	return r.size(fixMap, codeMap16, "a map")
}

// size reads a size: in the code, or in two or four bytes after it.
func (r *reader) size(fix, code16 byte, want string) (n int, none bool, err error) {
	c, err := r.code()
	if err != nil {
		return 0, false, err
	}
	var size uint64
	switch {
	case c == codeNil:
		return 0, true, nil
	case c&0xf0 == fix:
		size = uint64(c & 0x0f)
	case c == code16:
		size, err = r.number(2)
	case c == code16+1:
		size, err = r.number(4)
	default:
		return 0, false, malformed(c, want)
	}
	if err == nil && size > uint64(r.left()) {
		err = endsEarly()
	}
	return int(size), false, err
}

// skip skips one value.
func (r *reader) skip() error {
	if r.left() == 0 {
		return endsEarly()
	}
	n, err := 0, error(nil)
	switch c := r.data[r.at]; {
	case c < fixMap, c >= fixNeg, c == codeNil, c == codeTrue, c == codeFalse:
		r.at++
		return nil
	case c < fixArray, c == codeMap16, c == codeMap32:
		n, _, err = r.fields()
		n *= 2
	case c < fixStr, c == codeArray16, c == codeArray32:
		n, _, err = r.list()
	case c < codeNil, c >= codeBin8 && c <= codeBin32, c >= codeStr8 && c <= codeStr32:
		_, err = r.bytes()
	case c == codeFloat32, c == codeFloat64:
		_, err = r.float64()
	case c >= codeExt8 && c <= codeExt32:
		r.at++
		size, serr := r.number(1 << (c - codeExt8))
		if serr != nil {
			return serr
		}
		_, err = r.take(int(size) + 1)
	case c >= codeFixExt1 && c <= codeFixExt5:
		_, err = r.take(2 + 1<<(c-codeFixExt1))
	default:
		_, err = r.int()
	}
	if err != nil || n == 0 {
		return err
	}
	if err := r.into(); err != nil {
		return err
	}
	defer r.out()
	for range n {
		if err := r.skip(); err != nil {
			return err
		}
	}
	return nil
}
