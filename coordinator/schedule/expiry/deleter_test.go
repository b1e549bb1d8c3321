package expiry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/task"
	"shoal/wire"
)

// One task deletes a bounded number of documents, but never none while some have expired, and
// never one that has not.
func TestATaskDeletesABoundedNumberOfExpiredDocuments(t *testing.T) {
	many := func(at int64, n int) (all []int64) {
		for range n {
			all = append(all, at)
		}
		return all
	}
	spread := func(from int64, n int) (all []int64) {
		for i := range n {
			all = append(all, from+int64(i))
		}
		return all
	}
	const now = 1_764_170_000
	for name, c := range map[string]struct {
		times []int64
		want  int64 // 0 for none
	}{
		"none":                     {[]int64{now + 1, now + 9}, 0},
		"a few":                    {[]int64{now - 9, now, now + 1}, now},
		"as many as fit":           {spread(now-documentsAtOnce+1, documentsAtOnce), now},
		"one more":                 {spread(now-documentsAtOnce, documentsAtOnce+1), now - 1},
		"long ago":                 {append(many(7, 3), spread(now-documentsAtOnce, documentsAtOnce+1)...), now - 4},
		"too many at once":         {many(now-5, 3*documentsAtOnce), now - 5},
		"too many at once, others": {append(many(now-5, 3*documentsAtOnce), now-7, now-2), now - 6},
		"too many long ago":        {many(1, 2*documentsAtOnce), 1},
	} {
		slices.Sort(c.times)
		asked := 0
		got, err := latest(now, func(at int64) (uint64, error) {
			asked++
			n, _ := slices.BinarySearch(c.times, at+1)
			return uint64(n), nil
		})
		if err != nil || asked > 120 {
			t.Errorf("%s: %v, %d counts", name, err, asked)
		}
		switch {
		case (got == nil) != (c.want == 0):
			t.Errorf("%s: %v, want %d", name, got, c.want)
		case got != nil && *got != c.want:
			// Times between two documents are equally good.
			n, _ := slices.BinarySearch(c.times, *got+1)
			m, _ := slices.BinarySearch(c.times, c.want+1)
			if n != m {
				t.Errorf("%s: %d (%d documents), want %d (%d)", name, *got, n, c.want, m)
			}
		}
	}
	if _, err := latest(now, func(int64) (uint64, error) { return 0, errors.New("away") }); err == nil {
		t.Error("an error of a count is lost")
	}
}

// expiring returns the Deleter of a leader and its log, with indexes whose documents expire, three of each.
func expiring(t *testing.T, indexes int) (*coordtest.Log, *Deleter) {
	log := coordtest.NewLog("n1")
	attribute := "until"
	for i := range indexes {
		s := settings.Default()
		s.ExpiryAttribute = &attribute
		s.Filterable = []settings.FilterableRule{{Patterns: []string{attribute}, Plain: true, Equality: true, Comparison: true}}
		x := &wire.Index{ID: uint32(i + 1), UID: fmt.Sprintf("i%03d", i), Settings: wire.EncodeSettings(s), Shards: []wire.Shard{{SlotHi: wire.Slots}}, Stats: []wire.ShardStats{{Documents: 3}}}
		log.State.ByID[x.ID] = x
	}
	count := func(_ context.Context, uid string, filter []byte) (uint64, error) {
		if !strings.HasPrefix(string(filter), `"\"until\" \"9e-9\" TO \"`) {
			t.Errorf("counted by %s", filter)
		}
		return 3, nil
	}
	return log, New(log, count, nil, slog.New(slog.DiscardHandler))
}

