package queue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/wire"
)

// Bounds of the streams of a node.
const (
	// MaxStreams bounds the open streams, of tasks and batches together.
	MaxStreams = 256
	// feedEvents and feedBytes bound how far the slowest stream of a kind may lag.
	feedEvents, feedBytes = 16_384, 16 << 20
	// progressEvery is the interval at which streams of batches get the progress of running
	// batches. progressWait bounds the wait for the leader's answer.
	progressEvery, progressWait = time.Second, time.Second
)

var (
	// ErrTooManyStreams refuses a stream beyond MaxStreams.
	ErrTooManyStreams = errors.New("too many streams")
	// ErrStreamLost ends a stream that cannot continue without a gap: its reader was too slow,
	// or this node replaced its whole state.
	ErrStreamLost = errors.New("the stream has a gap")
)

// Feed sends the changes of tasks and batches to any number of readers on this node
// (experimental feature tasksStreamingRoute). It reads this node's own state, so it continues
// while the cluster elects a leader. Without readers the log does not report changes to it.
// Safe for concurrent use.
type Feed struct {
	log   coordinator.Log
	tasks *Tasks
	// watch makes the log report changes to a function; nil ends that.
	watch func(func(*wire.Moves))

	wake chan struct{} // capacity one: something has arrived

	mu      sync.Mutex
	arrived wire.Moves
	lines   [2]feedLine // by FeedKind
	open    int
	closed  bool
}

// FeedKind is the subject of a stream.
type FeedKind int

// The kinds of streams.
const (
	TaskFeed FeedKind = iota
	BatchFeed
)

// NewFeed returns a feed; Run does the work.
func NewFeed(log coordinator.Log, tasks *Tasks, watch func(func(*wire.Moves))) *Feed {
	f := &Feed{log: log, tasks: tasks, watch: watch, wake: make(chan struct{}, 1)}
	for i := range f.lines {
		f.lines[i] = feedLine{streams: map[*Stream]struct{}{}, more: make(chan struct{})}
	}
	return f
}

// Open begins a stream of changes from now on. authorized are the patterns of indexes that its
// reader may see, nil for all. The caller must close the stream. Errors: ErrTooManyStreams,
// wire.ErrClosed on a node that stops, wire.ErrNoLeader.
func (f *Feed) Open(ctx context.Context, kind FeedKind, authorized []string) (*Stream, error) {
	// A lagging node would send changes that clients know already.
	if err := f.log.Barrier(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return nil, wire.ErrClosed
	case f.open >= MaxStreams:
		return nil, ErrTooManyStreams
	}
	if f.open++; f.open == 1 {
		f.watch(f.take)
	}
	line := &f.lines[kind]
	s := &Stream{feed: f, kind: kind, authorized: authorized, next: line.first + uint64(len(line.events))}
	line.streams[s] = struct{}{}
	f.nudge()
	return s, nil
}

// take is called by the log, which waits for it to return.
func (f *Feed) take(m *wire.Moves) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == 0 {
		return // the last stream has closed meanwhile
	}
	f.arrived.Lost = f.arrived.Lost || m.Lost
	if len(f.arrived.Tasks)+len(f.arrived.Batches) > 2*feedEvents {
		f.arrived = wire.Moves{Lost: true}
	}
	f.arrived.Tasks = append(f.arrived.Tasks, m.Tasks...)
	f.arrived.Batches = append(f.arrived.Batches, m.Batches...)
	f.nudge()
}

func (f *Feed) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run feeds the streams until ctx ends, then ends them.
func (f *Feed) Run(ctx context.Context) {
	defer f.Close()
	p := progressWatch{shown: map[uint32]string{}}
	for {
		changed := f.log.Changed()
		waits := f.step()
		var later <-chan struct{}
		if waits {
			later = changed // a task's end becomes visible without a report
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-later:
		case <-p.due(f):
			f.progress(ctx, &p)
		}
	}
}

// Close ends all streams and refuses new ones.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.loseAll()
}

// step turns arrived changes into events and shows those that readers may see. waits: some are
// not visible yet.
func (f *Feed) step() (waits bool) {
	f.mu.Lock()
	m := f.arrived
	f.arrived = wire.Moves{}
	if m.Lost {
		f.loseAll()
	}
	wantTasks, wantBatches := len(f.lines[TaskFeed].streams) > 0, len(f.lines[BatchFeed].streams) > 0
	f.mu.Unlock()
	var tasks, batches []feedEvent
	if wantTasks {
		for _, t := range m.Tasks {
			e := feedEvent{body: PublicTask(t).AppendJSON(nil), uid: t.UID, task: t}
			if t.FinishedAt != 0 {
				e.shows = &t.UID
			}
			tasks = append(tasks, e)
		}
	}
	if wantBatches {
		for _, b := range m.Batches {
			view := publicBatch(b)
			if b.FinishedAt == 0 {
				view.Progress = unknownProgress
			}
			e := feedEvent{body: view.AppendJSON(nil), uid: b.UID}
			if b.FinishedAt != 0 && len(b.Tasks) > 0 {
				e.shows = &b.Tasks[0]
			}
			batches = append(batches, e)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines[TaskFeed].add(tasks)
	f.lines[BatchFeed].add(batches)
	for i := range f.lines {
		waits = f.lines[i].show(f.log.Visible) || waits
	}
	return waits
}

// loseAll ends all streams.
func (f *Feed) loseAll() {
	for i := range f.lines {
		l := &f.lines[i]
		for s := range l.streams {
			s.lost = true
		}
		l.drop(len(l.events))
		l.signal()
	}
}

// progressWatch remembers the latest reported progress of running batches.
type progressWatch struct {
	shown map[uint32]string
	next  time.Time // of the next check; zero without readers
}

// due fires at the next check of running batches, never without readers or running batches.
func (p *progressWatch) due(f *Feed) <-chan time.Time {
	f.mu.Lock()
	wanted := len(f.lines[BatchFeed].streams) > 0
	f.mu.Unlock()
	if !wanted || !slices.ContainsFunc(f.log.Pending(), func(t *wire.Task) bool { return t.Status == wire.Processing }) {
		clear(p.shown)
		p.next = time.Time{}
		return nil
	}
	if p.next.IsZero() {
		p.next = time.Now().Add(progressEvery)
	}
	return time.After(time.Until(p.next))
}

// progress adds an event for each running batch whose progress has changed.
func (f *Feed) progress(ctx context.Context, p *progressWatch) {
	p.next = time.Time{}
	if f.tasks.Progress == nil {
		return
	}
	running, _, err := f.log.Batches(&wire.TaskQuery{Limit: feedEvents, Statuses: []wire.Status{wire.Processing}})
	if err != nil {
		return // the log is closed, or the next check can read it
	}
	var uids []uint32
	for _, b := range running {
		uids = append(uids, b.UID)
	}
	asked, cancel := context.WithTimeout(ctx, progressWait)
	known := f.tasks.Progress(asked, uids)
	cancel()
	var events []feedEvent
	for _, b := range running {
		now := known[b.UID]
		if b.FinishedAt != 0 || now == nil || p.shown[b.UID] == string(now) {
			continue
		}
		p.shown[b.UID] = string(now)
		view := publicBatch(b)
		view.Progress = now
		events = append(events, feedEvent{body: view.AppendJSON(nil), uid: b.UID})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines[BatchFeed].add(events)
}
