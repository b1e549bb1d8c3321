package metrics

import (
	"testing"
	"time"
)

func TestOutcomesCoverThisMinuteAndTheOneBefore(t *testing.T) {
	var o outcomes
	at := time.Unix(600_000, 0) // a minute begins
	for i := range 10 {
		o.count(at, 200+300*(i%2), i < 4, time.Duration(i)*500*time.Millisecond)
	}
	o.count(at.Add(time.Minute), 503, false, 0)
	for _, c := range []struct {
		after time.Duration
		want  Outcomes
	}{
		{0, Outcomes{Requests: 10, Failed: 5, Searches: 4, Slow: 1}},
		{time.Minute, Outcomes{Requests: 11, Failed: 6, Searches: 4, Slow: 1}},
		{2 * time.Minute, Outcomes{Requests: 1, Failed: 1}},
		{3 * time.Minute, Outcomes{}},
	} {
		if got := o.lately(at.Add(c.after)); got != c.want {
			t.Errorf("after %s: %+v, want %+v", c.after, got, c.want)
		}
	}
	// The place of a minute is used again.
	o.count(at.Add(4*time.Minute), 200, false, 0)
	if got := o.lately(at.Add(4 * time.Minute)); got != (Outcomes{Requests: 1}) {
		t.Errorf("four minutes later: %+v", got)
	}
}
