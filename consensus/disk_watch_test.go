package consensus

import (
	"testing"
	"time"
)

func TestADiskThatDoesNotAnswerIsGivenUp(t *testing.T) {
	w := appendWait{every: time.Second, limit: 10 * time.Second}
	for i := range 10 {
		if w.tooLong(7) {
			t.Fatalf("given up after %d looks", i+1)
		}
	}
	if !w.tooLong(7) {
		t.Error("an append that does not end is waited for")
	}
}

// A node that was frozen for 15 s in the middle of an append ended when it continued, and
// said that its folder was damaged.
func TestANodeThatWasFrozenDuringAnAppendGoesOn(t *testing.T) {
	w := appendWait{every: time.Second, limit: 10 * time.Second}
	w.tooLong(7)
	// No check runs while the process stands still. Then the one tick that is due arrives.
	if w.tooLong(7) {
		t.Error("the time in which the process stood still counts")
	}
	for running := range int64(100) {
		if w.tooLong(running % 3) {
			t.Fatal("short appends add up")
		}
	}
}
