package fsm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/consensus/state"
	"shoal/wire"
)

// randomQuery restricts some of the filters.
func randomQuery(rng *rand.Rand, now int64) *wire.TaskQuery {
	q := &wire.TaskQuery{Limit: rng.IntN(12) - 1, Reverse: rng.IntN(2) == 0}
	some := func() bool { return rng.IntN(5) == 0 }
	uids := func() []uint32 {
		list := []uint32{}
		for range rng.IntN(12) {
			list = append(list, uint32(rng.IntN(200)))
		}
		return list
	}
	date := func() *int64 { return ptr(now - int64(rng.IntN(200000))) }
	if some() {
		q.UIDs = uids()
	}
	if some() {
		q.BatchUIDs = uids()
	}
	if some() {
		q.CanceledBy = uids()
	}
	if some() {
		q.Statuses = []wire.Status{wire.Status(rng.IntN(5)), wire.Status(rng.IntN(5))}
	}
	if some() {
		q.Kinds = []wire.Kind{"settingsUpdate", "indexSwap"}
	}
	if some() {
		q.IndexUIDs = []string{testIndexes[rng.IntN(5)]}
	}
	if some() {
		q.AfterEnqueuedAt = date()
	}
	if some() {
		q.BeforeStartedAt = date()
	}
	if some() {
		q.AfterFinishedAt, q.BeforeFinishedAt = date(), date()
	}
	if some() {
		q.From = ptr(uint32(rng.IntN(250)))
	}
	if some() {
		q.Authorized = [][]string{{"a"}, {"a", "b*"}, {"*"}, {}}[rng.IntN(4)]
	}
	return q
}

// compareLists checks the list against one made by looking at every record.
func compareLists(t *testing.T, h *history, q *wire.TaskQuery) {
	t.Helper()
	var all []*wire.Task
	for uid := range uint32(h.fsm.State.Figures.Tasks) {
		task, ok, err := h.fsm.Task(uid)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			all = append(all, task)
			if names := state.AppendNames(nil, task); !slices.Equal(names, h.names[uid]) {
				t.Fatalf("task %d names %v instead of %v", uid, names, h.names[uid])
			}
		}
	}
	var matching []*wire.Task
	for _, task := range all {
		if slowMatch(q, task) {
			matching = append(matching, task)
		}
	}
	want := uidsOfTasks(slowPage(q, matching))
	page, total, err := h.fsm.Tasks(q)
	if err != nil || total != uint64(len(matching)) || !slices.Equal(uidsOfTasks(page), want) {
		t.Fatalf("%+v: %v of %d (%v) instead of %v of %d", q, uidsOfTasks(page), total, err, want, len(matching))
	}
	visible := slices.DeleteFunc(matching, func(task *wire.Task) bool { return slowHidden(q, task) })
	if got := uids(t, h.fsm, q); !slices.Equal(got, uidsOfTasks(visible)) {
		t.Fatalf("%+v: uids %v instead of %v", q, got, uidsOfTasks(visible))
	}
	compareBatchList(t, h, q, all)
}

func uidsOfTasks(tasks []*wire.Task) []uint32 {
	uids := []uint32{}
	for _, task := range tasks {
		uids = append(uids, task.UID)
	}
	return uids
}

func slowMatch(q *wire.TaskQuery, t *wire.Task) bool {
	is := func(list []uint32, n *uint32) bool { return list == nil || n != nil && slices.Contains(list, *n) }
	in := func(at int64, after, before *int64) bool {
		if after == nil && before == nil {
			return true
		}
		return at != 0 && (after == nil || at > *after) && (before == nil || at < *before)
	}
	names := state.AppendNames(nil, t)
	return is(q.UIDs, &t.UID) && is(q.BatchUIDs, t.Batch) && is(q.CanceledBy, t.CanceledBy) &&
		(q.Statuses == nil || slices.Contains(q.Statuses, t.Status)) &&
		(q.Kinds == nil || slices.Contains(q.Kinds, t.Kind)) &&
		(q.IndexUIDs == nil || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(q.IndexUIDs, n) })) &&
		in(t.EnqueuedAt, q.AfterEnqueuedAt, q.BeforeEnqueuedAt) &&
		in(t.StartedAt, q.AfterStartedAt, q.BeforeStartedAt) &&
		in(t.FinishedAt, q.AfterFinishedAt, q.BeforeFinishedAt)
}

