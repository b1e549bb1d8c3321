package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
)

// TestSchedulerScript plays testdata/scheduler.txt. The script enqueues tasks, the leader forms
// batches, and each batch is held until the script lets it finish. So the script shows which
// batches run together and which wait.
//
//	new [lanes=N]   an empty cluster whose node leads
//	enqueue         a task a line (see enqueueLine)
//	dispatch        one round of the leader: the batches that it starts
//	finish N        the batch whose first task is N ends; what starts after it
//	stopped N       the same for a batch that a cancelation has stopped
//	lead            another term begins, as after the loss of a leader
//	tasks           all tasks with their status
func TestSchedulerScript(t *testing.T) {
	var p *play
	datadriven.RunTest(t, "testdata/scheduler.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "new":
			lanes := 16
			d.MaybeScanArgs(t, "lanes", &lanes)
			p = newPlay(t, lanes)
			return ""
		case "enqueue":
			first := p.log.Next
			for line := range strings.Lines(d.Input) {
				p.enqueueLine(d, strings.Fields(line))
			}
			return p.tasks(first)
		case "dispatch":
			return p.round()
		case "finish":
			p.open(p.find(d))
			return p.finished(p.find(d))
		case "stopped":
			return p.finished(p.find(d))
		case "lead":
			p.lead()
			return p.round()
		case "tasks":
			return p.tasks(0)
		}
		t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
		return ""
	})
}

// play is a leader whose loop the script steps by hand.
type play struct {
	*rig
	t      *testing.T
	leader *leader
	shown  map[*batchRun]bool
	ends   func()

	mu     sync.Mutex
	free   map[uint32]bool // batches with these tasks may end
	opened chan struct{}   // closed when free grows
}

func newPlay(t *testing.T, lanes int) *play {
	p := &play{rig: newRig(t), t: t, free: map[uint32]bool{}, opened: make(chan struct{}), ends: func() {}}
	p.cfg = Config{StartAfter: time.Nanosecond, Lanes: lanes, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	p.cfg.Jobs.Dump = func(context.Context, *wire.Task) (string, error) { return "", nil }
	p.cfg.Jobs.Snapshot = func(context.Context) error { return nil }
	p.cfg.Jobs.Export = func(context.Context, *wire.Task) ([]byte, error) { return []byte(`{}`), nil }
	p.cfg.Jobs.Compact = func(context.Context, *wire.Index) (string, string, error) { return "2 KiB", "1 KiB", nil }
	p.cfg.Jobs.Rules = func(_ coordinator.Catalog, tasks []*wire.Task) ([]wire.Change, [][]byte, error) {
		return nil, make([][]byte, len(tasks)), nil
	}
	p.shards.Hook = func(ctx context.Context, _ wire.NodeID, q *wire.BuildRequest) (*wire.BuildReply, error) {
		if len(q.Ops) == 0 {
			return nil, nil
		}
		return nil, p.pass(ctx, q.Ops[0].Task)
	}
	p.log.Before = func(c *wire.Command) error {
		for _, k := range c.Commit {
			if len(k.Results) == 0 {
				continue
			}
			if err := p.pass(p.leader.ctx, k.Batch.Tasks...); err != nil {
				return err
			}
		}
		return nil
	}
	p.lead()
	t.Cleanup(func() { p.ends() })
	return p
}

// lead ends the term and begins the next one.
func (p *play) lead() {
	p.ends()
	p.log.Mu.Lock()
	p.log.Term++
	term := p.log.Term
	p.log.Mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	p.leader = &leader{
		Scheduler: NewScheduler(p.log, p.shards, p.shards.Blobs, p.cfg), ctx: ctx, term: term, backlog: newBacklog(),
		runs: map[*batchRun]struct{}{}, wake: make(chan struct{}, 1),
	}
	p.shown = map[*batchRun]bool{}
	p.leader.ordinals.reset()
	p.leader.resume()
	l := p.leader
	p.ends = func() { stop(); l.all.Wait() }
}

// pass waits until the batch of one of the tasks may end.
func (p *play) pass(ctx context.Context, tasks ...uint32) error {
	for {
		p.mu.Lock()
		opened := p.opened
		free := slices.ContainsFunc(tasks, func(uid uint32) bool { return p.free[uid] })
		p.mu.Unlock()
		if free {
			return nil
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *play) open(r *batchRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range r.tasks {
		p.free[t.UID] = true
	}
	close(p.opened)
	p.opened = make(chan struct{})
}

// round runs the leader's loop once and returns what it has started.
func (p *play) round() string {
	p.t.Helper()
	p.leader.collect()
	p.leader.dispatch()
	var fresh []*batchRun
	for r := range p.leader.runs {
		if !p.shown[r] {
			p.shown[r] = true
			fresh = append(fresh, r)
		}
	}
	slices.SortFunc(fresh, func(a, b *batchRun) int { return cmp.Compare(a.tasks[0].UID, b.tasks[0].UID) })
	var b strings.Builder
	for _, r := range fresh {
		p.until("batch is neither shown as processing nor about to end", func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			t, ok, _ := p.log.Task(r.tasks[0].UID) // never fails here
			return r.sealed || ok && t.Status == wire.Processing
		})
		fmt.Fprintf(&b, "starts %s: %s\n", names(r.tasks), r.strategy)
	}
	if b.Len() == 0 {
		return "starts nothing\n"
	}
	return b.String()
}

// finished waits for the end of a batch and returns the outcome of its tasks.
func (p *play) finished(r *batchRun) string {
	p.t.Helper()
	p.until("batch does not end", func() bool {
		p.leader.mu.Lock()
		defer p.leader.mu.Unlock()
		return slices.Contains(p.leader.done, r)
	})
	var b strings.Builder
	for _, t := range r.tasks {
		now, _, _ := p.log.Task(t.UID)
		if now == nil {
			fmt.Fprintf(&b, "%d is gone\n", t.UID)
			continue
		}
		b.WriteString(outcomeOf(now))
	}
	return b.String() + p.round()
}

// until polls until ok returns true.
func (p *play) until(what string, ok func() bool) {
	p.t.Helper()
	often := time.NewTicker(100 * time.Microsecond)
	defer often.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-often.C:
		case <-deadline:
			p.t.Fatal(what)
		}
	}
}

