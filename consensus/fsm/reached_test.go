package fsm

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A damaged file counts as no file.
func TestAppliedEntriesAreKnownAfterAKill(t *testing.T) {
	fs := vfs.NewMem()
	open := func() *Reached {
		t.Helper()
		r, err := OpenReached(fs, "reached")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	for _, at := range []uint64{7, 300, 299} { // a kill closes nothing
		if err := r.write(at); err != nil {
			t.Fatal(err)
		}
	}
	if got := open().index.Load(); got != 300 {
		t.Errorf("entry %d after a kill", got)
	}
	for _, harm := range []struct {
		b  []byte
		at int64
	}{{[]byte{1}, 4}, {[]byte{0}, 9}} {
		r := open()
		if err := r.write(400); err != nil {
			t.Fatal(err)
		}
		if _, err := r.file.WriteAt(harm.b, harm.at); err != nil {
			t.Fatal(err)
		}
		if got := open().index.Load(); got != 0 {
			t.Errorf("a damaged file says %d", got)
		}
	}
}
