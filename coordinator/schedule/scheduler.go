package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/placement"
	"shoal/coordinator/schedule/expiry"
	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/await"
)

// Config configures a Scheduler. The zero value of a field means its default.
type Config struct {
	// Lanes is the number of batches of different indexes that run at once.
	Lanes int
	// MaxBatchTasks and MaxBatchBytes limit one batch; 0 means no limit. The first task is
	// always taken.
	MaxBatchTasks int
	MaxBatchBytes int64
	// StartAfter is how long a batch may run before it is shown as processing.
	StartAfter time.Duration
	// TaskCap is the number of stored tasks at which the oldest finished ones are
	// deleted.
	TaskCap uint64
	// Placement decides where the shards of new indexes live.
	Placement placement.Placement
	// Dir holds temporary files.
	Dir string
	// Finished, when set, is called after each batch was committed and applied on this node,
	// with the uids of the batch and its tasks (webhooks). It must not block.
	Finished func(batch uint32, tasks []uint32)
	// Count counts the documents of an index that match a filter (JSON).
	Count func(ctx context.Context, uid string, filter []byte) (uint64, error)
	// Embedders tries embedders of new settings; nil accepts them untried.
	Embedders EmbedderProbe
	// Jobs does the work of kinds that involve more than the shards' documents.
	Jobs Jobs
	// JobPatience (1 min) is how long a job is retried while a node that it needs does not
	// answer. Other batches may wait for the job meanwhile.
	JobPatience time.Duration
	// Now is the wall clock (UnixNano). It serves for times that are shown, and decides which
	// documents have expired.
	Now func() int64
	Log *slog.Logger
}

// Jobs does the work of dumps, snapshots, exports and compactions. A nil member
// fails its tasks.
type Jobs struct {
	// Dump writes a dump and returns its uid. No batch runs meanwhile.
	Dump func(ctx context.Context, t *wire.Task) (uid string, err error)
	// Snapshot takes a snapshot. No batch runs meanwhile.
	Snapshot func(ctx context.Context) error
	// Export sends documents to another instance and returns the new "indexes"
	// member of the details.
	Export func(ctx context.Context, t *wire.Task) (indexes []byte, err error)
	// Compact rewrites the storage of an index and returns its sizes in human
	// units. No batch of the index runs meanwhile.
	Compact func(ctx context.Context, x *wire.Index) (before, after string, err error)
	// Rules applies changes of the dynamic search rules in order and returns the
	// catalogue changes and each task's details.
	Rules func(c coordinator.Catalog, tasks []*wire.Task) (changes []wire.Change, details [][]byte, err error)
}

// Scheduler turns enqueued tasks into batches on the leader (architecture 5). It
// idles on every other node. Create it with NewScheduler, run it with Run.
type Scheduler struct {
	log    coordinator.Log
	shards coordinator.Shards
	blobs  coordinator.Blobs
	cfg    Config

	ordinals ordinalCache
	progress progressBook
}

// NewScheduler returns a Scheduler over the log and the shards.
func NewScheduler(log coordinator.Log, shards coordinator.Shards, blobs coordinator.Blobs, cfg Config) *Scheduler {
	if cfg.Lanes <= 0 {
		cfg.Lanes = max(16, 4*runtime.GOMAXPROCS(0))
	}
	if cfg.StartAfter <= 0 {
		cfg.StartAfter = 25 * time.Millisecond
	}
	if cfg.JobPatience == 0 {
		cfg.JobPatience = time.Minute
	}
	if cfg.TaskCap == 0 {
		cfg.TaskCap = 1_000_000
	}
	if cfg.Now == nil {
		cfg.Now = func() int64 { return time.Now().UnixNano() }
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Scheduler{log: log, shards: shards, blobs: blobs, cfg: cfg}
}

// Entries of the log, changes of leadership and ends of runs wake the scheduler. It also polls
// every busyPoll while it has work or waits for a point in time, and otherwise every idlePoll
// as a safety net.
const busyPoll, idlePoll = 50 * time.Millisecond, time.Second

// Run schedules whenever this node leads, until ctx ends. Then it waits for what it started.
func (s *Scheduler) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed := s.log.Changed()
		if term, ok := s.log.Leading(); ok {
			s.lead(ctx, term)
			continue
		}
		// An error means that ctx ended.
		_ = s.wait(ctx, changed, nil, idlePoll)
	}
	return ctx.Err()
}

