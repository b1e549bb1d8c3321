package value

import "math"

// wordBits is the number of bits of an integer.
const wordBits = 64

// Bits is a stretch of bits of an integer.
type Bits struct{ from, count int }

// bitIndex resolves the index of a bit; a negative one counts from the highest bit.
func bitIndex(i int64) (int, error) {
	at := i
	if at < 0 {
		at += wordBits
	}
	if at < 0 || at >= wordBits {
		return 0, outsideBits(i)
	}
	return int(at), nil
}

// outsideBits returns the error of an index beyond the bits. Its caller adds the place.
func outsideBits(i int64) error {
	return Failed("Bit-field index "+Itoa(i)+" out of bounds: only 64 bits in bit-field").WithKind("ErrorBitFieldBounds",
		Entry{Key: "length", Value: Int(wordBits)}, Entry{Key: "index", Value: Int(i)})
}

// Bit tells whether a bit is set.
func Bit(of, i int64) (bool, error) {
	at, err := bitIndex(i)
	return err == nil && of>>at&1 == 1, err
}

// WithBit returns the integer with one bit changed.
func WithBit(of, i int64, set bool) (int64, error) {
	at, err := bitIndex(i)
	switch {
	case err != nil:
		return of, err
	case set:
		return of | 1<<at, nil
	}
	return of &^ (1 << at), nil
}

// BitsFrom is the stretch of count bits from an index. It ends at the highest bit.
func BitsFrom(from, count int64) (Bits, error) {
	if count <= 0 {
		return Bits{}, nil
	}
	at, err := bitIndex(from)
	return Bits{at, int(min(count, int64(wordBits-at)))}, err
}

// BitsAt is the stretch of a range that indexes an integer: it must lie within it.
func BitsAt(s *Range) (Bits, error) {
	last := s.To
	if !s.Inclusive {
		last = max(s.To-1, s.From)
	}
	for _, i := range []int64{s.From, s.To, last} {
		if i < 0 || i > wordBits || i == wordBits && (i == last || i == s.From) {
			return Bits{}, outsideBits(i)
		}
	}
	return BitsIn(s)
}

// BitsIn is the stretch of a range. An inclusive range must end within the integer.
func BitsIn(s *Range) (Bits, error) {
	from := max(s.From, 0)
	if !s.Inclusive {
		return BitsFrom(from, max(s.To, from)-from)
	}
	to := max(s.To, from-1)
	if to >= wordBits {
		return Bits{}, outsideBits(to)
	}
	return BitsFrom(from, to-from+1)
}

func (b Bits) mask() int64 {
	if b.count == wordBits {
		return -1
	}
	return 1<<b.count - 1
}

// Of returns the stretch of an integer.
func (b Bits) Of(of int64) int64 { return of >> b.from & b.mask() }

// Set returns the integer with the stretch replaced.
func (b Bits) Set(of, bits int64) int64 {
	return of&^(b.mask()<<b.from) | bits&b.mask()<<b.from
}

// Each yields the bits of the stretch, the lowest first.
func (b Bits) Each(of int64) func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		for i := range b.count {
			if !yield(Bool(of>>(b.from+i)&1 == 1)) {
				return
			}
		}
	}
}

// Steps yields from, from+by and so on, as long as they lie before to. by must not be 0.
func Steps(from, to, by int64) func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
			if !yield(Int(i)) || by > 0 && i > math.MaxInt64-by || by < 0 && i < math.MinInt64-by {
				return
			}
		}
	}
}

// FloatSteps is Steps for floats.
func FloatSteps(from, to, by float64) func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		for f := from; by > 0 && f < to || by < 0 && f > to; f += by {
			if !yield(Float(f)) {
				return
			}
		}
	}
}
