package codec

import "encoding/binary"

// shortName is the encoded name of a member, code and text, with the first byte lowest. Nearly
// all names are short and can be compared and written without a call. longName stands for names
// that do not fit.
type shortName uint64

const (
	shortest = fixStr     // the code of an empty name
	longest  = fixStr + 7 // the code of the longest short name
	longName = shortName(0)
)

func newShortName(name string) shortName {
	if len(name) > longest-fixStr {
		return longName
	}
	var b [8]byte
	copy(b[:], appendString(b[:0], name))
	return shortName(binary.LittleEndian.Uint64(b[:]))
}

// tag returns the first two letters, which are mostly the whole name. The tags of a struct lie
// close together in memory.
func (n shortName) tag() uint16 { return uint16(n >> 8) }

// append writes the name.
func (n shortName) append(b []byte) []byte {
	size := int(n&0xff) - fixStr + 1
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	return b[:len(b)-8+size]
}

// shortName reads the name of a member if it is short; otherwise it returns longName.
func (r *reader) shortName() shortName {
	b := r.data[r.at:]
	if len(b) < 8 {
		return r.lastName()
	}
	n := binary.LittleEndian.Uint64(b)
	code := byte(n)
	if code < shortest || code > longest {
		return longName
	}
	size := uint(code - fixStr + 1)
	r.at += int(size)
	return shortName(n << (64 - 8*size) >> (64 - 8*size))
}

// lastName is shortName near the end of the message.
func (r *reader) lastName() shortName {
	b := r.data[r.at:]
	if len(b) == 0 || b[0] < shortest || b[0] > longest || len(b) < int(b[0]-fixStr)+1 {
		return longName
	}
	var full [8]byte
	r.at += copy(full[:], b[:b[0]-fixStr+1])
	return shortName(binary.LittleEndian.Uint64(full[:]))
}

// text returns the name without its code.
func (n shortName) text() string {
	b := n.append(nil)
	return string(b[1:])
}
