package record

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"

	"shoal/query/filter"
)

// The stored form of a value record:
//
//	flags(1)  bit 0: a geo point follows (lat, lng as little-endian f64)
//	          bit 1: the document has a _geojson shape
//	fields    uvarint, then per field in field id order:
//	          field id delta uvarint, field flags(1)
//	          numbers uvarint, each a big-endian orderly f64 (OrderedFloat)
//	          strings uvarint, each: form length, form, original length+1 (0 when
//	          the original equals the form), original
const (
	hasPoint = 1 << 0
	hasShape = 1 << 1
)

// Flags of a field in a value record (spec ranking 2).
const (
	Null   = 1 << 0 // the field itself is null
	Empty  = 1 << 1 // the field itself is [], {} or ""
	Exists = 1 << 2 // always set: the field is in the document
)

// Values is a parsed value record: the facet values of one document. It aliases the
// stored bytes. Safe for concurrent use.
type Values struct {
	point    Point
	hasPoint bool
	hasShape bool
	count    int
	rest     []byte
}

// Point is a location on the earth in degrees.
type Point struct{ Lat, Lng float64 }

// FieldValues are the facet values of one field of a document: numbers ascending and
// distinct, strings by facet form and distinct.
type FieldValues struct {
	Field    uint16
	Flags    uint8
	nNumbers int
	numbers  []byte
	nStrings int
	strings  []byte
}

// ParseValues parses a stored value record, which must not change while the result is
// used. No bytes are the record of a document without values.
func ParseValues(data []byte) (Values, error) {
	if len(data) == 0 {
		return Values{}, nil
	}
	var v Values
	if data[0]&^(hasPoint|hasShape) != 0 {
		return Values{}, ErrCorrupt
	}
	v.hasPoint, v.hasShape, data = data[0]&hasPoint != 0, data[0]&hasShape != 0, data[1:]
	if v.hasPoint {
		if len(data) < 16 {
			return Values{}, ErrCorrupt
		}
		v.point.Lat = math.Float64frombits(binary.LittleEndian.Uint64(data))
		v.point.Lng = math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))
		data = data[16:]
	}
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return Values{}, ErrCorrupt
	}
	v.count, v.rest = int(count), data[n:]
	return v, nil
}

// Point returns the document's geo point. ok is false if it has none.
func (v Values) Point() (p Point, ok bool) { return v.point, v.hasPoint }

// HasShape reports whether the document has a _geojson shape.
func (v Values) HasShape() bool { return v.hasShape }

// Fields iterates over the fields of the record by field id.
func (v Values) Fields() iter.Seq[FieldValues] {
	return func(yield func(FieldValues) bool) {
		data, fid := v.rest, uint64(0)
		for range v.count {
			f, rest, ok := readField(data, &fid)
			if !ok || !yield(f) {
				return
			}
			data = rest
		}
	}
}

// Field returns the values of one field. ok is false if the document lacks the field.
func (v Values) Field(fid uint16) (f FieldValues, ok bool) {
	for f := range v.Fields() {
		if f.Field >= fid {
			return f, f.Field == fid
		}
	}
	return FieldValues{}, false
}

func readField(data []byte, fid *uint64) (f FieldValues, rest []byte, ok bool) {
	d, n := binary.Uvarint(data)
	if n <= 0 || len(data) <= n {
		return f, nil, false
	}
	*fid += d
	f.Field, f.Flags, data = uint16(*fid), data[n], data[n+1:]
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)-n)/8 {
		return f, nil, false
	}
	f.nNumbers, data = int(count), data[n:]
	f.numbers, data = data[:8*count], data[8*count:]
	count, n = binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return f, nil, false
	}
	f.nStrings, data = int(count), data[n:]
	start := data
	for range f.nStrings {
		if _, _, data, ok = readString(data); !ok {
			return f, nil, false
		}
	}
	f.strings = start[:len(start)-len(data)]
	return f, data, true
}

func readString(data []byte) (form, original, rest []byte, ok bool) {
	l, n := binary.Uvarint(data)
	if n <= 0 || l > uint64(len(data)-n) {
		return nil, nil, nil, false
	}
	form, data = data[n:n+int(l)], data[n+int(l):]
	l, n = binary.Uvarint(data)
	if n <= 0 || l > uint64(len(data)-n)+1 {
		return nil, nil, nil, false
	}
	data = data[n:]
	if l == 0 {
		return form, form, data, true
	}
	return form, data[:l-1], data[l-1:], true
}

// Numbers iterates over the field's numbers, ascending.
func (f FieldValues) Numbers() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for i := range f.nNumbers {
			if !yield(f.Number(i)) {
				return
			}
		}
	}
}

// NumberCount returns the number of distinct numbers.
func (f FieldValues) NumberCount() int { return f.nNumbers }

