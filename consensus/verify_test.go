package consensus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/raftlog"
)

// For a node that was not running, only the pages of its log were once checked, which have
// no checksums.
func TestVerifyFindsAChangedEntry(t *testing.T) {
	dir := t.TempDir()
	s, err := raftlog.Open(raftlog.Options{Dir: dir, OnFatal: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5) {
		body, err := entry.Encode(addTask("an index called movies"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.StoreLog(&raft.Log{Index: i + 1, Term: 1, Type: raft.LogCommand, Data: entry.Stamp(int64(i), 0, body, true)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "raft.db")
	read := func() []string {
		t.Helper()
		faults, _, err := raftlog.Verify(t.Context(), path, checkCommand)
		if err != nil {
			t.Fatal(err)
		}
		return faults
	}
	if faults := read(); len(faults) > 0 {
		t.Fatalf("a sound log: %q", faults)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte("called movies"), []byte("callee movies")) // older copies of pages, too
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if faults := read(); len(faults) != 5 || !strings.HasPrefix(faults[0], "entry ") {
		t.Errorf("one letter of each entry: %q", faults)
	}
	if err := os.Truncate(path, 12<<10); err != nil {
		t.Fatal(err)
	}
	if faults := read(); len(faults) == 0 || !strings.Contains(faults[0], path) {
		t.Errorf("a log that was cut off: %q", faults)
	}
}
