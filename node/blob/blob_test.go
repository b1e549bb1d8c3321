package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// three starts nodes a, b and c that want two copies of each blob.
func three(t *testing.T) (clusters map[wire.NodeID]*Cluster, stores map[wire.NodeID]*Store) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	addrs := map[wire.NodeID]string{}
	clusters, stores = map[wire.NodeID]*Cluster{}, map[wire.NodeID]*Store{}
	secret, err := peer.NewSecret(peer.RandomSecret())
	if err != nil {
		t.Fatal(err)
	}
	identify := func(n wire.NodeID) *peer.Identity {
		id, err := secret.Identify(n)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	link := peer.NewLink(machine.System{}, identify("client"), func(n wire.NodeID) (string, bool) { a, ok := addrs[n]; return a, ok })
	t.Cleanup(func() {
		if err := link.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, n := range []wire.NodeID{"a", "b", "c"} {
		st, err := Open(machine.Disk(), filepath.Join(t.TempDir(), "blobs"), log)
		if err != nil {
			t.Fatal(err)
		}
		ln, err := peer.Listen(machine.System{}, "127.0.0.1:0", identify(n), log)
		if err != nil {
			t.Fatal(err)
		}
		addrs[n] = ln.Addr().String()
		var others []wire.NodeID
		for _, o := range []wire.NodeID{"a", "b", "c"} {
			if o != n {
				others = append(others, o)
			}
		}
		c := NewCluster(n, st, link, func() (int, []wire.NodeID) { return 2, others }, func() uint64 { return 7 },
			func(id wire.NodeID) (string, bool) { _, ok := addrs[id]; return string(id), ok })
		srv := peer.NewServer(log)
		c.Register(srv)
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ln.RPC()) }()
		t.Cleanup(func() {
			srv.Close()
			if err := ln.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
		clusters[n], stores[n] = c, st
	}
	return clusters, stores
}

func TestBlobIsReadableOnEveryNodeAfterItsStagerLostIt(t *testing.T) {
	clusters, stores := three(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	content := make([]byte, 3*chunkSize+17)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	ref, epoch, err := clusters["a"].Stage(ctx, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if len(ref.Nodes) != 2 || epoch != 7 || ref.Size != int64(len(content)) {
		t.Fatalf("staged as %+v under epoch %d", ref, epoch)
	}
	if err := os.Remove(stores["a"].path(ref.ID, 7)); err != nil {
		t.Fatal(err)
	}
	for n, c := range clusters {
		r, err := c.Open(ctx, ref)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s reads %d bytes, %v", n, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTooFewNodesIsAnError(t *testing.T) {
	clusters, _ := three(t)
	c := clusters["a"]
	c.targets = func() (int, []wire.NodeID) { return 3, []wire.NodeID{"b", "gone"} }
	if _, _, err := c.Stage(t.Context(), bytes.NewReader([]byte("x")), 1); !errors.Is(err, wire.ErrUnavailable) {
		t.Fatalf("staged on too few nodes: %v", err)
	}
}

func TestSweepKeepsWhatTasksNeed(t *testing.T) {
	s, err := Open(machine.Disk(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string, epoch uint64) string {
		t.Helper()
		w, err := s.Create()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		id, _, err := w.Commit("", epoch)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	held := func(id string) bool {
		f, err := s.Get(id)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		return true
	}
	needed, orphan := put("needed", 3), put("orphan", 3)
	now := time.Unix(1000, 0)
	sweep := func(pending map[string]bool, min uint64, at time.Duration) {
		t.Helper()
		if err := s.Sweep(pending, min, now.Add(at)); err != nil {
			t.Fatal(err)
		}
	}
	sweep(map[string]bool{needed: true}, 3, 0)
	if !held(needed) || !held(orphan) {
		t.Fatal("a blob of the current epoch was removed")
	}
	sweep(map[string]bool{needed: true}, 4, time.Second)
	if !held(needed) || held(orphan) {
		t.Fatal("only the orphan of an old epoch must go")
	}
	sweep(nil, 3, 2*time.Second)
	if !held(needed) {
		t.Fatal("a blob went right after its task finished")
	}
	sweep(nil, 3, 2*time.Second+settled)
	if held(needed) {
		t.Fatal("the blob of a finished task stays for ever")
	}
}

func TestTheBlobOfATaskThatWasSoonFinishedGoes(t *testing.T) {
	s, err := Open(machine.Disk(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := w.Commit("", 5)
	if err != nil {
		t.Fatal(err)
	}
	// The task came and ended between two checks of the pending tasks.
	s.Named([]string{id})
	now := time.Unix(1000, 0)
	for i, at := range []time.Duration{0, settled} {
		f, err := s.Get(id)
		if err != nil {
			t.Fatalf("sweep %d: %v", i, err)
		}
		f.Close()
		if err := s.Sweep(nil, 5, now.Add(at)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Get(id); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the blob stays: %v", err)
	}
}

// stagedAgain puts the same content into the store every time.
func stagedAgain(t *testing.T, s *Store) string {
	t.Helper()
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("the same again")); err != nil {
		t.Fatal(err)
	}
	id, _, err := w.Commit("", 5)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestAContentThatComesBackIsKept(t *testing.T) {
	s, err := Open(machine.Disk(), t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	id := stagedAgain(t, s)
	for _, pending := range []map[string]bool{{id: true}, nil} {
		if err := s.Sweep(pending, 5, now); err != nil {
			t.Fatal(err)
		}
	}
	stagedAgain(t, s)     // for a task that is not accepted yet
	s.Named([]string{id}) // by the first one, perhaps
	if err := s.Sweep(nil, 5, now.Add(2*settled)); err != nil {
		t.Fatal(err)
	}
	f, err := s.Get(id)
	if err != nil {
		t.Fatalf("the content of the second task is gone: %v", err)
	}
	f.Close()
}
