package main

import "testing"

func TestShapes(t *testing.T) {
	for text, want := range map[string]shape{
		"1x1": {1, 1, 1}, "1x4": {1, 4, 1}, "3x1": {3, 1, 3}, "3x3": {3, 3, 2}, "6x6/3": {6, 6, 3}, "3x1/2": {3, 1, 2},
	} {
		if got, err := parseShape(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "x3", "3x", "0x1", "3x0", "3x3/4", "3x3/0", "3x3/"} {
		if got, err := parseShape(text); err == nil {
			t.Errorf("%q is the shape %+v", text, got)
		}
	}
}
