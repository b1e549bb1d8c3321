package metrics

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// searchTimes is a histogram of the durations of searches. Each power of two microseconds
// has four buckets. observe costs one atomic addition.
type searchTimes struct {
	counts [128]atomic.Uint64

	mu sync.Mutex
	// begins holds the counts at the beginning of the period that read describes. If
	// read is called often enough, that is one to two windows ago.
	begins, next [128]uint64
	turned       time.Time
}

// timesWindow is about the length of that period.
const timesWindow = time.Minute

// step is the bucket of a duration: the power of two and its next two bits.
func step(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 1))
	n := bits.Len64(us) - 1
	return min(4*n+int(us<<2>>n&3), 127)
}

// atMost is the longest duration of a bucket.
func atMost(i int) time.Duration {
	n := i / 4
	return time.Duration(uint64(4+i%4+1)<<n/4) * time.Microsecond
}

func (t *searchTimes) observe(d time.Duration) { t.counts[step(d)].Add(1) }

// SearchTimes returns how many searches this node has answered since its start, and the
// median and 99th percentile of recent times; 0 if there were none.
func (m *Requests) SearchTimes(now time.Time) (all uint64, p50, p99 time.Duration) {
	return m.searches.read(now)
}

func (t *searchTimes) read(now time.Time) (all uint64, p50, p99 time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var sum [128]uint64
	for i := range t.counts {
		sum[i] = t.counts[i].Load()
		all += sum[i]
	}
	if now.Sub(t.turned) >= timesWindow {
		t.begins, t.next, t.turned = t.next, sum, now
	}
	recent := uint64(0)
	for i := range sum {
		sum[i] -= t.begins[i]
		recent += sum[i]
	}
	return all, quantile(&sum, recent*50/100), quantile(&sum, recent*99/100)
}

// quantile is the time within which more than n of the counted searches were answered.
func quantile(counts *[128]uint64, n uint64) time.Duration {
	seen := uint64(0)
	for i, c := range counts {
		if seen += c; seen > n {
			return atMost(i)
		}
	}
	return 0
}
