package await

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPeriodicWorkWakesTheProcessAtSharedMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, begin := range []time.Duration{0, 300 * time.Millisecond, 999 * time.Millisecond, 2 * time.Second} {
			begun := time.Now()
			time.Sleep(begin)
			for range 3 {
				wait := Until(time.Second)
				if wait <= 0 || wait > time.Second {
					t.Fatalf("waits for %s", wait)
				}
				time.Sleep(wait)
				if at := time.Now(); !at.Equal(at.Truncate(time.Second)) {
					t.Errorf("woken at %s", at)
				}
			}
			time.Sleep(Until(2 * time.Second))
			if at := time.Now(); !at.Equal(at.Truncate(2 * time.Second)) {
				t.Errorf("a period of two seconds ends at %s", at)
			}
			if time.Since(begun) < 3*time.Second {
				t.Error("three periods of a second took less than three seconds")
			}
		}
	})
}
