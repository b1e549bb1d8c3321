package script

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

func itoa64(i int64) string { return strconv.FormatInt(i, 10) }

// compares orders two values; those that cannot be compared are in no order.
func compares(op string, a, b *value) bool {
	var c int
	switch {
	case a.kind == integer && b.kind == integer:
		c = three(a.int(), b.int())
	case a.kind == text && b.kind == text:
		c = strings.Compare(a.text, b.text)
	case a.kind == char && b.kind == char:
		c = three(a.rune(), b.rune())
	case a.kind == text && b.kind == char:
		c = strings.Compare(a.text, string(b.rune()))
	case a.kind == char && b.kind == text:
		c = strings.Compare(string(a.rune()), b.text)
	default:
		x, ok := a.number()
		y, ok2 := b.number()
		if !ok || !ok2 || math.IsNaN(x) || math.IsNaN(y) {
			return false
		}
		c = three(x, y)
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

func three[T int64 | rune | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// contains is the operator in.
func contains(in, v *value) (bool, error) {
	switch {
	case in.kind == array:
		for i := range in.list().items {
			if equal(&in.list().items[i], v) {
				return true, nil
			}
		}
		return false, nil
	case in.kind == object && v.kind == text:
		_, ok := in.dict().get(v.text)
		return ok, nil
	case in.kind == text && v.kind == text:
		return strings.Contains(in.text, v.text), nil
	case in.kind == text && v.kind == char:
		return strings.ContainsRune(in.text, v.rune()), nil
	case in.kind == interval && v.kind == integer:
		return in.span().holds(v.int()), nil
	}
	return false, failed(notFound("contains", []value{*in, *v}))
}

func booleans(op string, a, b bool) (value, bool) {
	switch op {
	case "&":
		return boolOf(a && b), true
	case "|":
		return boolOf(a || b), true
	case "^":
		return boolOf(a != b), true
	}
	return value{}, false
}

func floats(op string, a, b float64) (value, bool) {
	switch op {
	case "+":
		return floatOf(a + b), true
	case "-":
		return floatOf(a - b), true
	case "*":
		return floatOf(a * b), true
	case "/":
		return floatOf(a / b), true
	case "%":
		return floatOf(math.Mod(a, b)), true
	case "**":
		return floatOf(math.Pow(a, b)), true
	}
	return value{}, false
}

func integers(op string, a, b int64) (value, error) {
	var r int64
	overflow := false
	switch op {
	case "+":
		r = a + b
		overflow = (a^r)&(b^r) < 0
	case "-":
		r = a - b
		overflow = (a^b)&(a^r) < 0
	case "*":
		r, overflow = multiply(a, b)
	case "/", "%":
		return divide(op, a, b)
	case "**":
		return power(a, b)
	case "&":
		r = a & b
	case "|":
		r = a | b
	case "^":
		r = a ^ b
	case "<<", ">>":
		r = shift(op, a, b)
	default:
		return value{}, failed(notFound(op, []value{intOf(a), intOf(b)}))
	}
	if overflow {
		what := map[string]string{"+": "Addition", "-": "Subtraction", "*": "Multiplication"}[op]
		return value{}, failed(what + " overflow: " + itoa64(a) + " " + op + " " + itoa64(b))
	}
	return intOf(r), nil
}

func multiply(a, b int64) (int64, bool) {
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if negative {
		return -int64(lo), hi != 0 || lo > 1<<63
	}
	return int64(lo), hi != 0 || lo > math.MaxInt64
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

func divide(op string, a, b int64) (value, error) {
	text := itoa64(a) + " " + op + " " + itoa64(b)
	switch {
	case b == 0 && op == "/":
		return value{}, failed("Division by zero: " + text)
	case a == math.MinInt64 && b == -1 && op == "/":
		return value{}, failed("Division overflow: " + text)
	case b == 0 || a == math.MinInt64 && b == -1:
		return value{}, failed("Modulo division by zero or overflow: " + text)
	case op == "/":
		return intOf(a / b), nil
	}
	return intOf(a % b), nil
}

func power(a, b int64) (value, error) {
	if b < 0 {
		return value{}, failed("Integer raised to a negative power: " + itoa64(a) + " ** " + itoa64(b))
	}
	result, base, left := int64(1), a, b
	for {
		var over bool
		if left&1 == 1 {
			if result, over = multiply(result, base); over {
				break
			}
		}
		if left >>= 1; left == 0 {
			return intOf(result), nil
		}
		if base, over = multiply(base, base); over {
			break
		}
	}
	return value{}, failed("Power overflow: " + itoa64(a) + " ** " + itoa64(b))
}

// shift moves bits; a negative count moves the other way.
func shift(op string, a, b int64) int64 {
	if b < 0 {
		b = int64(min(magnitude(b), 64))
		if op == "<<" {
			op = ">>"
		} else {
			op = "<<"
		}
	}
	if op == "<<" {
		return a << min(uint64(b), 64)
	}
	return a >> min(uint64(b), 63)
}
