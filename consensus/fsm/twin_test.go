package fsm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/state"
	"shoal/wire"
)

// openTestFSM opens a state machine on a file system in memory.
func openTestFSM(t testing.TB, fs vfs.FS) *FSM {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	snaps, err := state.OpenSnapshots(fs, "/group/snapshots", log)
	if err != nil {
		t.Fatal(err)
	}
	st := state.Stores{FS: fs, Dir: "/group/state", Cache: 1 << 20, Log: log, Fatal: func(err error) { t.Error(err) }}
	f, err := Open(st, snaps, log)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// history generates entries that make sense in the state they meet, and keeps the
// names of all tasks the slow way: every rename rewrites every task.
type history struct {
	t     testing.TB
	rng   *rand.Rand
	fsm   *FSM // where every entry is applied on its own
	log   []*raft.Log
	term  uint64
	clock int64
	names map[uint32][]string
}

var testIndexes = []string{"a", "b", "c", "d", "e"}

func (h *history) pick(list []string) string { return list[h.rng.IntN(len(list))] }

// add appends and applies one command.
func (h *history) add(cmd *wire.Command) *wire.Result {
	h.t.Helper()
	body, err := entry.Encode(cmd, wire.Version)
	if err != nil {
		h.t.Fatal(err)
	}
	h.clock += int64(h.rng.IntN(1000)) - 100 // a new leader's clock may be behind
	l := &raft.Log{
		Index: uint64(len(h.log)) + 1, Term: h.term, Type: raft.LogCommand,
		Data: entry.Stamp(h.clock, h.clock-500, body, true),
	}
	h.log = append(h.log, l)
	r, ok := h.fsm.Apply(l).(*wire.Result)
	if !ok {
		h.t.Fatalf("entry %d: %v", l.Index, h.fsm.Failure())
	}
	return r
}

func (h *history) step() {
	if h.rng.IntN(40) == 0 {
		h.term++
	}
	switch n := h.rng.IntN(100); {
	case n < 40:
		h.enqueue()
	case n < 48:
		h.start()
	case n < 78:
		h.commit()
	case n < 88:
		h.update()
	case n < 94:
		h.delete()
	default:
		e := uint64(h.rng.IntN(5))
		h.add(&wire.Command{Epoch: &wire.RaiseEpoch{StageEpoch: e, MinStageEpoch: e / 2}})
	}
}

func (h *history) enqueue() {
	var t wire.Task
	switch h.rng.IntN(5) {
	case 0:
		x, y := h.pick(testIndexes), h.pick(testIndexes)
		t = wire.Task{Kind: "indexSwap", Indexes: []string{x, y}}
		t.Details = fmt.Appendf(nil, `{"swaps":[{"indexes":[%q,%q],"rename":false}]}`, x, y)
		t.Body = t.Details
	case 1:
		t = wire.Task{Kind: state.Cancelation, Details: json.RawMessage(`{"matchedTasks":1}`)}
	default:
		x := h.pick(testIndexes)
		t = wire.Task{Kind: wire.Kind(h.pick([]string{"documentAdditionOrUpdate", "settingsUpdate", "indexUpdate"})), IndexUID: &x}
		t.Payload.Inline = []byte(strings.Repeat("x", h.rng.IntN(50)))
		if h.rng.IntN(4) == 0 {
			t.Payload.Blob = &wire.BlobRef{ID: "blob"}
		}
	}
	res := h.add(&wire.Command{Enqueue: &wire.Enqueue{
		RequestID: fmt.Sprint("r", h.rng.IntN(400)), Task: t, StageEpoch: uint64(h.rng.IntN(4)), Aliases: h.rng.IntN(2) == 0,
	}})
	if res.Task != nil {
		if _, known := h.names[res.Task.UID]; !known {
			h.names[res.Task.UID] = state.AppendNames(nil, res.Task)
		}
	}
}

// some returns a few unfinished tasks.
func (h *history) some() []uint32 {
	var uids []uint32
	for _, t := range h.fsm.Pending() {
		if h.rng.IntN(4) == 0 && len(uids) < 4 {
			uids = append(uids, t.UID)
		}
	}
	return uids
}

func (h *history) running() (uid uint32, tasks []uint32) {
	all, _, err := h.fsm.Batches(&wire.TaskQuery{Statuses: []wire.Status{wire.Processing}, Limit: -1})
	if err != nil {
		h.t.Fatal(err)
	}
	if len(all) == 0 || h.rng.IntN(2) == 0 {
		return wire.NoBatch, nil
	}
	b := all[h.rng.IntN(len(all))]
	return b.UID, b.Tasks
}

func (h *history) start() {
	b := wire.Batch{UID: wire.NoBatch, Tasks: h.some(), Strategy: "unspecified"}
	if uid, tasks := h.running(); uid != wire.NoBatch {
		b.UID, b.Tasks = uid, tasks
	}
	if h.rng.IntN(2) == 0 {
		b.StartedAt = h.clock - 50
	}
	h.add(&wire.Command{Start: &wire.Start{Term: h.someTerm(), Batch: b}})
}

func (h *history) someTerm() uint64 {
	if h.rng.IntN(20) == 0 {
		return h.term - 1
	}
	return h.term
}

func (h *history) commit() {
	cmd := &wire.Command{}
	var swaps []func()
	for i := range 1 + h.rng.IntN(2) {
		c := wire.Commit{Term: h.someTerm(), Batch: wire.Batch{UID: wire.NoBatch, Tasks: h.some()}}
		if uid, tasks := h.running(); uid != wire.NoBatch {
			c.Batch.UID, c.Batch.Tasks = uid, tasks
		}
		for _, uid := range c.Batch.Tasks {
			if h.rng.IntN(6) == 0 {
				continue // goes back into the queue
			}
			r := wire.TaskResult{UID: uid, Status: wire.Status(2 + h.rng.IntN(2))}
			if r.Status == wire.Failed {
				r.Error = &wire.Failure{Message: "no", Code: "internal"}
			}
			c.Results = append(c.Results, r)
		}
		var effect func()
		if i == 0 { // the names a second one meets depend on the first
			c.Changes, effect = h.change(c.Batch.Tasks)
		}
		cmd.Commit = append(cmd.Commit, c)
		swaps = append(swaps, effect)
	}
	res := h.add(cmd)
	for i, effect := range swaps {
		if !res.Commits[i].Fenced && effect != nil {
			effect()
		}
	}
}

// change makes catalogue changes and what they do to the names.
func (h *history) change(tasks []uint32) ([]wire.Change, func()) {
	c := h.fsm.Catalog.Load()
	all := c.Indexes()
	bound := uint64(state.AllTasks)
	if len(tasks) > 0 {
		bound = uint64(slices.Min(tasks))
	}
	rename := func(of func(string) string) func() {
		return func() {
			for uid, names := range h.names {
				if uint64(uid) < bound {
					for i := range names {
						names[i] = of(names[i])
					}
				}
			}
		}
	}
	switch n := h.rng.IntN(8); {
	case n == 0:
		return []wire.Change{{PutIndex: &wire.Index{UID: h.pick(testIndexes), Settings: []byte("{}")}}}, nil
	case n == 1 && len(all) > 1:
		x, y := all[h.rng.IntN(len(all))], all[h.rng.IntN(len(all))]
		return []wire.Change{{SwapNames: &[2]uint32{x.ID, y.ID}}}, rename(func(s string) string {
			switch s {
			case x.UID:
				return y.UID
			case y.UID:
				return x.UID
			}
			return s
		})
	case n == 2 && len(all) > 0:
		x, to, exchange := all[h.rng.IntN(len(all))], h.pick(testIndexes), h.rng.IntN(2) == 0
		return []wire.Change{{RenameIndex: &wire.Rename{IndexID: x.ID, UID: to, Exchange: exchange}}}, rename(func(s string) string {
			switch {
			case s == x.UID:
				return to
			case exchange && s == to:
				return x.UID
			}
			return s
		})
	case n == 3 && len(all) > 0:
		return []wire.Change{{DropIndex: &all[h.rng.IntN(len(all))].ID}}, nil
	case n == 4:
		return []wire.Change{{CancelTasks: &wire.CancelTasks{UIDs: h.some(), By: uint32(h.rng.IntN(50))}}}, nil
	case n == 5 && len(all) > 0:
		x := all[h.rng.IntN(len(all))].Clone()
		x.Version++
		return []wire.Change{{PutIndex: x}}, nil
	}
	return nil, nil
}

func (h *history) update() {
	u := &wire.Update{RequestID: fmt.Sprint("u", h.rng.IntN(200))}
	switch h.rng.IntN(6) {
	case 0:
		u.Changes = []wire.Change{{PutKey: &wire.Key{UID: fmt.Sprint("k", h.rng.IntN(9)), CreatedAt: h.clock}}}
	case 1:
		u.Changes = []wire.Change{{DropKey: ptr(fmt.Sprint("k", h.rng.IntN(9)))}}
	case 2:
		v := wire.Value{Name: "features", JSON: fmt.Appendf(nil, "%d", h.rng.IntN(3))}
		u.Changes = []wire.Change{{PutValue: &v}}
		old := wire.Value{Name: "features", JSON: fmt.Appendf(nil, "%d", h.rng.IntN(3))}
		u.CompareValue = &old
	case 3:
		id := wire.NodeID(fmt.Sprintf("node-%d", h.rng.IntN(3)))
		u.Changes = []wire.Change{{PutNode: &wire.Node{ID: id, Name: fmt.Sprint(h.clock)}}}
	case 4:
		u.Changes = []wire.Change{{DropNode: ptr(wire.NodeID(fmt.Sprintf("node-%d", h.rng.IntN(3))))}}
	case 5:
		c := &wire.AliasChange{Name: h.pick(testIndexes), Index: h.pick(append(testIndexes, ""))}
		if h.rng.IntN(4) == 0 {
			c.From = ptr(h.pick(testIndexes))
		}
		u.Changes = []wire.Change{{PutAlias: c}}
	}
	h.add(&wire.Command{Update: u})
}

func (h *history) delete() {
	d := &wire.DeleteTasks{}
	last := uint32(h.fsm.State.Figures.Tasks)
	for range h.rng.IntN(30) {
		d.UIDs = append(d.UIDs, uint32(h.rng.IntN(int(last)+1)))
	}
	if h.rng.IntN(3) == 0 {
		set := roaring.New()
		set.AddRange(0, uint64(last)/3)
		d.Bitmap, _ = set.ToBytes()
	}
	h.add(&wire.Command{Delete: d})
}

// dump is everything that is stored, as text.
func dump(t testing.TB, f *FSM) string {
	t.Helper()
	var out strings.Builder
	it, err := f.State.DB.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for it.First(); it.Valid(); it.Next() {
		fmt.Fprintf(&out, "%q = %q\n", it.Key(), it.Value())
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// replica is a second state machine that gets the same log in runs of any length,
// with restarts, crashes and restored snapshots in between.
type replica struct {
	t     testing.TB
	rng   *rand.Rand
	fs    *vfs.MemFS
	fsm   *FSM
	given int
}

func (r *replica) catchUp(log []*raft.Log) {
	for r.given < len(log) {
		if r.rng.IntN(10) == 0 {
			r.disturb()
			// Entries that raft delivers again after a start are skipped.
			r.given = max(0, min(r.given, int(r.fsm.State.Figures.Applied))-r.rng.IntN(20))
		}
		n := min(1+r.rng.IntN(9), len(log)-r.given)
		r.fsm.ApplyBatch(log[r.given : r.given+n])
		r.given += n
	}
}

func (r *replica) disturb() {
	switch r.rng.IntN(3) {
	case 0: // a restart
		if err := r.fsm.Close(); err != nil {
			r.t.Fatal(err)
		}
	case 1: // a crash that loses some of what was not synced
		fs := r.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.rng.IntN(101), RNG: r.rng})
		if err := r.fsm.Close(); err != nil {
			r.t.Fatal(err)
		}
		r.fs = fs
	default:
		r.snapshot()
		return
	}
	r.fsm = openTestFSM(r.t, r.fs)
}

// snapshot takes a snapshot, sends it through the stream to a fresh folder, and
// goes on from there.
func (r *replica) snapshot() {
	s, err := r.fsm.Snapshot()
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Release()
	out, err := r.fsm.snaps.Create(1, r.fsm.State.Figures.Applied, 1, raft.Configuration{}, 1, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := s.Persist(out); err != nil {
		r.t.Fatal(err)
	}
	meta, stream, err := r.fsm.snaps.Open(out.ID())
	if err != nil {
		r.t.Fatal(err)
	}
	defer stream.Close()
	body, err := io.ReadAll(stream)
	if err != nil || int64(len(body)) != meta.Size {
		r.t.Fatalf("snapshot of %d bytes instead of %d: %v", len(body), meta.Size, err)
	}
	if err := r.fsm.Restore(io.NopCloser(bytes.NewReader(body))); err != nil {
		r.t.Fatal(err)
	}
}

func TestTwins(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for round := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed+round), func(t *testing.T) { twins(t, seed+round) })
	}
}

