package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"shoal/wire"
)

// staged puts random content of a little more than 3 chunks on a and b.
func staged(t *testing.T, clusters map[wire.NodeID]*Cluster) (ref *wire.BlobRef, content []byte) {
	t.Helper()
	content = make([]byte, 3*chunkSize+17)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	ref, _, err := clusters["a"].Stage(t.Context(), bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return ref, content
}

// flip changes one byte of a copy.
func flip(t *testing.T, s *Store, id string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, id+".*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("copies %v, %v", found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(found[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFlippedByteInOneCopyOfAPayloadIsReadFromAnother(t *testing.T) {
	clusters, stores := three(t)
	ref, content := staged(t, clusters)
	for _, reader := range []wire.NodeID{"a", "b", "c"} {
		damaged := ref.Nodes[0]
		if reader == ref.Nodes[0] || reader == ref.Nodes[1] {
			damaged = reader
		}
		before := stores[damaged].Dropped()
		flip(t, stores[damaged], ref.ID)
		r, err := clusters[reader].Open(t.Context(), ref)
		if err != nil {
			t.Fatalf("%s cannot read: %v", reader, err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s reads %d bytes, %v", reader, len(got), err)
		}
		if n := stores[damaged].Dropped() - before; n != 1 {
			t.Errorf("%s dropped %d copies", damaged, n)
		}
		if reader == damaged {
			f, err := stores[reader].Open(ref.ID) // a good copy has taken its place
			if err != nil {
				t.Fatalf("the copy of %s was not replaced: %v", reader, err)
			}
			f.Close()
		}
	}
}

func TestAPayloadThatNoHolderHasIsLostAndNotWaitedFor(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, s *Store, id string){
		"removed": func(t *testing.T, s *Store, id string) {
			if err := os.Remove(s.path(id, 7)); err != nil {
				t.Fatal(err)
			}
		},
		"damaged": flip,
	} {
		t.Run(name, func(t *testing.T) {
			clusters, stores := three(t)
			ref, _ := staged(t, clusters)
			for _, n := range ref.Nodes {
				lose(t, stores[n], ref.ID)
			}
			for n, c := range clusters {
				r, err := c.Open(t.Context(), ref)
				if err == nil {
					r.Close()
				}
				if !errors.Is(err, wire.ErrNoBlob) || errors.Is(err, wire.ErrUnavailable) {
					t.Errorf("%s: %v", n, err)
				}
			}
		})
	}
}

func TestAPayloadOfAHolderThatIsAwayIsNotLost(t *testing.T) {
	clusters, stores := three(t)
	ref, _ := staged(t, clusters)
	if err := os.Remove(stores["a"].path(ref.ID, 7)); err != nil {
		t.Fatal(err)
	}
	away := &wire.BlobRef{ID: ref.ID, Nodes: []wire.NodeID{"a", "away"}}
	member := true
	c := clusters["a"]
	c.member = func(n wire.NodeID) (string, bool) { return string(n), member }
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := c.Open(ctx, away); !errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrNoBlob) {
		t.Errorf("while the holder is a member: %v", err)
	}
	member = false // and stays out: node ids are never used again
	if _, err := c.Open(ctx, away); !errors.Is(err, wire.ErrNoBlob) {
		t.Errorf("when the holder has left: %v", err)
	}
}
