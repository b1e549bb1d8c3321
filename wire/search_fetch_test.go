package wire

import (
	"reflect"
	"testing"
)

// places returns all leaf values below v.
func places(v reflect.Value) (out []reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, places(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, places(v.Index(i))...)
		}
	default:
		out = append(out, v)
	}
	return out
}

// TestEqualComparesEveryMember empties one member at a time. A member that Equal forgets would
// let a search show hits rendered with the wrong options.
func TestEqualComparesEveryMember(t *testing.T) {
	check(t, (*RenderOptions).Equal)
	check(t, (*MatchList).Equal)
}

func check[T any](t *testing.T, equal func(a, b *T) bool) {
	a, b := new(T), new(T)
	fill(reflect.ValueOf(a).Elem(), "x", nil)
	fill(reflect.ValueOf(b).Elem(), "x", nil)
	if !equal(a, b) || !equal(new(T), new(T)) {
		t.Fatalf("%T: equal ones are not", a)
	}
	for i, place := range places(reflect.ValueOf(b).Elem()) {
		kept := reflect.New(place.Type()).Elem()
		kept.Set(place)
		place.SetZero()
		if equal(a, b) || equal(b, a) {
			t.Errorf("%T: value %d, of type %s, is not compared", a, i, place.Type())
		}
		place.Set(kept)
	}
}