// wait sleeps until something may have changed, at most for poll.
func (s *Scheduler) wait(ctx context.Context, changed, wake <-chan struct{}, poll time.Duration) error {
	if poll == idlePoll {
		poll = await.Until(poll)
	}
	t := time.NewTimer(poll)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-wake:
	case <-t.C:
	}
	return nil
}

// lead schedules for one term. It returns when the term is over and every run has stopped.
func (s *Scheduler) lead(ctx context.Context, term uint64) {
	ctx, stop := context.WithCancelCause(ctx)
	l := &leader{
		Scheduler: s, ctx: ctx, term: term, backlog: newBacklog(),
		runs: map[*batchRun]struct{}{}, wake: make(chan struct{}, 1), renumbered: map[uint32]bool{},
	}
	s.ordinals.reset()
	defer func() {
		stop(wire.ErrNotLeader)
		l.all.Wait()
		s.progress.reset()
	}()
	l.all.Add(2)
	go func() { defer l.all.Done(); l.raiseEpochs() }()
	go func() { defer l.all.Done(); expiry.New(l.log, l.cfg.Count, l.cfg.Now, l.cfg.Log).Run(ctx) }()
	l.restored = coordinator.ReadImport(s.log.Catalog())
	l.resume()
	for ctx.Err() == nil {
		changed := s.log.Changed()
		if now, ok := s.log.Leading(); !ok || now != term {
			return
		}
		l.collect()
		l.dispatch()
		// An error means that ctx ended, which the loop sees.
		_ = s.wait(ctx, changed, l.wake, l.poll())
	}
}

// poll returns how soon to check again without a wake-up.
func (l *leader) poll() time.Duration {
	if len(l.runs) > 0 || l.backlog.count > 0 || l.reshardable != l.log.Catalog().Applied() {
		return busyPoll
	}
	return idlePoll
}

// leader is the state of one term. Its fields belong to the loop in lead, except those under
// mu.
type leader struct {
	*Scheduler
	ctx     context.Context
	term    uint64
	backlog *backlog
	runs    map[*batchRun]struct{}
	// exclusive: a running batch allows no other one.
	exclusive bool
	autoClean bool
	restored  coordinator.ImportState // the import state at which the backlog was built
	// held are the seen deletions of tasks that have not begun.
	held []heldDeletion
	// lastReshard is the time of the last check of shard counts.
	lastReshard time.Time
	// reshardable is the last applied entry at which no shard count had to change.
	reshardable uint64
	// renumbered are the indexes whose shards were to be numbered again in this term.
	renumbered map[uint32]bool

	wake chan struct{}
	all  sync.WaitGroup
	mu   sync.Mutex
	done []*batchRun  // ended, not yet collected
	gone []*wire.Task // canceled, still in the backlog
	// cleaned: the automatic deletion was enqueued or given up.
	cleaned bool
}

// launch starts a run; its tasks leave the backlog.
func (l *leader) launch(r *batchRun, lanes ...string) {
	r.leader = l
	r.lanes = l.backlog.start(r.tasks, lanes...)
	r.ctx, r.cancel = context.WithCancelCause(l.ctx)
	r.started = l.cfg.Now()
	l.runs[r] = struct{}{}
	if r.exclusive {
		l.exclusive = true
	}
	l.all.Add(1)
	go func() {
		defer l.all.Done()
		r.perform()
		r.cancel(nil)
		l.mu.Lock()
		l.done = append(l.done, r)
		l.mu.Unlock()
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}()
}

// collect frees the lanes of ended runs and puts back the tasks of aborted ones.
func (l *leader) collect() {
	l.mu.Lock()
	done, gone := l.done, l.gone
	l.done, l.gone = nil, nil
	if l.cleaned {
		l.cleaned, l.autoClean = false, false
	}
	l.mu.Unlock()
	for _, r := range done {
		delete(l.runs, r)
		if r.exclusive {
			l.exclusive = false
		}
		l.backlog.putBack(r.unfinished)
		l.backlog.finish(r.lanes)
	}
	if len(gone) > 0 {
		l.backlog.remove(gone)
	}
}

