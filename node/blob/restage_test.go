package blob

import (
	"errors"
	"io/fs"
	"log/slog"
	"testing"
	"time"

	"shoal/node/machine"
)

// The same content is staged again while the task that brought it first is running. That
// task ends, and the second one is accepted more than 30 s later.
func TestAPayloadStagedAgainWhileItsFirstTaskRunsIsKept(t *testing.T) {
	s, err := Open(machine.Disk(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	sweep := func(after time.Duration, named []string, pending ...string) {
		t.Helper()
		now = now.Add(after)
		s.Named(named)
		unfinished := map[string]bool{}
		for _, id := range pending {
			unfinished[id] = true
		}
		if err := s.Sweep(unfinished, 5, now); err != nil {
			t.Fatal(err)
		}
	}
	id := stagedAgain(t, s)
	sweep(0, []string{id}, id)
	if again := stagedAgain(t, s); again != id {
		t.Fatal("the same content has another name")
	}
	sweep(time.Second, nil, id) // the first task is pending still
	sweep(time.Second, nil)     // it has ended
	sweep(2*settled, nil)
	f, err := s.Get(id)
	if err != nil {
		t.Fatalf("the payload of the second task is gone before it was accepted: %v", err)
	}
	f.Close()
	sweep(time.Second, []string{id}, id) // accepted
	sweep(time.Second, nil)              // and ended
	sweep(2*settled, nil)
	if _, err := s.Get(id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it stays for ever: %v", err)
	}
}
