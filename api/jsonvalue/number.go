package jsonvalue

import (
	"math"
	"strconv"
)

func floatOfBits(b uint64) float64 { return math.Float64frombits(b) }

func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendNumber appends the JSON number literal raw as clients see it: integers that fit 64
// bits exactly, all other numbers as doubles. If raw is not a number or is beyond the range
// of doubles, ok is false and nothing is appended.
func AppendNumber(dst []byte, raw []byte) (_ []byte, ok bool) {
	v, ok := ParseNumber(raw)
	if !ok {
		return dst, false
	}
	return v.AppendJSON(dst), true
}

// ParseNumber parses a number literal with nothing around it. ok is false if raw is
// something else or beyond the range of doubles.
func ParseNumber(raw []byte) (v Value, ok bool) {
	if len(raw) == 0 || (raw[0] != '-' && !isDigit(raw[0])) {
		return Value{}, false
	}
	p := jsonParser{data: raw}
	v, err := p.number()
	return v, err == nil && p.pos == len(raw)
}