// find returns the running batch whose first task the command names.
func (p *play) find(d *datadriven.TestData) *batchRun {
	first, err := strconv.Atoi(d.CmdArgs[0].Key)
	for r := range p.leader.runs {
		if err == nil && r.tasks[0].UID == uint32(first) {
			return r
		}
	}
	d.Fatalf(p.t, "no batch begins with task %s", d.CmdArgs[0].Key)
	return nil
}

// tasks lists the tasks from a uid on.
func (p *play) tasks(from uint32) string {
	var b strings.Builder
	for uid := from; uid < p.log.Next; uid++ {
		if t, ok, _ := p.log.Task(uid); ok {
			b.WriteString(outcomeOf(t))
		}
	}
	return b.String()
}

func names(tasks []*wire.Task) string {
	var b strings.Builder
	for i, t := range tasks {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, t.UID)
	}
	return b.String()
}

func outcomeOf(t *wire.Task) string {
	status := task.StatusNames[t.Status]
	if t.Status <= wire.Processing {
		status = "unfinished" // whether it was shown as processing depends on timing
	}
	s := fmt.Sprintf("%d %s %s %s", t.UID, strings.Join(task.Lanes(t), "+"), t.Kind, status)
	if t.CanceledBy != nil {
		s += fmt.Sprintf(" by %d", *t.CanceledBy)
	}
	if t.Error != nil {
		s += ": " + t.Error.Message
	}
	return s + "\n"
}

// enqueueLine enqueues one task: a verb, then an index or several, or task uids.
func (p *play) enqueueLine(d *datadriven.TestData, words []string) {
	p.t.Helper()
	ctx, verb, rest := p.t.Context(), words[0], words[1:]
	var uids []uint32
	for _, w := range rest {
		if n, err := strconv.ParseUint(w, 10, 32); err == nil {
			uids = append(uids, uint32(n))
		}
	}
	var err error
	switch verb {
	case "add":
		p.add(rest[0], `[{"id":1}]`)
	case "delete":
		_, err = p.writer.DeleteDocuments(ctx, rest[0], []string{"1"}, nil)
	case "clear":
		_, err = p.writer.ClearDocuments(ctx, rest[0], nil)
	case "settings":
		patch := &settings.Patch{}
		if err = patch.UnmarshalJSON([]byte(`{"stopWords":["the"]}`)); err == nil {
			_, err = p.writer.UpdateSettings(ctx, rest[0], patch, false, true)
		}
	case "create":
		_, err = p.writer.CreateIndex(ctx, rest[0], nil)
	case "drop":
		_, err = p.writer.DeleteIndex(ctx, rest[0])
	case "rename":
		_, err = p.writer.UpdateIndex(ctx, rest[0], nil, &rest[1])
	case "swap":
		var pairs []api.SwapPair
		for i := 0; i < len(rest); i += 2 {
			pairs = append(pairs, api.SwapPair{Indexes: [2]string{rest[i], rest[i+1]}})
		}
		_, err = p.writer.SwapIndexes(ctx, pairs)
	case "compact":
		_, err = p.writer.CompactIndex(ctx, rest[0])
	case "cancel":
		_, err = p.writer.CancelTasks(ctx, uids, "?uids="+strings.Join(rest, ","))
	case "forget":
		_, err = p.writer.DeleteTasks(ctx, uids, "?uids="+strings.Join(rest, ","))
	case "dump":
		_, err = p.writer.Dump(ctx, "")
	case "snapshot":
		_, err = p.writer.Snapshot(ctx)
	case "export":
		_, err = p.writer.Export(ctx, &task.ExportBody{URL: "http://localhost"}, []byte(`{}`))
	case "rules":
		_, err = p.writer.ClearRules(ctx, nil)
	default:
		err = errors.New("unknown verb")
	}
	if err != nil {
		d.Fatalf(p.t, "%s: %v", verb, err)
	}
}
