package memory

import (
	"runtime/debug"
	"testing"
)

func TestTheCollectorIsAsBeforeAfterLargeBuilds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	percent := func() int {
		p := debug.SetGCPercent(50)
		debug.SetGCPercent(p)
		return p
	}
	var f BuildGC
	f.Steady(1 << 20)
	first, second := f.Begin(), f.Begin()
	if got := percent(); got != buildGCPercent {
		t.Errorf("GOGC is %d during large builds", got)
	}
	if len(f.ballast) != 1<<20 {
		t.Error("the ballast is made anew, which touches it")
	}
	first()
	if got := percent(); got != buildGCPercent {
		t.Errorf("GOGC is %d while one still runs", got)
	}
	second()
	if got := percent(); got != 77 {
		t.Errorf("GOGC is %d afterwards", got)
	}
}

func TestSmallLimitsHaveNoBallast(t *testing.T) {
	t.Setenv("GOGC", "")
	for limit, want := range map[int64]int64{0: 0, 256 << 20: 0, 512 << 20: 32 << 20, 1 << 30: 64 << 20, 64 << 30: 128 << 20} {
		if got := BallastFor(limit); got != want {
			t.Errorf("%d bytes of ballast with a limit of %d, want %d", got, limit, want)
		}
	}
}
