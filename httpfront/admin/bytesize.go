package admin

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// sizeText is what is left of a size while it is read, byte by byte.
type sizeText string

func (t *sizeText) next() (c byte, ok bool) {
	if *t == "" {
		return 0, false
	}
	c, *t = (*t)[0], (*t)[1:]
	return c, true
}

// character shows the character that begins with c. The reference's library puts the bytes
// of one that has several together the wrong way round.
func (t *sizeText) character(c byte) string {
	code := rune(c)
	for i, mask := range []byte{0xC0, 0xE0, 0xF0} {
		if more, ok := t.next(); c >= mask && ok {
			code |= rune(more) << (8 * (i + 1))
		}
	}
	return "'" + string(code) + "'"
}

// decimalUnits are the first letters of units, each a thousand times the one before.
const decimalUnits = "BKMGTPE"

// parseByteSize reads a size as the reference's library does: bits are written with a small
// b. fault is its error, "" if there is none.
func parseByteSize(text string) (size uint64, fault string) {
	t := sizeText(strings.TrimSpace(text))
	value, c, more, fault := t.number()
	if fault != "" {
		return 0, fault
	}
	unit := big.NewRat(1, 1)
	if more {
		if unit, fault = t.unit(c); fault != "" {
			return 0, fault
		}
	}
	bytes := new(big.Rat).Mul(value, unit)
	up := new(big.Int).Add(bytes.Num(), new(big.Int).Sub(bytes.Denom(), big.NewInt(1)))
	if up.Quo(up, bytes.Denom()); !up.IsUint64() {
		return 0, "the value " + strings.TrimSuffix(strings.TrimRight(value.FloatString(28), "0"), ".") + " exceeds the valid range"
	}
	return up.Uint64(), ""
}

// number reads the digits, and the byte behind them.
func (t *sizeText) number() (value *big.Rat, after byte, more bool, fault string) {
	digits, fraction := []byte{}, -1
	for first := true; ; first = false {
		c, ok := t.next()
		switch {
		case !ok && first:
			return nil, 0, false, "no value can be found"
		case ok && c >= '0' && c <= '9':
			digits = append(digits, c)
			continue
		case ok && c == '.' && !first && fraction < 0:
			fraction = len(digits)
			continue
		case first, fraction == len(digits):
			if !ok {
				c = '.'
			}
			return nil, 0, false, "the character " + t.character(c) + " is not a number"
		}
		for ok && c == ' ' {
			c, ok = t.next()
		}
		if fraction >= 0 {
			digits = slices.Insert(digits, fraction, '.')
		}
		value, _ = new(big.Rat).SetString(string(digits))
		if value.Num().BitLen() > 96 {
			return nil, 0, false, "value number is too long"
		}
		return value, c, ok, ""
	}
}

// unit reads a unit whose first byte is c, and returns its bytes.
func (t *sizeText) unit(c byte) (bytes *big.Rat, fault string) {
	power := strings.IndexByte(decimalUnits, strings.ToUpper(string(rune(c)))[0])
	if power < 0 {
		return nil, t.wrong(c, "'B', 'K', 'M', 'G', 'T', 'P', 'E' or no character or no character")
	}
	base, bits := 1000.0, false
	if power > 0 {
		next, more := t.next()
		if more && (next == 'i' || next == 'I') {
			base = 1024
			next, more = t.next()
		}
		switch {
		case more && next != 'b' && next != 'B':
			return nil, t.wrong(next, "'B', 'b' or no character or no character")
		case more:
			bits, fault = t.bits(next == 'b')
		}
	} else {
		bits, fault = t.bits(c == 'b')
	}
	bytes = new(big.Rat).SetFloat64(math.Pow(base, float64(power)))
	if bits {
		bytes.Quo(bytes, big.NewRat(8, 1))
	}
	return bytes, fault
}

// bits reads what may follow a b: it, or its.
func (t *sizeText) bits(small bool) (bits bool, fault string) {
	for _, step := range []struct{ letter, expected, end string }{
		{"i", "'i' or no character", ""}, {"t", "'t'", "'i'"}, {"s", "'s' or no character", ""}, {"", "no character", ""},
	} {
		c, more := t.next()
		switch {
		case !more && step.end != "":
			return false, fmt.Sprintf("the character %s is incorrect (no character is expected)", step.end)
		case !more:
			return small || step.letter != "i", ""
		case strings.ToLower(string(rune(c))) != step.letter:
			return false, t.wrong(c, step.expected)
		}
	}
	return true, ""
}

func (t *sizeText) wrong(c byte, expected string) string {
	return "the character " + t.character(c) + " is incorrect (" + expected + " is expected)"
}
