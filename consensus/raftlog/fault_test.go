package raftlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
)

// The file is read through a memory map, where a failing disk or a truncated file raises
// SIGBUS. The process once ended without a message.
func TestALogThatCannotBeReadIsReported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut off there")
	}
	dir := t.TempDir()
	var failed []error
	s, err := Open(Options{Dir: dir, OnFatal: func(err error) { failed = append(failed, err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the file is not what it was
	for i := range uint64(200) {
		if err := s.StoreLog(&raft.Log{Index: i + 1, Term: 1, Type: raft.LogCommand, Data: bytes.Repeat([]byte{byte(i)}, 16<<10)}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "raft.db")
	if err := os.Truncate(path, 16<<10); err != nil {
		t.Fatal(err)
	}
	names := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	}
	var l raft.Log
	names("an entry", s.GetLog(150, &l))
	if len(failed) != 1 || !strings.Contains(failed[0].Error(), "entry 150 of the log: the disk does not give back a part of "+path) {
		t.Fatalf("the node was told %v", failed)
	}
	t.Log(failed[0])
	names("an entry that is only looked at", s.ReadLog(150, &l))
	_, err = s.LastIndex()
	names("the last entry", err)
	names("an append", s.StoreLog(&raft.Log{Index: 201, Term: 1}))
	if len(failed) != 3 {
		t.Errorf("the node was told %d times: %v", len(failed), failed)
	}
}

// Errors that are not memory faults are passed on unchanged.
func TestGuardKeepsErrors(t *testing.T) {
	if err := Guard("a file", func() error { return raft.ErrLogNotFound }); !errors.Is(err, raft.ErrLogNotFound) {
		t.Error(err)
	}
	if err := Guard("a file", func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Guard("a file", func() error { panic("page 7 is odd") }); err == nil || err.Error() != "a file cannot be read: page 7 is odd" {
		t.Error(err)
	}
}
