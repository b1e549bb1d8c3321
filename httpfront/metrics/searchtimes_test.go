package metrics

import (
	"testing"
	"time"
)

func TestSearchTimes(t *testing.T) {
	for d := time.Microsecond; d < time.Hour; d = d*11/10 + time.Microsecond {
		if end := atMost(step(d)); end < d.Truncate(time.Microsecond) || end > d*5/4+2*time.Microsecond {
			t.Errorf("%v is counted as at most %v", d, end)
		}
	}
	var times searchTimes
	now := time.Now()
	if all, p50, p99 := times.read(now); all != 0 || p50 != 0 || p99 != 0 {
		t.Error(all, p50, p99)
	}
	for range 98 {
		times.observe(2 * time.Millisecond)
	}
	times.observe(time.Second)
	times.observe(time.Second)
	all, p50, p99 := times.read(now.Add(time.Second))
	if all != 100 || p50 < 2*time.Millisecond || p50 > 3*time.Millisecond || p99 < time.Second || p99 > 5*time.Second/4 {
		t.Error(all, p50, p99)
	}
	// What is long ago does not count any more.
	times.read(now.Add(2 * time.Minute))
	times.read(now.Add(4 * time.Minute))
	times.observe(time.Millisecond)
	all, p50, p99 = times.read(now.Add(4*time.Minute + time.Second))
	if all != 101 || p50 > 2*time.Millisecond || p99 > 2*time.Millisecond {
		t.Error(all, p50, p99)
	}
}
