package value

import (
	"math"
	"strconv"
	"strings"
)

// Display renders a value as strings show it. Containers are cut off after about most
// bytes.
func (v *Value) Display(most int) string {
	if v.Kind == KindString {
		return v.Text
	}
	w := writer{most: most}
	w.write(v, false, 0)
	return w.String()
}

// Debug renders a value in the syntax of the language, with strings quoted.
func (v *Value) Debug(most int) string {
	w := writer{most: most}
	w.write(v, true, 0)
	return w.String()
}

// writer renders values for people.
type writer struct {
	strings.Builder
	most int
}

// maxShown is the depth to which nested containers are written.
const maxShown = 128

func (b *writer) write(v *Value, quoted bool, depth int) {
	switch v.Kind {
	case KindUnit:
		if quoted {
			b.WriteString("()")
		}
	case KindBool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case KindInt:
		b.WriteString(Itoa(v.Int()))
	case KindFloat:
		b.WriteString(DisplayFloat(v.Float()))
	case KindChar:
		b.WriteRune(v.Rune())
	case KindString:
		if quoted {
			b.WriteString(strconv.Quote(v.Text))
		} else {
			b.WriteString(v.Text)
		}
	case KindFunction:
		b.WriteString("Fn(" + v.functionName() + ")")
	case KindRange:
		v.Range().write(&b.Builder)
	case KindIterator:
		b.WriteString("range")
	case KindArray:
		items := v.List().Items
		b.writeParts("[", "]", len(items), depth, func(i int) { b.write(&items[i], true, depth+1) })
	case KindObject:
		entries := v.Dict().Entries
		b.writeParts("#{", "}", len(entries), depth, func(i int) {
			b.WriteString(strconv.Quote(entries[i].Key) + ": ")
			b.write(&entries[i].Value, true, depth+1)
		})
	}
}

// writeParts writes a container of n parts.
func (b *writer) writeParts(open, end string, n, depth int, part func(i int)) {
	if depth == maxShown || b.Len() > b.most {
		b.WriteString(open + "..." + end)
		return
	}
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		part(i)
	}
	b.WriteString(end)
}

func (s *Range) write(b *strings.Builder) {
	b.WriteString(Itoa(s.From) + "..")
	if s.Inclusive {
		b.WriteByte('=')
	}
	if s.To != math.MaxInt64 {
		b.WriteString(Itoa(s.To))
	}
}

// implementation names the type that implements ranges in Rhai. It shows in JSON and in some
// failures.
func (s *Range) implementation() string {
	if s.Inclusive {
		return "core::ops::range::RangeInclusive<i64>"
	}
	return "core::ops::range::Range<i64>"
}

// DisplayFloat writes plain decimals between 1e-7 and 1e13, otherwise an exponent. Whole
// numbers keep a decimal.
func DisplayFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
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
