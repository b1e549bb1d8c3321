package observe

import (
	"sync"
	"time"
)

const (
	// FillingEvery is how often Filling must be told the free space.
	FillingEvery = time.Minute
	// fillingOver is the period from which a pace is computed, and fillingLeast its
	// minimum, because an import of a few minutes does not make a pace.
	fillingOver, fillingLeast = time.Hour, 20 * time.Minute
)

// Filling predicts when a disk will be full at the pace of the last hour. Safe for
// concurrent use. The zero value has seen nothing.
type Filling struct {
	mu   sync.Mutex
	seen []freeThen // oldest first
}

type freeThen struct {
	at   time.Time
	free float64
}

// Note records the free space, as Disk returns it.
func (f *Filling) Note(now time.Time, free uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.seen) > 0 && now.Sub(f.seen[0].at) > fillingOver {
		f.seen = f.seen[1:]
	}
	f.seen = append(f.seen, freeThen{now, float64(free)})
}

// Left is how long free will last. It returns false while that is unknown, or if the disk
// does not fill. The pace is the slope of the best-fitting line, because compactions free
// space and use it again.
func (f *Filling) Left(free uint64) (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.seen)
	if n < 2 || f.seen[n-1].at.Sub(f.seen[0].at) < fillingLeast {
		return 0, false
	}
	var t, b, tt, tb float64
	for _, s := range f.seen {
		x := s.at.Sub(f.seen[0].at).Seconds()
		t, b, tt, tb = t+x, b+s.free, tt+x*x, tb+x*s.free
	}
	count := float64(n)
	pace := (count*tb - t*b) / (count*tt - t*t) // bytes a second, less than 0 while it fills
	if pace >= 0 {
		return 0, false
	}
	const most = 365 * 24 * time.Hour
	left := float64(free) / -pace
	if left > most.Seconds() {
		return 0, false
	}
	return time.Duration(left * float64(time.Second)), true
}
