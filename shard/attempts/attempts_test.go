package attempts

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// The next process knows a batch that killed its process. Only a long build is noted;
// small batches leave no trace.
func TestTheNextProcessKnowsABuildThatKilledThisOne(t *testing.T) {
	files := vfs.NewMem()
	open := func() *Attempts {
		t.Helper()
		a, err := Open(files, "attempts")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	req := &wire.BuildRequest{Key: wire.ShardKey{IndexID: 3, Shard: 1}, Base: 7, Ops: []wire.Op{{Task: 42}}}
	for deaths := range 3 {
		a := open()
		for req.Deaths = 0; req.Deaths < deaths; req.Deaths++ {
			if _, err := a.Begin(req); !errors.Is(err, wire.ErrDied) {
				t.Fatalf("after %d deaths, of which %d are known: %v", deaths, req.Deaths, err)
			}
		}
		if _, err := a.Begin(req); err != nil {
			t.Fatalf("after %d deaths that are known: %v", deaths, err)
		}
		for begun := time.Now(); ; time.Sleep(time.Millisecond) { // until it is noted
			text, err := a.read("3-1")
			if err == nil && text == "7-42 "+string(rune('1'+deaths))+"\n" {
				break
			}
			if time.Since(begun) > 10*time.Second {
				t.Fatalf("noted %q, %v", text, err)
			}
		}
		// The process ends here.
	}
	a := open()
	other := &wire.BuildRequest{Key: req.Key, Base: 8, Ops: []wire.Op{{Task: 43}}}
	if _, err := a.Begin(other); err != nil {
		t.Errorf("another batch: %v", err)
	}
	req.Deaths = 3
	end, err := a.Begin(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := end(nil); err != nil {
		t.Fatal(err)
	}
	req.Deaths = 0
	if _, err := open().Begin(req); err != nil {
		t.Errorf("after it was built: %v", err)
	}
}
