package raftlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
)

var errCheck = errors.New("it is not what was written")

// The file of the log has no checksums of its own. A flipped bit once got into the state
// and to other nodes.
func TestADamagedEntryIsNeitherAppliedNorSent(t *testing.T) {
	dir := t.TempDir()
	var failed []error
	open := func() *Store {
		t.Helper()
		s, err := Open(Options{
			Dir: dir, OnFatal: func(err error) { failed = append(failed, err) },
			Check: func(data []byte) error {
				if bytes.Contains(data, []byte("spoilt")) {
					return errCheck
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	for i := range uint64(3) {
		if err := s.StoreLog(&raft.Log{Index: i + 1, Term: 1, Type: raft.LogCommand, Data: []byte("command " + string('a'+rune(i)))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "raft.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte("command b")) {
		t.Fatal("the file does not hold what was written")
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte("command b"), []byte("cospoiltb")), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	var l raft.Log
	if err := s.GetLog(1, &l); err != nil || len(failed) > 0 {
		t.Fatalf("a sound entry: %v, %v", err, failed)
	}
	if err := s.GetLog(9, &l); !errors.Is(err, raft.ErrLogNotFound) || len(failed) > 0 {
		t.Fatalf("an entry that is not there: %v, %v", err, failed)
	}
	if err := s.ReadLog(2, &l); err != nil || len(failed) > 0 {
		t.Fatalf("to look at it ends nothing: %v, %v", err, failed)
	}
	if err := s.GetLog(2, &l); !errors.Is(err, errCheck) || len(failed) != 1 || !strings.Contains(failed[0].Error(), "entry 2 of the log") {
		t.Errorf("a damaged entry: %v, %v", err, failed)
	}
}
