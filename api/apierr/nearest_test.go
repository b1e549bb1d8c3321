package apierr

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		d    int
	}{{"", "abc", 3}, {"abc", "abc", 0}, {"ab", "ba", 1}, {"ca", "abc", 2}, {"filtre", "filter", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}} {
		if d := editDistance(c.a, c.b); d != c.d {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, d, c.d)
		}
		if d := editDistance(c.b, c.a); d != c.d {
			t.Errorf("%s to %s: %d, want %d", c.b, c.a, d, c.d)
		}
	}
}
