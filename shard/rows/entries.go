package rows

import (
	"encoding/binary"
	"errors"
)

const (
	// PageShift makes pages of 2^12 rows.
	PageShift = 12
	// PageRows is the number of rows of a page.
	PageRows = 1 << PageShift
	// None is the ordinal of a row without document. No document has it.
	None = ^uint32(0)
)

// ErrDamaged: stored entries are invalid.
var ErrDamaged = errors.New("rows: damaged entries")

// Entry is the ordinal of one row of a page, or None after the document was deleted.
type Entry struct {
	Low     uint16 // the row within its page
	Ordinal uint32
}

// AppendEntries appends the stored form of entries, whose rows ascend:
//
//	number of entries (uvarint), then for each the distance of its row from the row after
//	the previous one (uvarint), and the difference of its ordinal plus one from that of
//	the previous entry (varint)
func AppendEntries(dst []byte, entries []Entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	next, last := uint16(0), int64(0)
	for _, e := range entries {
		value := int64(e.Ordinal + 1) // None becomes 0
		dst = binary.AppendUvarint(dst, uint64(e.Low-next))
		dst = binary.AppendVarint(dst, value-last)
		next, last = e.Low+1, value
	}
	return dst
}

// DecodeEntries appends the entries in stored form to dst and returns it.
func DecodeEntries(dst []Entry, raw []byte) ([]Entry, error) {
	n, w := binary.Uvarint(raw)
	if w <= 0 || n > PageRows {
		return dst, ErrDamaged
	}
	raw = raw[w:]
	next, last := uint64(0), int64(0)
	for range n {
		gap, w := binary.Uvarint(raw)
		if w <= 0 || gap >= PageRows-next {
			return dst, ErrDamaged
		}
		raw = raw[w:]
		change, w := binary.Varint(raw)
		if w <= 0 {
			return dst, ErrDamaged
		}
		raw = raw[w:]
		if last += change; last < 0 || last > int64(None) {
			return dst, ErrDamaged
		}
		dst = append(dst, Entry{Low: uint16(next + gap), Ordinal: uint32(last) - 1})
		next += gap + 1
	}
	if len(raw) != 0 {
		return dst, ErrDamaged
	}
	return dst, nil
}

// Over returns the entries of a page after older ones were followed by newer ones. Rows
// ascend in both and in the result.
func Over(newer, older []Entry) []Entry {
	out := make([]Entry, 0, max(len(newer), len(older)))
	i := 0
	for _, e := range newer {
		for ; i < len(older) && older[i].Low < e.Low; i++ {
			out = append(out, older[i])
		}
		if i < len(older) && older[i].Low == e.Low {
			i++
		}
		out = append(out, e)
	}
	return append(out, older[i:]...)
}
