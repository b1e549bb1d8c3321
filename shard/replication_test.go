package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// TestBuildShipsToHolders builds on one host. One holder receives the delta, the other
// is away and left out.
func TestBuildShipsToHolders(t *testing.T) {
	for _, change := range []func(*Options){func(*Options) {}, lowLimits} {
		holder := openHost(t, vfs.NewMem(), change)
		ship := func(_ context.Context, node wire.NodeID, write func(io.Writer) error) error {
			if node != "n2" {
				return errors.New("away")
			}
			var stream bytes.Buffer
			if err := write(&stream); err != nil {
				return err
			}
			_, err := holder.Receive(&stream)
			return err
		}
		w := newWorld(t, openHost(t, vfs.NewMem(), change, func(o *Options) { o.Ship = ship }))
		before := w.taken()
		var docs []string
		for i := range 40 {
			docs = append(docs, fmt.Sprintf(`{"id":%d,"a":"word%d and some others"}`, i, i))
			w.put(before, docs[i], false)
		}
		w.fields = []string{"id", "a"}
		req := w.request([]wire.Op{add(t, docs...)})
		req.Holders = []wire.NodeID{"n1", "n3", "n2"}
		reply, err := w.host.Build(context.Background(), req)
		if err != nil || !slices.Equal(reply.Holders, []wire.NodeID{"n1", "n2"}) {
			t.Fatalf("%v %+v", err, reply)
		}
		w.advance(req)
		w.check()
		second := newWorld(t, holder)
		second.sameAs(w)
		second.install()
		second.check()
		w.close()
		second.close()
	}
}

// Cut or changed streams are refused and leave nothing behind.
func TestDamagedShipmentsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, change := range []func(*Options){func(*Options) {}, lowLimits} {
		w := newWorld(t, openHost(t, vfs.NewMem(), change))
		w.commit(add(t, `{"id":1,"a":"some words that make a delta"}`, `{"id":2,"a":"and some more words, which make it longer"}`))
		good := w.deltaOps()
		second := openHost(t, vfs.NewMem(), change)
		for range 60 {
			bad := []byte(good)
			if r.IntN(2) == 0 {
				bad = bad[:r.IntN(len(bad))]
			} else {
				bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
			}
			if _, err := second.Receive(bytes.NewReader(bad)); err == nil {
				t.Fatal("a damaged delta was taken")
			}
		}
		if names, err := second.store.FS.List(second.store.Staging); err != nil || len(names) > 0 {
			t.Fatalf("left in the staging folder: %v %v", names, err)
		}
		w.close()
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadersSeeExactVersionsDuringInstalls reads cached and uncached sets of exact versions during
// installs.
func TestReadersSeeExactVersionsDuringInstalls(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	const batches = 60
	var mu sync.Mutex
	pins := []wire.PinnedIndex{}
	var wait sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.Lock()
				n := len(pins)
				if n == 0 {
					mu.Unlock()
					continue
				}
				pin := pins[n-1-rand.IntN(min(n, 3))]
				mu.Unlock()
				v, err := w.host.View(context.Background(), &pin)
				if errors.Is(err, wire.ErrGone) || errors.Is(err, wire.ErrBehind) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				common, err := v.Word("common")
				last, err2 := v.Word(fmt.Sprintf("w%d", pin.Version))
				after, err3 := v.Word(fmt.Sprintf("w%d", pin.Version+1))
				if err := errors.Join(err, err2, err3, v.Close()); err != nil || common.Len() != int(pin.Version) || last.Len() != 1 || after.Len() != 0 {
					t.Errorf("version %d: %d, %d, %d documents, %v", pin.Version, common.Len(), last.Len(), after.Len(), err)
					return
				}
			}
		}()
	}
	for i := range batches {
		req, reply := w.build(add(t, fmt.Sprintf(`{"id":%d,"a":"common w%d"}`, i, i+1)))
		if reply.Err != nil {
			t.Fatal(reply.Err)
		}
		// Readers may wait for a version that has not arrived yet.
		mu.Lock()
		pins = append(pins, wire.PinnedIndex{Key: testKey, Version: req.Base + 1, DeltaID: req.DeltaID})
		mu.Unlock()
		w.advance(req)
	}
	close(stop)
	wait.Wait()
	w.close()
}
