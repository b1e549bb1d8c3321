package build

import (
	"errors"
	"sync"
	"testing"
)

// Symptom: a build hung because a worker waited for the chunk of another one that had
// failed.
func TestAFailedWorkerEndsAllWaiting(t *testing.T) {
	r := &records{most: 2, early: map[int]*recordBuffer{}}
	r.moved = sync.NewCond(&r.mu)
	if err := r.write(1, r.buffer()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- r.write(2, r.buffer()) }()
	go r.giveUp()
	if err := <-ended; !errors.Is(err, errGivenUp) {
		t.Errorf("the worker that waits ends with %v", err)
	}
	if err := r.write(0, r.buffer()); !errors.Is(err, errGivenUp) {
		t.Errorf("a later one ends with %v", err)
	}
}

// Chunks come from several workers in any order and are written in sequence.
func TestChunksAreWrittenInTheirOrder(t *testing.T) {
	r := &records{most: 100, early: map[int]*recordBuffer{}}
	r.moved = sync.NewCond(&r.mu)
	for seq := range 10 {
		if err := r.write(9-seq, r.buffer()); err != nil {
			t.Fatal(err)
		}
		if want := max(0, 10*(seq/9)); r.next != want {
			t.Errorf("%d chunks are written after %d came, want %d", r.next, seq+1, want)
		}
	}
	if len(r.early) > 0 || len(r.free) != 10 {
		t.Errorf("%d buffers wait, %d are free", len(r.early), len(r.free))
	}
}