func twins(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	h := &history{t: t, rng: rng, fsm: openTestFSM(t, vfs.NewMem()), term: 2, clock: 1e9, names: make(map[uint32][]string)}
	r := &replica{t: t, rng: rand.New(rand.NewPCG(seed, 2)), fs: vfs.NewCrashableMem()}
	r.fsm = openTestFSM(t, r.fs)
	defer func() {
		if err := h.fsm.Close(); err != nil {
			t.Error(err)
		}
		if err := r.fsm.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 8 {
		for range 60 {
			h.step()
		}
		r.catchUp(h.log)
		if a, b := dump(t, h.fsm), dump(t, r.fsm); a != b {
			t.Fatalf("stored states differ:\n%s", firstDifference(a, b))
		}
		compareCatalogs(t, h.fsm.Catalog.Load(), r.fsm.Catalog.Load())
		for range 40 {
			q := randomQuery(rng, h.clock)
			compareLists(t, h, q)
			compareTwins(t, h.fsm, r.fsm, q)
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

func compareCatalogs(t *testing.T, a, b *state.Catalog) {
	t.Helper()
	if a.Applied() != b.Applied() || a.StoredTasks() != b.StoredTasks() || a.NextIndexID() != b.NextIndexID() ||
		a.StageEpoch() != b.StageEpoch() || a.MinStageEpoch() != b.MinStageEpoch() {
		t.Errorf("figures differ: %+v and %+v", a, b)
	}
	for _, x := range a.Indexes() {
		if y, ok := b.Index(x.UID); !ok || y.ID != x.ID || y.Version != x.Version {
			t.Errorf("index %s: %+v and %+v", x.UID, x, y)
		}
		if y, ok := a.IndexByID(x.ID); !ok || y != x {
			t.Errorf("index %s is not filed under its id", x.UID)
		}
	}
	if len(a.Indexes()) != len(b.Indexes()) || !reflect.DeepEqual(a.Keys(), b.Keys()) || !reflect.DeepEqual(a.Nodes(), b.Nodes()) {
		t.Error("listings differ")
	}
}

func uids(t *testing.T, f *FSM, q *wire.TaskQuery) []uint32 {
	t.Helper()
	list, err := f.TaskUIDs(q)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func compareTwins(t *testing.T, a, b *FSM, q *wire.TaskQuery) {
	t.Helper()
	x, n, err := a.Tasks(q)
	y, m, err2 := b.Tasks(q)
	if err != nil || err2 != nil || n != m || !reflect.DeepEqual(x, y) {
		t.Fatalf("tasks of twins differ for %+v: %d %v, %d %v", q, n, err, m, err2)
	}
	u, n, err := a.Batches(q)
	v, m, err2 := b.Batches(q)
	if err != nil || err2 != nil || n != m || !reflect.DeepEqual(u, v) {
		t.Fatalf("batches of twins differ for %+v: %d %v, %d %v", q, n, err, m, err2)
	}
	if !slices.Equal(uids(t, a, q), uids(t, b, q)) {
		t.Fatalf("uids of twins differ for %+v", q)
	}
}