// dispatch starts whatever may run now, in the order of the priority classes (spec write-api
// 17.1).
func (l *leader) dispatch() {
	pending := l.log.Pending()
	if l.restoring() {
		return
	}
	b := l.backlog
	b.take(pending)
	l.cap()
	if l.running(task.TaskCancelation) {
		return // it may cancel any task, so nothing starts
	}
	if list := b.global[task.ClassCancel]; len(list) > 0 {
		l.cancelation(list[len(list)-1])
		return
	}
	if l.exclusive {
		return
	}
	l.deletions()
	defer l.arrivals()
	for _, t := range clone(b.global[task.ClassCompaction]) {
		if q := b.lanes[*t.IndexUID]; q == nil || !q.running {
			l.launch(runOf(fold.StopAlone(t), t), *t.IndexUID)
		}
	}
	if list := b.global[task.ClassExport]; len(list) > 0 && !l.running(task.Export) {
		l.launch(runOf(fold.StopAlone(list[0]), list[0]))
	}
	if l.alone() {
		return
	}
	l.reshards()
	for len(b.loose) > 0 {
		l.launch(runOf(fold.StopAlone(b.loose[0]), b.loose[0]))
	}
	for l.busy() < l.cfg.Lanes && len(l.runs) < waitingLanes*l.cfg.Lanes {
		q := b.next()
		if q == nil {
			return
		}
		l.lane(q)
	}
}

// waitingLanes is the factor by which the number of lanes may be exceeded by runs that may wait
// for embedders.
const waitingLanes = 8

// busy counts the runs that take a lane. Runs that may wait for an embedder do not, so that
// they cannot block other indexes.
func (l *leader) busy() int {
	n := 0
	for r := range l.runs {
		if !r.callsOut {
			n++
		}
	}
	return n
}

// callsOut tells whether an index has external embedders.
func (l *leader) callsOut(uid string) bool {
	x, ok := l.log.Catalog().Index(uid)
	return ok && callsOut(x)
}

func callsOut(x *wire.Index) bool {
	for _, e := range x.DecodedSettings().Embedders {
		var made struct {
			Source string `json:"source"`
		}
		if err := json.Unmarshal(e, &made); err != nil || made.Source != "userProvided" {
			return true
		}
	}
	return false
}

// alone starts a due snapshot or dump once nothing else runs. It reports whether one is due;
// then nothing else may start.
func (l *leader) alone() bool {
	var r *batchRun
	if list := l.backlog.global[task.ClassSnapshot]; len(list) > 0 {
		r = runOf(fold.StopTogether(task.SnapshotCreation), list...)
	} else if list := l.backlog.global[task.ClassDump]; len(list) > 0 {
		r = runOf(fold.StopAlone(list[0]), list[0])
	} else {
		return false
	}
	if len(l.runs) == 0 && !l.deletionBefore(r.tasks[0]) {
		l.launch(r)
	}
	return true
}

// running reports whether a task of the kind is being worked on.
func (l *leader) running(kind wire.Kind) bool {
	for r := range l.runs {
		if len(r.tasks) > 0 && r.tasks[0].Kind == kind {
			return true
		}
	}
	return false
}

// lane forms the next batch of one index and starts it.
func (l *leader) lane(q *laneQueue) {
	first := q.tasks[0]
	if own := first.IndexUID; own != nil && *own != q.uid {
		q = l.backlog.lanes[*own] // a barrier, found in the lane of another index
	}
	// Folding stops at a barrier by itself.
	f, err := fold.Form(l.laneState(q), q.tasks)
	if err != nil {
		l.cfg.Log.Error("a task cannot be read and fails", "task", first.UID, "error", err)
		l.launch(&batchRun{tasks: []*wire.Task{first}, strategy: fold.StopAlone(first), work: failWith(task.Internal(err))})
		return
	}
	r := &batchRun{uid: q.uid, tasks: clone(q.tasks[:f.Count]), form: f, strategy: f.Strategy, callsOut: l.callsOut(q.uid)}
	r.work = workOf(f.Kind, first.Kind)
	l.launch(r, q.uid)
}

