package liquid

import (
	"cmp"
	"strings"
)

// is tells whether a value is in a state.
func is(v any, s state) bool {
	truthy := s == stateTruthy
	switch v := opened(v).(type) {
	case nil:
		return !truthy
	case bool:
		return v == truthy && s != stateEmpty
	case string:
		return truthy || v == "" || s == stateBlank && strings.TrimSpace(v) == ""
	case state:
		return !truthy
	case list:
		return truthy || len(v) == 0
	case object:
		return truthy || len(v.names()) == 0
	}
	return truthy
}

func (r *rendering) equal(a, b any) bool {
	r.budget.step(1)
	a, b = opened(a), opened(b)
	if equal, ok := r.equalInside(a, b); ok {
		return equal
	}
	switch s := a.(type) {
	case nil:
		if b == nil {
			return true
		}
	case state:
		return is(b, s)
	}
	if s, ok := b.(state); ok {
		return is(a, s)
	}
	switch {
	case isScalar(a) && isScalar(b):
		return r.equalScalars(a, b)
	case isScalar(a):
		return equalOther(a, b)
	case isScalar(b):
		return equalOther(b, a)
	}
	return false
}

// equalOther compares a scalar with something else: false is nil, and true is any list or
// object.
func equalOther(scalar, other any) bool {
	truth, ok := scalar.(bool)
	return ok && truth == (other != nil)
}

// equalInside compares two lists or two objects. ok is false for other values.
func (r *rendering) equalInside(a, b any) (equal, ok bool) {
	switch a := a.(type) {
	case list:
		b, ok := b.(list)
		if !ok {
			return false, false
		}
		equal = len(a) == len(b)
		for i := 0; equal && i < len(a); i++ {
			equal = r.equal(a[i], b[i])
		}
		return equal, true
	case object:
		b, ok := b.(object)
		if !ok {
			return false, false
		}
		names := a.names()
		equal = len(names) == len(b.names())
		for i := 0; equal && i < len(names); i++ {
			left, _ := a.get(names[i])
			right, has := b.get(names[i])
			equal = has && r.equal(left, right)
		}
		return equal, true
	}
	return false, false
}

// equalScalars compares scalars. A boolean equals a number or text if it is true.
func (r *rendering) equalScalars(a, b any) bool {
	switch x := a.(type) {
	case int:
		switch y := b.(type) {
		case int:
			return x == y
		case float64:
			return float64(x) == y
		}
	case float64:
		switch y := b.(type) {
		case int:
			return x == float64(y)
		case float64:
			return x == y
		}
	case string:
		if y, ok := b.(string); ok {
			r.budget.look(min(len(x), len(y)))
			return x == y
		}
	case bool:
		if y, ok := b.(bool); ok {
			return x == y
		}
		return x
	}
	y, ok := b.(bool)
	return ok && y
}

// compare orders two numbers, texts, booleans or lists. ok is false if they have no order.
func (r *rendering) compare(a, b any) (order int, ok bool) {
	r.budget.step(1)
	switch x := opened(a).(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(digit(x), digit(y)), true
		}
	case int:
		if y, ok := b.(int); ok {
			return cmp.Compare(x, y), true
		}
		return compareFractions(float64(x), b)
	case float64:
		return compareFractions(x, b)
	case string:
		if y, ok := b.(string); ok {
			r.budget.look(min(len(x), len(y)))
			return cmp.Compare(x, y), true
		}
	case list:
		if y, ok := opened(b).(list); ok {
			return r.compareLists(x, y)
		}
	}
	return 0, false
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareFractions(x float64, b any) (int, bool) {
	if _, isText := b.(string); isText {
		return 0, false
	}
	y, ok := fraction(b)
	if !ok || x != x || y != y { // NaN has no order
		return 0, false
	}
	return cmp.Compare(x, y), true
}

func (r *rendering) compareLists(x, y list) (int, bool) {
	for i := range min(len(x), len(y)) {
		if order, ok := r.compare(x[i], y[i]); !ok || order != 0 {
			return order, ok
		}
	}
	return cmp.Compare(len(x), len(y)), true
}

// contains tells whether a text contains another, a list an item, an object a member.
func (r *rendering) contains(v, item any) bool {
	r.budget.step(1)
	switch v := opened(v).(type) {
	case list:
		r.budget.look(itemBytes * len(v))
		for i := range v {
			if r.equal(v[i], item) {
				return true
			}
		}
		return false
	case object:
		if !isScalar(item) {
			return false
		}
		_, ok := v.get(textOf(item))
		return ok
	default:
		if !isScalar(v) {
			stop(failure("Expected string | array | object, found `" + typeName(v) + "`"))
		}
		s := r.text(v)
		r.budget.look(len(s))
		return strings.Contains(s, r.text(item))
	}
}
