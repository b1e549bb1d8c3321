package shard

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/wire"
)

// crashSite is the disk at one moment and what the catalogue had promised by then.
type crashSite struct {
	fs    *vfs.MemFS
	world world
	what  string
}

// promised returns the world as the catalogue has it.
func (w *world) promised() world {
	c := *w
	c.docs = maps.Clone(w.docs)
	c.settings, c.gens = w.old, w.oldGens
	return c
}

// TestCrash runs batches on a disk. The disk is cloned at random file operations and
// after every step, and loses a random part of its unsynced data. Every clone must open
// and reach the version that was committed at that time.
func TestCrash(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range rounds(4, 2) {
		crashRound(t, r, round%2 == 0, round < 2)
	}
}

// crashRound is one series of batches. low makes most deltas large. With alone, no
// other replica can lack them, so their files are moved instead of linked.
func crashRound(t *testing.T, r *rand.Rand, low, alone bool) {
	mem := vfs.NewCrashableMem()
	var sites []crashSite
	w := newWorld(t, nil)
	if alone {
		w.replicas = []wire.Replica{{Node: "n", State: wire.InSync}}
	}
	committed := w.promised()
	inOp := rand.New(rand.NewPCG(r.Uint64(), 2)) // used under the lock of the operations
	snap := func(r *rand.Rand, what string) {
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 100}[r.IntN(3)], RNG: r}
		sites = append(sites, crashSite{mem.CrashClone(cfg), committed, what})
	}
	var armed bool
	var lock = make(chan struct{}, 1)
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		lock <- struct{}{}
		if armed && inOp.IntN(12) == 0 && len(sites) < 120 {
			snap(inOp, fmt.Sprintf("before %v %s", op.Kind, op.Path))
		}
		<-lock
		return nil
	})
	change := []func(*Options){}
	if low {
		change = append(change, lowLimits)
	}
	w.host = openHost(t, errorfs.Wrap(mem, inject), append(change, w.catalogue)...)
	set := func(f func()) {
		lock <- struct{}{}
		f()
		<-lock
	}
	for range 10 {
		set(func() { armed = true })
		var ops []wire.Op
		if r.IntN(5) == 0 {
			w.settings = randomSettings(r)
			w.gens.Text++
			w.gens.Facet++
		} else {
			ops = w.randomOps(r)
		}
		req, reply := w.build(ops...)
		if reply.Err != nil {
			t.Fatal(reply.Err)
		}
		set(func() { snap(r, "after the build, not committed") })
		// The log commits.
		w.version, w.delta = req.Base+1, req.DeltaID
		w.deltas = append(slices.Clone(w.deltas), wire.Delta{Version: w.version, ID: w.delta})
		w.old, w.oldGens = w.settings, w.gens
		set(func() { committed = w.promised() })
		set(func() { snap(r, "after the commit") })
		if r.IntN(3) > 0 {
			w.install()
			set(func() { snap(r, "after the install") })
			if r.IntN(4) == 0 {
				if err := w.host.store.DB.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	set(func() { armed = false })
	w.close()
	for _, s := range sites {
		s.recover(t, change)
	}
}

// catalogue shows the node what the log has committed.
func (w *world) catalogue(o *Options) {
	o.Index = func(uint32) (*wire.Index, bool) { return w.index(), true }
}

// recover opens the clone and brings it to the promised version.
func (s *crashSite) recover(t *testing.T, change []func(*Options)) {
	t.Helper()
	w := s.world
	w.t = t
	w.host = openHost(t, s.fs, append(slices.Clone(change), w.catalogue)...)
	defer func() {
		if err := w.host.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("crash %s", s.what)
		}
	}()
	if w.version > 0 {
		w.install()
	}
	w.check()
}
