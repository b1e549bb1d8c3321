package script

import (
	"math"
	"strconv"
	"strings"
)

// display renders a value as strings show it; containers end when there are more than
// most bytes.
func (v *value) display(most int) string {
	if v.kind == text {
		return v.text
	}
	w := writer{most: most}
	w.write(v, false, 0)
	return w.String()
}

// debug renders a value as the language writes it, strings quoted.
func (v *value) debug(most int) string {
	w := writer{most: most}
	w.write(v, true, 0)
	return w.String()
}

// writer writes values for people.
type writer struct {
	strings.Builder
	most int
}

// maxShown is how deep nested containers are written out.
const maxShown = 128

func (b *writer) write(v *value, quoted bool, depth int) {
	switch v.kind {
	case unit:
		if quoted {
			b.WriteString("()")
		}
	case boolean:
		b.WriteString(strconv.FormatBool(v.bool()))
	case integer:
		b.WriteString(itoa64(v.int()))
	case float:
		b.WriteString(displayFloat(v.float()))
	case char:
		if quoted {
			b.WriteString("'" + string(v.rune()) + "'")
		} else {
			b.WriteRune(v.rune())
		}
	case text:
		if quoted {
			b.WriteString(strconv.Quote(v.text))
		} else {
			b.WriteString(v.text)
		}
	case function:
		b.WriteString("Fn(" + v.functionName() + ")")
	case interval:
		v.span().write(&b.Builder)
	case array:
		b.writeList(v.list().items, depth)
	case object:
		b.writeDict(v.dict().entries, depth)
	}
}

func (b *writer) writeList(items []value, depth int) {
	if depth == maxShown || b.Len() > b.most {
		b.WriteString("[...]")
		return
	}
	b.WriteByte('[')
	for i := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.write(&items[i], true, depth+1)
	}
	b.WriteByte(']')
}

func (b *writer) writeDict(entries []entry, depth int) {
	if depth == maxShown || b.Len() > b.most {
		b.WriteString("#{...}")
		return
	}
	b.WriteString("#{")
	for i := range entries {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(entries[i].key) + ": ")
		b.write(&entries[i].value, true, depth+1)
	}
	b.WriteByte('}')
}

func (s *span) write(b *strings.Builder) {
	b.WriteString(itoa64(s.from) + "..")
	if s.inclusive {
		b.WriteByte('=')
	}
	if !s.open {
		b.WriteString(itoa64(s.to))
	}
}

// displayFloat writes plain decimals between 1e-7 and 1e13, with an exponent
// beyond; whole numbers keep a decimal.
func displayFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")
	case f == 0:
		return "0.0"
	}
	if abs := math.Abs(f); abs > 1e13 || abs < 1e-7 {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		exponent = strings.TrimPrefix(exponent, "+")
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign, exponent = "-", exponent[1:]
		}
		return mantissa + "e" + sign + strings.TrimLeft(exponent, "0")
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
