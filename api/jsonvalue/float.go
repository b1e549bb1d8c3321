package jsonvalue

import (
	"math"
	"strconv"
)

// powers holds 1e0 to 1e308, each the nearest double.
var powers = func() (table [309]float64) {
	for i := range table {
		f, err := strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
		if err != nil {
			panic(err) // all of them are finite
		}
		table[i] = f
	}
	return table
}()

// maxExponent bounds a written exponent. A larger one counts as infinity.
const maxExponent = math.MaxInt32

// ParseFloat reads a JSON number that may have a fraction and an exponent. It gives the
// result of the reference's parser, which collects as many digits as fit 64 bits and scales
// them once by a power of ten: with 17 digits the result often differs from the nearest
// double in the last digit. ok is false if the number is too large. text must be a valid
// JSON number.
func ParseFloat(text string) (f float64, ok bool) {
	var digits uint64
	exponent, at, negative := 0, 0, false
	if negative = text[0] == '-'; negative {
		at++
	}
	full := false
	take := func(step, dropped int) {
		for ; at < len(text) && isDigit(text[at]); at++ {
			d := uint64(text[at] - '0')
			if full = full || digits > (math.MaxUint64-d)/10; full {
				exponent += dropped
				continue
			}
			digits = digits*10 + d
			exponent += step
		}
	}
	take(0, 1)
	if at < len(text) && text[at] == '.' {
		at++
		// As in the reference, fraction digits count if they fit again after a long integer
		// part.
		full = false
		take(-1, 0)
	}
	if at < len(text) {
		written, fits := writtenExponent(text[at+1:])
		switch {
		case fits:
			exponent += written
		case digits != 0 && written > 0:
			return 0, false
		default:
			return signed(0, negative), true
		}
	}
	f, ok = scaled(float64(digits), exponent)
	return signed(f, negative), ok
}

// writtenExponent reads the text after the letter e. fits is false beyond maxExponent; then
// only the sign of the exponent counts.
func writtenExponent(text string) (exponent int, fits bool) {
	sign := 1
	if text[0] == '+' || text[0] == '-' {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	for i := range len(text) {
		if exponent = exponent*10 + int(text[i]-'0'); exponent > maxExponent {
			return sign, false
		}
	}
	return sign * exponent, true
}

// scaled multiplies f by a power of ten.
func scaled(f float64, exponent int) (float64, bool) {
	for exponent < -(len(powers)-1) && f != 0 {
		f /= powers[len(powers)-1]
		exponent += len(powers) - 1
	}
	switch {
	case f == 0:
		return 0, true
	case exponent >= len(powers):
		return 0, false
	case exponent < 0:
		return f / powers[-exponent], true
	}
	f *= powers[exponent]
	return f, !math.IsInf(f, 0)
}

func signed(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}
