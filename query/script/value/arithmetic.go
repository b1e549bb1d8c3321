package value

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Itoa writes an integer.
func Itoa(i int64) string { return strconv.FormatInt(i, 10) }

// Compares applies a comparison to two values. It is false for every operator if they
// cannot be compared.
func Compares(op string, a, b *Value) bool {
	var c int
	switch {
	case a.Kind == b.Kind && (a.Kind == KindInt || a.Kind == KindBool):
		c = Three(a.Int(), b.Int())
	case a.Kind == KindString && b.Kind == KindString:
		c = strings.Compare(a.Text, b.Text)
	case a.Kind == KindChar && b.Kind == KindChar:
		c = Three(a.Rune(), b.Rune())
	case a.Kind == KindString && b.Kind == KindChar:
		c = strings.Compare(a.Text, string(b.Rune()))
	case a.Kind == KindChar && b.Kind == KindString:
		c = strings.Compare(string(a.Rune()), b.Text)
	default:
		x, ok := a.Number()
		y, ok2 := b.Number()
		if !ok || !ok2 || math.IsNaN(x) || math.IsNaN(y) {
			return false
		}
		c = Three(x, y)
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

// Three is -1, 0 or 1 for less, equal or greater.
func Three[T int64 | rune | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Contains implements the operator in.
func Contains(in, v *Value) (bool, error) {
	switch {
	case in.Kind == KindArray:
		for i := range in.List().Items {
			if Equal(&in.List().Items[i], v) {
				return true, nil
			}
		}
		return false, nil
	case in.Kind == KindObject && v.Kind == KindString:
		_, ok := in.Dict().Get(v.Text)
		return ok, nil
	case in.Kind == KindString && v.Kind == KindString:
		return strings.Contains(in.Text, v.Text), nil
	case in.Kind == KindString && v.Kind == KindChar:
		return strings.ContainsRune(in.Text, v.Rune()), nil
	case in.Kind == KindRange && v.Kind == KindInt:
		return in.Range().Holds(v.Int()), nil
	}
	return false, NotFound("contains", []Value{*in, *v})
}

// Booleans applies an operator to two booleans. ok is false if it does not apply.
func Booleans(op string, a, b bool) (v Value, ok bool) {
	switch op {
	case "&":
		return Bool(a && b), true
	case "|":
		return Bool(a || b), true
	case "^":
		return Bool(a != b), true
	}
	return Value{}, false
}

// Floats applies an operator to two floats. ok is false if it does not apply.
func Floats(op string, a, b float64) (v Value, ok bool) {
	switch op {
	case "+":
		return Float(a + b), true
	case "-":
		return Float(a - b), true
	case "*":
		return Float(a * b), true
	case "/":
		return Float(a / b), true
	case "%":
		return Float(math.Mod(a, b)), true
	case "**":
		return Float(math.Pow(a, b)), true
	}
	return Value{}, false
}

// Integers applies an operator to two integers. Overflow is an *Error.
func Integers(op string, a, b int64) (Value, error) {
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
		return Value{}, NotFound(op, []Value{Int(a), Int(b)})
	}
	if overflow {
		what := map[string]string{"+": "Addition", "-": "Subtraction", "*": "Multiplication"}[op]
		return Value{}, failedArithmetic(what + " overflow: " + Itoa(a) + " " + op + " " + Itoa(b))
	}
	return Int(r), nil
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

func divide(op string, a, b int64) (Value, error) {
	text := Itoa(a) + " " + op + " " + Itoa(b)
	switch {
	case b == 0 && op == "/":
		return Value{}, failedArithmetic("Division by zero: " + text)
	case a == math.MinInt64 && b == -1 && op == "/":
		return Value{}, failedArithmetic("Division overflow: " + text)
	case b == 0 || a == math.MinInt64 && b == -1:
		return Value{}, failedArithmetic("Modulo division by zero or overflow: " + text)
	case op == "/":
		return Int(a / b), nil
	}
	return Int(a % b), nil
}

func power(a, b int64) (Value, error) {
	if b < 0 {
		return Value{}, failedArithmetic("Integer raised to a negative power: " + Itoa(a) + " ** " + Itoa(b))
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
			return Int(result), nil
		}
		if base, over = multiply(base, base); over {
			break
		}
	}
	return Value{}, failedArithmetic("Exponential overflow: " + Itoa(a) + " ** " + Itoa(b))
}

// shift shifts bits. A negative count shifts the other way.
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
