package history

import "testing"

func TestWhatAnAnswerShows(t *testing.T) {
	for _, c := range []struct {
		answer string
		batch  int
		ok     bool
	}{
		{`{"results":[{"hits":[]},{"hits":[]}]}`, 0, true},
		{`{"results":[{"hits":[{"batch":7},{"batch":7}]},{"hits":[{"batch":7},{"batch":7}]}]}`, 7, true},
		{`{"results":[{"hits":[{"batch":7}]},{"hits":[{"batch":7},{"batch":7}]}]}`, 0, false},
		{`{"results":[{"hits":[{"batch":7},{"batch":8}]},{"hits":[{"batch":7},{"batch":8}]}]}`, 0, false},
		{`{"results":[{"hits":[{"batch":7},{"batch":7}]},{"hits":[{"batch":8},{"batch":8}]}]}`, 0, false},
		{`{"results":[{"hits":[]},{"hits":[{"batch":8},{"batch":8}]}]}`, 0, false},
		{`{"results":[{"hits":[]}]}`, 0, false},
		{`{`, 0, false},
	} {
		batch, err := Shown([]byte(c.answer), 2)
		if batch != c.batch || (err == nil) != c.ok {
			t.Errorf("%s: batch %d, %v", c.answer, batch, err)
		}
	}
}