func slowHidden(q *wire.TaskQuery, t *wire.Task) bool {
	free := q.Authorized == nil || slices.Contains(q.Authorized, "*")
	if (q.IndexUIDs != nil || !free) && t.IndexUID == nil {
		return true
	}
	for _, name := range state.AppendNames(nil, t) {
		if !free && !slices.Contains(q.Authorized, name) && !(name == "b" && slices.Contains(q.Authorized, "b*")) {
			return true
		}
	}
	return false
}

// slowPage orders, cuts at From and Limit, and only then hides.
func slowPage(q *wire.TaskQuery, tasks []*wire.Task) []*wire.Task {
	list := slices.Clone(tasks)
	if !q.Reverse {
		slices.Reverse(list)
	}
	var page []*wire.Task
	n := 0
	for _, t := range list {
		if q.From != nil && (q.Reverse && t.UID < *q.From || !q.Reverse && t.UID > *q.From) {
			continue
		}
		if q.Limit >= 0 && n >= q.Limit {
			break
		}
		n++
		if !slowHidden(q, t) {
			page = append(page, t)
		}
	}
	return page
}

// compareBatchList checks the filters of the batch list that follow from the
// batches' tasks alone (index names of batches are not rewritten).
func compareBatchList(t *testing.T, h *history, q *wire.TaskQuery, all []*wire.Task) {
	t.Helper()
	if q.IndexUIDs != nil || q.Authorized != nil || q.AfterEnqueuedAt != nil {
		return
	}
	members := make(map[uint32][]*wire.Task)
	for _, task := range all {
		if task.Batch != nil {
			members[*task.Batch] = append(members[*task.Batch], task)
		}
	}
	var want []uint32
	for uid, tasks := range members {
		if slowBatch(q, uid, tasks) {
			want = append(want, uid)
		}
	}
	slices.Sort(want)
	everything := *q
	everything.Limit, everything.From, everything.Reverse = -1, nil, true
	page, total, err := h.fsm.Batches(&everything)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint32
	for _, b := range page {
		got = append(got, b.UID)
		if !slices.Equal(b.Tasks, uidsOfTasks(members[b.UID])) {
			t.Fatalf("batch %d has tasks %v instead of %v", b.UID, b.Tasks, uidsOfTasks(members[b.UID]))
		}
	}
	if !slices.Equal(got, want) || total != uint64(len(want)) {
		t.Fatalf("%+v: batches %v (%d) instead of %v", q, got, total, want)
	}
}

func slowBatch(q *wire.TaskQuery, uid uint32, tasks []*wire.Task) bool {
	has := func(ok func(*wire.Task) bool) bool { return slices.ContainsFunc(tasks, ok) }
	if q.BatchUIDs != nil && !slices.Contains(q.BatchUIDs, uid) {
		return false
	}
	if q.UIDs != nil && !has(func(t *wire.Task) bool { return t.FinishedAt != 0 && slices.Contains(q.UIDs, t.UID) }) {
		return false
	}
	if q.CanceledBy != nil && !has(func(t *wire.Task) bool {
		return t.Kind == state.Cancelation && t.Status == wire.Succeeded && slices.Contains(q.CanceledBy, t.UID)
	}) {
		return false
	}
	if q.Statuses != nil && !has(func(t *wire.Task) bool { return slices.Contains(q.Statuses, t.Status) }) {
		return false
	}
	if q.Kinds != nil && !has(func(t *wire.Task) bool { return slices.Contains(q.Kinds, t.Kind) }) {
		return false
	}
	in := func(at int64, after, before *int64) bool {
		return after == nil && before == nil ||
			at != 0 && (after == nil || at > *after) && (before == nil || at < *before)
	}
	// All tasks of a batch share these two dates.
	return in(tasks[0].StartedAt, q.AfterStartedAt, q.BeforeStartedAt) &&
		in(tasks[0].FinishedAt, q.AfterFinishedAt, q.BeforeFinishedAt)
}
