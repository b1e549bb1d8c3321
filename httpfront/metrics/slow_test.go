package metrics

import (
	"testing"
	"time"

	"shoal/api"
)

func TestSearchesOfMoreThanASecondAreRememberedWithoutASlowLog(t *testing.T) {
	for _, c := range []struct {
		threshold          uint64
		searched           bool
		took               time.Duration
		remembered, logged bool
	}{
		{0, true, 2 * time.Second, true, false},
		{0, true, time.Second / 2, false, false},
		{0, false, time.Minute, false, false},
		{200, false, 300 * time.Millisecond, true, true},
		{2000, true, 1500 * time.Millisecond, false, false},
	} {
		if remembered, logged := Slowness(api.SlowLog{Threshold: c.threshold}, c.searched, c.took); remembered != c.remembered || logged != c.logged {
			t.Errorf("threshold %d ms, search %v, took %s: remembered %v, logged %v", c.threshold, c.searched, c.took, remembered, logged)
		}
	}
}

func TestOnlyTheNewestSlowRequestsAreRemembered(t *testing.T) {
	var m Requests
	for i := range int64(3 * slowKept) {
		m.Slow(&SlowRequest{At: i})
	}
	kept := m.SlowRequests()
	if len(kept) != slowKept {
		t.Fatalf("%d are remembered, want %d", len(kept), slowKept)
	}
	for i, r := range kept {
		if want := int64(3*slowKept - 1 - i); r.At != want {
			t.Fatalf("place %d is of %d, want %d", i, r.At, want)
		}
	}
}
