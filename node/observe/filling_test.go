package observe

import (
	"testing"
	"time"
)

func TestAFillingDiskTellsHowLongItLasts(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		name    string
		minutes int
		free    func(minute int) uint64
		want    time.Duration // 0: unknown
	}{
		{"one GiB an hour", 60, func(m int) uint64 { return 10*gib - uint64(m)*gib/60 }, 9 * time.Hour},
		{"compactions take and give back", 60, func(m int) uint64 { return 10*gib - uint64(m)*gib/60 - uint64(m%2)*gib/8 }, 9 * time.Hour},
		{"only the last hour counts", 180, func(m int) uint64 { return 10*gib - uint64(max(0, m-120))*gib/60 }, 9 * time.Hour},
		{"an import of some minutes", 15, func(m int) uint64 { return 10*gib - uint64(m)*gib/10 }, 0},
		{"it stays as it is", 60, func(int) uint64 { return gib }, 0},
		{"it empties", 60, func(m int) uint64 { return uint64(m) * gib }, 0},
		{"it lasts for years", 60, func(m int) uint64 { return 1000*gib - uint64(m) }, 0},
	} {
		var f Filling
		begin := time.Unix(1000, 0)
		for m := range c.minutes + 1 {
			f.Note(begin.Add(time.Duration(m)*time.Minute), c.free(m))
		}
		left, known := f.Left(c.free(c.minutes))
		if known != (c.want > 0) || (left-c.want).Abs() > c.want/20 {
			t.Errorf("%s: %s %v, want %s", c.name, left, known, c.want)
		}
	}
}
