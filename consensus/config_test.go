package consensus

import (
	"testing"
	"time"
)

func TestCommitTimeoutGrowsWithMembers(t *testing.T) {
	for members, want := range map[int]time.Duration{
		1: 5 * time.Millisecond, 5: 10 * time.Millisecond, 100: 50 * time.Millisecond,
	} {
		if got := commitTimeout(members); got != want {
			t.Errorf("%d members: %s", members, got)
		}
	}
}
