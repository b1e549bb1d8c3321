package shard

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/wire"
)

// verdicts is the log of a test: it knows which tasks have a result.
type verdicts struct {
	over map[uint32]bool
	x    *wire.Index
}

func (v *verdicts) inject(o *Options) {
	o.TaskOver = func(uid uint32) (bool, error) { return v.over[uid], nil }
	o.Index = func(uint32) (*wire.Index, bool) { return v.x, v.x != nil }
}

// pend builds a delta for a task without committing it.
func (w *world) pend(task uint32, number, lostFrom uint64, docs ...string) *wire.BuildRequest {
	w.t.Helper()
	w.fields = []string{"id", "title"}
	req := w.request([]wire.Op{add(w.t, docs...)})
	req.Task, req.Attempt, req.LostFrom = &task, number, lostFrom
	reply, err := w.host.Build(w.t.Context(), req)
	if err != nil || reply.Err != nil || len(reply.NewFields) > 0 {
		w.t.Fatal(err, reply)
	}
	return req
}

// leftovers counts the uncommitted deltas of a host: in memory, as values in the store,
// and as files.
func leftovers(t *testing.T, h *Host, key wire.ShardKey) (deltas, values, files int) {
	t.Helper()
	r, err := h.replicas.loaded(key)
	if err != nil {
		t.Fatal(err)
	}
	deltas = len(r.pendingIf(func(p *pendingDelta) bool { return !p.installed }))
	it, err := h.store.DB.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	prefix := store.AppendPrefix(nil, key, 0, store.TablePending)
	for more := it.SeekGE(prefix); more && store.TablePrefixed(it.Key(), prefix); more = it.Next() {
		values++
	}
	names, err := h.store.FS.List(h.store.Staging)
	if err := errors.Join(err, it.Error(), it.Close()); err != nil {
		t.Fatal(err)
	}
	return deltas, values, len(names)
}

func (w *world) wantLeftovers(when string, deltas int) {
	w.t.Helper()
	d, v, f := leftovers(w.t, w.host, w.key)
	if d != deltas || v != deltas || deltas == 0 && f != 0 {
		w.t.Fatalf("%s: %d deltas in memory, %d in the store, %d files, want %d", when, d, v, f, deltas)
	}
}

// Symptom: fifteen imports of 2,000 documents that failed on another shard left 40 MiB
// on the disk and 160 MiB in the memory of every holder, for good.
func TestADeltaIsDroppedWhenItsTaskHasAResult(t *testing.T) {
	for name, limit := range map[string]func(*Options){"one value": func(*Options) {}, "table files": lowLimits} {
		t.Run(name, func(t *testing.T) {
			fs, log := vfs.NewMem(), &verdicts{over: map[uint32]bool{}}
			w := newWorld(t, openHost(t, fs, limit, log.inject))
			defer func() { w.close() }()
			log.x = w.index()
			for task := range uint32(12) {
				w.pend(task, uint64(task)+1, uint64(task)+1, commonWords(0, 60, fmt.Sprint(" task", task))...)
				log.over[task] = task%4 != 3
				w.host.janitor.tidy(time.Now())
				if d, _, _ := leftovers(t, w.host, w.key); d > 3 {
					t.Fatalf("%d deltas are left after %d batches", d, task+1)
				}
			}
			w.wantLeftovers("three tasks have no result", 3)
			if n := w.preparedInstalls(); n > 1 {
				t.Errorf("%d drafts are in memory", n)
			}
			// After a restart, the node learns of the results late.
			w.reopen(fs, limit, log.inject)
			w.wantLeftovers("after a restart", 3)
			log.over[3], log.over[7], log.over[11] = true, true, true
			w.host.janitor.tidy(time.Now())
			w.wantLeftovers("all tasks have a result", 0)
		})
	}
}

func TestADeltaStaysUntilItsOutcomeIsKnown(t *testing.T) {
	log := &verdicts{over: map[uint32]bool{}}
	w := newWorld(t, openHost(t, vfs.NewMem(), log.inject))
	defer func() { w.close() }()
	log.x = w.index()
	before := w.taken()
	docs := commonWords(0, 20, "")
	req := w.pend(1, 1, 1, docs...)
	w.host.janitor.tidy(time.Now().Add(time.Hour))
	w.wantLeftovers("a task without a result", 1)
	// One entry brings both the result and the version.
	log.over[1] = true
	log.x = &wire.Index{ID: w.key.IndexID, Version: 1}
	w.host.janitor.tidy(time.Now())
	w.wantLeftovers("published, not installed", 1)
	for _, d := range docs {
		w.put(before, d, false)
	}
	w.advance(req)
	w.check()
}

func TestALaterAttemptDropsThoseItSupersedes(t *testing.T) {
	for name, limit := range map[string]func(*Options){"one value": func(*Options) {}, "table files": lowLimits} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, openHost(t, vfs.NewMem(), limit))
			defer func() { w.close() }()
			for n := range uint64(40) { // as many tasks of one batch fail one after the other
				w.pend(1, 5+n, 5, commonWords(0, 60, fmt.Sprint(" attempt", n))...)
				w.wantLeftovers("one plan", 1)
			}
			// A plan whose commit was not answered may still be published.
			w.pend(1, 50, 50, commonWords(0, 60, " next plan")...)
			w.wantLeftovers("another plan of the term", 2)
			shipped := w.deltaOf(50)
			w.pend(1, 51, 50, commonWords(0, 60, " again")...)
			w.wantLeftovers("the plan's second attempt", 2)
			if _, err := w.host.Receive(bytes.NewReader(shipped)); !errors.Is(err, wire.ErrFenced) {
				t.Errorf("a superseded attempt that arrives late: %v, want ErrFenced", err)
			}
			w.wantLeftovers("a late one", 2)
			req := w.request([]wire.Op{add(t, commonWords(0, 60, " next leader")...)})
			task := uint32(1)
			req.Term, req.Task, req.Attempt, req.LostFrom = 4, &task, 1, 1
			if _, err := w.host.Build(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			w.wantLeftovers("the next leader", 1)
			w.advance(req)
			if d, _, _ := leftovers(t, w.host, w.key); d != 0 {
				t.Errorf("%d deltas wait after one was published", d)
			}
		})
	}
}

// deltaOf returns a pending delta as it is shipped.
func (w *world) deltaOf(attempt uint64) []byte {
	w.t.Helper()
	r, err := w.host.replicas.loaded(w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	list := r.pendingIf(func(p *pendingDelta) bool { return p.head.Attempt == attempt })
	if len(list) != 1 {
		w.t.Fatalf("%d deltas of attempt %d", len(list), attempt)
	}
	var out bytes.Buffer
	if err := r.send(list[0].head.Version, list[0].head.ID, &out); err != nil {
		w.t.Fatal(err)
	}
	return out.Bytes()
}
