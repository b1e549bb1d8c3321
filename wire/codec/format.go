package codec

import (
	"encoding/binary"
	"math"
)

// Codes of MessagePack: the first byte of a value.
const (
	fixMap   = 0x80 // up to 15 members
	fixArray = 0x90 // up to 15 elements
	fixStr   = 0xa0 // up to 31 bytes
	fixNeg   = 0xe0 // -32 to -1; 0 to 127 are themselves

	codeNil     = 0xc0
	codeFalse   = 0xc2
	codeTrue    = 0xc3
	codeBin8    = 0xc4
	codeBin16   = 0xc5
	codeBin32   = 0xc6
	codeExt8    = 0xc7
	codeExt16   = 0xc8
	codeExt32   = 0xc9
	codeFloat32 = 0xca
	codeFloat64 = 0xcb
	codeUint8   = 0xcc
	codeUint16  = 0xcd
	codeUint32  = 0xce
	codeUint64  = 0xcf
	codeInt8    = 0xd0
	codeInt16   = 0xd1
	codeInt32   = 0xd2
	codeInt64   = 0xd3
	codeFixExt1 = 0xd4 // the next four: 2, 4, 8 and 16 bytes
	codeFixExt5 = 0xd8
	codeStr8    = 0xd9
	codeStr16   = 0xda
	codeStr32   = 0xdb
	codeArray16 = 0xdc
	codeArray32 = 0xdd
	codeMap16   = 0xde
	codeMap32   = 0xdf
)

func appendUint(b []byte, n uint64) []byte {
	switch {
	case n <= math.MaxInt8:
		return append(b, byte(n))
	case n <= math.MaxUint8:
		return append(b, codeUint8, byte(n))
	case n <= math.MaxUint16:
		return append(b, codeUint16, byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, codeUint32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, codeUint64), n)
}

func appendInt(b []byte, n int64) []byte {
	switch {
	case n >= 0:
		return appendUint(b, uint64(n))
	case n >= -32:
		return append(b, byte(n))
	case n >= math.MinInt8:
		return append(b, codeInt8, byte(n))
	case n >= math.MinInt16:
		return append(b, codeInt16, byte(n>>8), byte(n))
	case n >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, codeInt32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, codeInt64), uint64(n))
}

func appendFloat32(b []byte, f float32) []byte {
	return binary.BigEndian.AppendUint32(append(b, codeFloat32), math.Float32bits(f))
}

func appendFloat64(b []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, codeFloat64), math.Float64bits(f))
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, codeTrue)
	}
	return append(b, codeFalse)
}

func appendString(b []byte, s string) []byte {
	switch n := len(s); {
	case n < 32:
		b = append(b, fixStr|byte(n))
	case n <= math.MaxUint8:
		b = append(b, codeStr8, byte(n))
	default:
		b = appendSize(b, n, codeStr16, codeStr32)
	}
	return append(b, s...)
}

func appendBytes(b []byte, v []byte) []byte {
	if n := len(v); n <= math.MaxUint8 {
		b = append(b, codeBin8, byte(n))
	} else {
		b = appendSize(b, n, codeBin16, codeBin32)
	}
	return append(b, v...)
}

func appendArraySize(b []byte, n int) []byte {
	if n < 16 {
		return append(b, fixArray|byte(n))
	}
	return appendSize(b, n, codeArray16, codeArray32)
}

func appendMapSize(b []byte, n int) []byte {
	if n < 16 {
		return append(b, fixMap|byte(n))
	}
	return appendSize(b, n, codeMap16, codeMap32)
}

// appendSize appends a code and a size of two or four bytes.
func appendSize(b []byte, n int, code16, code32 byte) []byte {
	if n <= math.MaxUint16 {
		return append(b, code16, byte(n>>8), byte(n))
	}
	return binary.BigEndian.AppendUint32(append(b, code32), uint32(n))
}
