package node

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
	var f frugal
	first, second := f.begin(), f.begin()
	if got := percent(); got != frugalPercent {
		t.Errorf("GOGC is %d during large builds", got)
	}
	first()
	if got := percent(); got != frugalPercent {
		t.Errorf("GOGC is %d while one still runs", got)
	}
	second()
	if got := percent(); got != 77 {
		t.Errorf("GOGC is %d afterwards", got)
	}
}
