package jsonvalue

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string in the reference's form: only quotes, backslashes
// and control characters are escaped. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendFloat appends f as the reference writes a 64-bit float: the shortest
// digits that read back as f, always with a point or an exponent (1.0, 0.00001,
// 1e-6, 123.5, 1e+16; spec write-api 7). NaN and infinities become null.
func AppendFloat(dst []byte, f float64) []byte { return appendFloat(dst, f, 64) }

// AppendFloat32 is AppendFloat with the shortest digits of a 32-bit float.
func AppendFloat32(dst []byte, f float32) []byte { return appendFloat(dst, float64(f), 32) }

func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if f == 0 {
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	// point is the position of the decimal point relative to the first digit.
	var buf [32]byte
	sci := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	if sci[0] == '-' {
		dst = append(dst, '-')
		sci = sci[1:]
	}
	mark := 0
	for sci[mark] != 'e' {
		mark++
	}
	exp, err := strconv.Atoi(string(sci[mark+1:]))
	if err != nil { // AppendFloat always writes a decimal exponent
		return strconv.AppendFloat(dst, f, 'g', -1, bits)
	}
	digits := append([]byte{sci[0]}, sci[min(2, mark):mark]...)
	largest := 16
	if bits == 32 {
		largest = 13
	}
	return layFloat(dst, digits, exp+1, largest)
}

// layFloat writes digits with a decimal point after `point` of them. It uses the plain form
// up to 10^largest, and down to 10^-5 (10^-6 for 32 bits), and the scientific form beyond.
func layFloat(dst, digits []byte, point, largest int) []byte {
	smallest := -5
	if largest == 13 {
		smallest = -6
	}
	switch {
	case len(digits) <= point && point <= largest:
		dst = append(dst, digits...)
		for i := len(digits); i < point; i++ {
			dst = append(dst, '0')
		}
		return append(dst, '.', '0')
	case 0 < point && point <= largest:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case smallest < point && point <= 0:
		dst = append(dst, '0', '.')
		for i := point; i < 0; i++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(point-1), 10)
}

// AppendVector appends the vector of a query, with the shortest digits of 32-bit floats:
// 0.8 stays 0.8. The vectors of documents are written in another way, as 64-bit floats.
func AppendVector(dst []byte, vector []float32) []byte {
	return AppendList(dst, vector, func(f *float32, dst []byte) []byte { return AppendFloat32(dst, *f) })
}

// AppendList appends an array. each appends one element and must not keep it.
func AppendList[T any](dst []byte, list []T, each func(element *T, dst []byte) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = each(&list[i], dst)
	}
	return append(dst, ']')
}
