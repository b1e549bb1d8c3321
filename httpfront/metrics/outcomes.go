package metrics

import (
	"sync/atomic"
	"time"
)

// slowSearch is how long a search may take before it counts as slow.
const slowSearch = time.Second

// Outcomes counts the requests of the last one to two minutes by outcome. It omits requests
// of open routes, such as probes.
type Outcomes struct {
	Requests, Failed uint64 // Failed got a status of 500 or more
	Searches, Slow   uint64 // Slow took more than a second
}

// outcomes counts by the minute. Counting costs a few atomic additions. A request that is
// counted just as its minute begins may get lost.
type outcomes struct {
	minutes [4]struct{ number, requests, failed, searches, slow atomic.Uint64 }
}

func minuteOf(t time.Time) uint64 { return uint64(t.Unix()) / 60 }

func (o *outcomes) count(now time.Time, status int, searched bool, took time.Duration) {
	number := minuteOf(now)
	m := &o.minutes[number%uint64(len(o.minutes))]
	if m.number.Load() != number && m.number.Swap(number) != number {
		m.requests.Store(0)
		m.failed.Store(0)
		m.searches.Store(0)
		m.slow.Store(0)
	}
	m.requests.Add(1)
	if status >= 500 {
		m.failed.Add(1)
	}
	if searched {
		m.searches.Add(1)
		if took > slowSearch {
			m.slow.Add(1)
		}
	}
}

// Outcomes counts the requests of this minute and the one before.
func (m *Requests) Outcomes(now time.Time) Outcomes { return m.outcomes.lately(now) }

func (o *outcomes) lately(now time.Time) (sum Outcomes) {
	number := minuteOf(now)
	for i := range o.minutes {
		m := &o.minutes[i]
		if n := m.number.Load(); n == number || n+1 == number {
			sum.Requests += m.requests.Load()
			sum.Failed += m.failed.Load()
			sum.Searches += m.searches.Load()
			sum.Slow += m.slow.Load()
		}
	}
	return sum
}