// A turn looks at a bounded number of indexes, the next one goes on after them. An index whose
// deletion waits gets no second one, also from another leader.
func TestTurnsOfExpiryAreBoundedAndRepeatNothing(t *testing.T) {
	log, d := expiring(t, indexesAtOnce+5)
	for turn, want := range []struct {
		last  string
		tasks int
	}{{fmt.Sprintf("i%03d", indexesAtOnce-1), indexesAtOnce}, {"", indexesAtOnce + 5}, {"", indexesAtOnce + 5}} {
		after := ""
		if turn == 1 {
			after = fmt.Sprintf("i%03d", indexesAtOnce-1)
		}
		last, err := d.after(t.Context(), after, 1000)
		if err != nil || last != want.last || len(log.StoredTasks) != want.tasks {
			t.Errorf("turn %d: %q %v, %d tasks; want %q, %d", turn, last, err, len(log.StoredTasks), want.last, want.tasks)
		}
	}
	one := log.StoredTasks[0]
	body, err := task.Decode[task.Deletion](one)
	if err != nil || one.Kind != task.DocumentDeletion || *one.Metadata != task.Expired || *body.Expiry != "until" || string(body.Filter) != `"\"until\" \"9e-9\" TO \"1000\""` {
		t.Errorf("%+v %+v %v", one, body, err)
	}
}

// A standby, and a cluster that reads in a dump, deletes nothing.
func TestNothingExpiresDuringAnImport(t *testing.T) {
	log, d := expiring(t, 1)
	if _, err := coordinator.Propose(t.Context(), log, &wire.Update{Changes: []wire.Change{coordinator.ImportChange("round", coordinator.ImportQueue)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.after(t.Context(), "", 1000); err != nil || len(log.StoredTasks) != 0 {
		t.Errorf("%v, %d tasks", err, len(log.StoredTasks))
	}
}

// A deletion that fails whenever it is tried comes again after growing pauses, and the log says so
// once. Success, a change of the setting and another leader end the pauses.
func TestADeletionThatAlwaysFailsIsTriedLessAndLessOften(t *testing.T) {
	log, d := expiring(t, 1)
	var said strings.Builder
	d.log = slog.New(slog.NewTextHandler(&said, nil))
	end := func(status wire.Status) {
		for uid, stored := range log.StoredTasks {
			ended := *stored
			ended.Status = status
			log.StoredTasks[uid] = &ended
		}
	}
	const day = 24 * 60 * 60
	turns := func(from, seconds int64) (tasks []int64) {
		for now := from; now < from+seconds; now += int64(every / time.Second) {
			before := len(log.StoredTasks)
			if _, err := d.after(t.Context(), "", now); err != nil {
				t.Fatal(err)
			}
			if len(log.StoredTasks) > before {
				tasks = append(tasks, now-from)
				end(wire.Failed)
			}
		}
		return tasks
	}
	tasks := turns(0, day)
	if len(tasks) > 32 || !slices.Equal(tasks[:4], []int64{0, 30, 80, 170}) {
		t.Errorf("a day has tasks at %d", tasks)
	}
	for i := range tasks[1:] {
		if pause := tasks[i+1] - tasks[i]; pause > 3600+10 {
			t.Errorf("a pause of %d s", pause)
		}
	}
	if n := strings.Count(said.String(), "stay, because the task"); n != 1 || !strings.Contains(said.String(), "index=i000 task=") {
		t.Errorf("told %d times: %s", n, &said)
	}
	end(wire.Succeeded)
	d.attempts[1].running = true // the last task was the first one to succeed
	if tasks := turns(2*day, 100); !slices.Equal(tasks, []int64{0, 30, 80}) {
		t.Errorf("after a success: tasks at %d", tasks)
	}
	mended := "till"
	x := log.State.ByID[1].Clone()
	s := *log.State.ByID[1].DecodedSettings()
	s.ExpiryAttribute = &mended
	s.Filterable = []settings.FilterableRule{{Patterns: []string{mended}, Plain: true, Equality: true, Comparison: true}}
	x.Settings = wire.EncodeSettings(&s)
	log.State.ByID[1] = x
	d.count = func(context.Context, string, []byte) (uint64, error) { return 3, nil }
	if tasks := turns(2*day+100, 10); len(tasks) != 1 {
		t.Errorf("after the setting was mended: tasks at %d", tasks)
	}
	delete(log.State.ByID, 1)
	if turns(3*day, 10); len(d.attempts) != 0 {
		t.Errorf("an index that is gone is remembered: %v", d.attempts)
	}
}