// Number returns the i-th number in ascending order.
func (f FieldValues) Number(i int) float64 {
	return FloatOf(binary.BigEndian.Uint64(f.numbers[8*i:]))
}

// StringCount returns the number of distinct strings.
func (f FieldValues) StringCount() int { return f.nStrings }

// Strings iterates over the field's strings by facet form: the form and the spelling in
// the document. Both alias the record.
func (f FieldValues) Strings() iter.Seq2[[]byte, []byte] {
	return func(yield func(form, original []byte) bool) {
		data := f.strings
		for range f.nStrings {
			form, original, rest, ok := readString(data)
			if !ok || !yield(form, original) {
				return
			}
			data = rest
		}
	}
}

// OrderedFloat maps a number to bits whose unsigned order is the order of numbers. -0
// is 0.
func OrderedFloat(x float64) uint64 {
	if x == 0 {
		x = 0
	}
	b := math.Float64bits(x)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// FloatOf is the inverse of OrderedFloat.
func FloatOf(bits uint64) float64 {
	if bits>>63 != 0 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}

// ValueWriter collects the facet values of one document and writes its value record.
// Reuse it for the next document. For one goroutine.
type ValueWriter struct {
	fields   []writerField
	used     int
	point    Point
	hasPoint bool
	hasShape bool
}

type writerField struct {
	fid     uint16
	flags   uint8
	numbers []uint64
	strings []formString
}

type formString struct{ form, original string }

func (w *ValueWriter) field(fid uint16) *writerField {
	for i := range w.fields[:w.used] {
		if w.fields[i].fid == fid {
			return &w.fields[i]
		}
	}
	if w.used == len(w.fields) {
		w.fields = append(w.fields, writerField{})
	}
	f := &w.fields[w.used]
	w.used++
	f.fid, f.flags, f.numbers, f.strings = fid, Exists, f.numbers[:0], f.strings[:0]
	return f
}

// Mark records that the field is in the document, with flags (Null, Empty or none).
func (w *ValueWriter) Mark(fid uint16, flags uint8) { w.field(fid).flags |= flags }

// Number adds a number as a facet number and marks the field as existing.
func (w *ValueWriter) Number(fid uint16, x float64) {
	f := w.field(fid)
	f.numbers = append(f.numbers, OrderedFloat(filter.FacetNumber(x)))
}

// String adds a string by its facet form with its spelling and marks the field as
// existing. The last of several spellings of one form wins. The strings are retained
// until Finish.
func (w *ValueWriter) String(fid uint16, form, original string) {
	f := w.field(fid)
	f.strings = append(f.strings, formString{form, original})
}

// Point sets the document's geo point.
func (w *ValueWriter) Point(p Point) { w.point, w.hasPoint = p, true }

// Shape marks that the document has a _geojson shape.
func (w *ValueWriter) Shape() { w.hasShape = true }

// Finish appends the record to dst and resets the writer for the next document. A
// document without values has an empty record.
func (w *ValueWriter) Finish(dst []byte) []byte {
	if w.used == 0 && !w.hasPoint && !w.hasShape {
		return dst
	}
	flags := byte(0)
	if w.hasShape {
		flags = hasShape
	}
	if w.hasPoint {
		dst = append(dst, flags|hasPoint)
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(w.point.Lat))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(w.point.Lng))
	} else {
		dst = append(dst, flags)
	}
	fields := w.fields[:w.used]
	slices.SortFunc(fields, func(a, b writerField) int { return int(a.fid) - int(b.fid) })
	dst = binary.AppendUvarint(dst, uint64(len(fields)))
	last := uint16(0)
	for i := range fields {
		f := &fields[i]
		dst = binary.AppendUvarint(dst, uint64(f.fid-last))
		dst = append(dst, f.flags)
		dst = f.appendTo(dst)
		last = f.fid
	}
	w.used, w.hasPoint, w.hasShape = 0, false, false
	return dst
}

func (f *writerField) appendTo(dst []byte) []byte {
	slices.Sort(f.numbers)
	f.numbers = slices.Compact(f.numbers)
	dst = binary.AppendUvarint(dst, uint64(len(f.numbers)))
	for _, x := range f.numbers {
		dst = binary.BigEndian.AppendUint64(dst, x)
	}
	slices.SortStableFunc(f.strings, func(a, b formString) int { return strings.Compare(a.form, b.form) })
	kept := f.strings[:0]
	for i, s := range f.strings {
		if i+1 < len(f.strings) && f.strings[i+1].form == s.form {
			continue // a later spelling wins
		}
		kept = append(kept, s)
	}
	dst = binary.AppendUvarint(dst, uint64(len(kept)))
	for _, s := range kept {
		dst = binary.AppendUvarint(dst, uint64(len(s.form)))
		dst = append(dst, s.form...)
		if s.form == s.original {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(s.original))+1)
		dst = append(dst, s.original...)
	}
	clear(f.strings)
	return dst
}