func (l *leader) laneState(q *laneQueue) fold.Lane {
	state := fold.Lane{UID: q.uid, OnlyOnes: len(q.tasks) == l.backlog.count, MaxTasks: l.cfg.MaxBatchTasks, MaxBytes: l.cfg.MaxBatchBytes}
	if x, ok := l.log.Catalog().Index(q.uid); ok {
		state.Exists, state.PrimaryKey = true, x.PrimaryKey
	}
	return state
}

// cancelation stops the runs that work on captured tasks and then runs the cancelation. Nothing
// else starts before it is done.
func (l *leader) cancelation(t *wire.Task) {
	uids, err := l.capturedUIDs(l.ctx, t)
	if err != nil {
		if l.ctx.Err() == nil {
			l.launch(&batchRun{tasks: []*wire.Task{t}, strategy: fold.StopAlone(t), work: failWith(task.Internal(err))})
		}
		return
	}
	waiting := false
	for r := range l.runs {
		if r.touches(uids) {
			waiting = true
			r.cancel(errCanceled)
		}
	}
	if waiting {
		return // collect continues when they have stopped
	}
	l.launch(&batchRun{tasks: []*wire.Task{t}, strategy: fold.StopAlone(t), work: cancelTasks(uids)})
}

// resume restarts the batches that an earlier leader had shown as processing, with exactly
// their tasks.
func (l *leader) resume() {
	groups := map[uint32][]*wire.Task{}
	var order []uint32
	pending := l.log.Pending()
	for _, t := range pending {
		if t.Status != wire.Processing || t.Batch == nil {
			continue
		}
		if groups[*t.Batch] == nil {
			order = append(order, *t.Batch)
		}
		groups[*t.Batch] = append(groups[*t.Batch], t)
	}
	l.backlog.take(pending)
	for _, uid := range order {
		l.again(uid, groups[uid])
	}
}

// again restarts one started batch.
func (l *leader) again(uid uint32, tasks []*wire.Task) {
	record, ok, err := l.log.Batch(uid)
	if err != nil || !ok {
		l.cfg.Log.Error("a started batch has no record; its tasks are batched again", "batch", uid, "error", err)
		return
	}
	r := &batchRun{tasks: tasks, strategy: record.Strategy, batch: &record.UID}
	first := tasks[0]
	k, known := task.Of(first.Kind)
	switch {
	case !known:
		return
	case k.Class == task.ClassIndex && first.IndexUID != nil:
		r.uid = *first.IndexUID
		l.refold(r)
	default:
		e := executors[first.Kind]
		if e.run == nil {
			return
		}
		r.work, r.exclusive = e.run, e.exclusive
	}
	l.launch(r)
	r.started = record.StartedAt
}

// refold determines again what a started batch does. Its index may exist by now. Limits do not
// apply, because the tasks are fixed.
func (l *leader) refold(r *batchRun) {
	f, err := fold.Form(fold.Lane{UID: r.uid}, r.tasks)
	if err == nil && f.Count < len(r.tasks) {
		state := fold.Lane{UID: r.uid, Exists: true}
		if x, ok := l.log.Catalog().Index(r.uid); ok {
			state.PrimaryKey = x.PrimaryKey
		}
		f, err = fold.Form(state, r.tasks)
	}
	if err != nil {
		r.work = failWith(task.Internal(err))
		return
	}
	r.form = f
	r.work = workOf(f.Kind, r.tasks[0].Kind)
}

// errReplaced is the cancelation cause of runs whose queue an import replaces.
var errReplaced = errors.New("coordinator: the queue is being replaced")

// errCanceled is the cancelation cause of runs that a task cancelation stopped.
var errCanceled = errors.New("coordinator: canceled by a task")

func clone(list []*wire.Task) []*wire.Task { return append([]*wire.Task(nil), list...) }

// drop tells the loop to forget tasks that a cancelation finished. Safe for concurrent use.
func (l *leader) drop(tasks []*wire.Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = append(l.gone, tasks...)
}
