package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// fedLog is a MetaLog that may be read while a test changes it.
type fedLog struct{ *coordtest.MetaLog }

func (l fedLog) Visible(uid uint32) bool {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return !l.Hidden[uid]
}

func (l fedLog) Pending() []*wire.Task {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.StoredTasks
}

// fed is a running Feed. A test reports the changes of its log by hand.
type fed struct {
	*Feed
	t    *testing.T
	log  fedLog
	tell func(*wire.Moves) // nil while the feed does not watch
}

func newFed(t *testing.T) *fed {
	f := &fed{t: t, log: fedLog{coordtest.NewMetaLog()}}
	f.Feed = NewFeed(f.log, NewTasks(f.log, NewWriter(f.log, nil, ""), nil), func(tell func(*wire.Moves)) { f.tell = tell })
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return f
}

func (f *fed) stream(kind FeedKind, authorized ...string) *Stream {
	f.t.Helper()
	s, err := f.Open(f.t.Context(), kind, authorized)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// next returns the uids and statuses of the next n events.
func (f *fed) next(s *Stream, n int) string {
	f.t.Helper()
	var got []string
	for len(got) < n {
		bodies, err := s.Next(f.t.Context(), 20*time.Second)
		if err != nil || len(bodies) == 0 {
			f.t.Fatalf("after %v: %v", got, err)
		}
		for _, b := range bodies {
			got = append(got, string(b))
		}
	}
	var short []string
	for _, b := range got {
		uid, rest, _ := strings.Cut(strings.TrimPrefix(b, `{"uid":`), ",")
		_, status, _ := strings.Cut(rest, `"status":"`)
		status, _, _ = strings.Cut(status, `"`)
		short = append(short, uid+" "+status)
	}
	return strings.Join(short, ", ")
}

func moved(uid uint32, index string, status wire.Status) *wire.Task {
	t := &wire.Task{UID: uid, Kind: "indexCreation", IndexUID: &index, Status: status, EnqueuedAt: 1}
	if status > wire.Processing {
		t.StartedAt, t.FinishedAt = 1, 2
	}
	return t
}

func TestAStreamReportsEachLaterChangeOnce(t *testing.T) {
	f := newFed(t)
	first := f.stream(TaskFeed)
	f.tell(&wire.Moves{Tasks: []*wire.Task{moved(1, "a", wire.Enqueued), moved(1, "a", wire.Processing)}})
	if got := f.next(first, 2); got != "1 enqueued, 1 processing" {
		t.Error(got)
	}
	second := f.stream(TaskFeed)
	f.tell(&wire.Moves{Tasks: []*wire.Task{moved(1, "a", wire.Succeeded)}})
	for _, s := range []*Stream{first, second} {
		if got := f.next(s, 1); got != "1 succeeded" {
			t.Error(got)
		}
	}
	if bodies, err := second.Next(t.Context(), time.Millisecond); len(bodies) != 0 || err != nil {
		t.Errorf("again: %s %v", bodies, err)
	}
}

func TestAStreamReportsAnEndOnceEveryNodeShowsIt(t *testing.T) {
	f := newFed(t)
	s := f.stream(TaskFeed)
	f.log.Mu.Lock()
	f.log.Hidden[1] = true
	f.log.Mu.Unlock()
	f.tell(&wire.Moves{Tasks: []*wire.Task{moved(0, "a", wire.Processing), moved(1, "a", wire.Succeeded), moved(2, "a", wire.Processing)}})
	if got := f.next(s, 1); got != "0 processing" {
		t.Error(got)
	}
	if bodies, err := s.Next(t.Context(), 5*time.Millisecond); len(bodies) != 0 || err != nil {
		t.Errorf("before every node shows it: %s %v", bodies, err)
	}
	f.log.Mu.Lock()
	delete(f.log.Hidden, 1)
	close(f.log.Signal)
	f.log.Signal = make(chan struct{})
	f.log.Mu.Unlock()
	if got := f.next(s, 2); got != "1 succeeded, 2 processing" {
		t.Error(got)
	}
}

func TestAStreamShowsOnlyIndexesThatItsKeyMaySee(t *testing.T) {
	f := newFed(t)
	s := f.stream(TaskFeed, "a*")
	swap := moved(3, "a", wire.Enqueued)
	swap.Indexes = []string{"a", "b"}
	global := moved(4, "a", wire.Enqueued)
	global.IndexUID = nil
	f.tell(&wire.Moves{Tasks: []*wire.Task{moved(1, "b", wire.Enqueued), moved(2, "abc", wire.Enqueued), swap, global, moved(5, "a", wire.Enqueued)}})
	if got := f.next(s, 2); got != "2 enqueued, 5 enqueued" {
		t.Error(got)
	}
}

func TestAnUnreadStreamEndsAndFreesItsEvents(t *testing.T) {
	f := newFed(t)
	slow, quick := f.stream(TaskFeed), f.stream(TaskFeed)
	for n := range feedEvents + 10 {
		f.tell(&wire.Moves{Tasks: []*wire.Task{moved(uint32(n), "a", wire.Enqueued)}})
		if n%1000 == 0 {
			f.next(quick, 1)
		}
	}
	for got := 0; got < feedEvents; {
		bodies, err := quick.Next(t.Context(), 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		got += len(bodies)
		if len(bodies) > 0 && strings.HasPrefix(string(bodies[len(bodies)-1]), fmt.Sprintf(`{"uid":%d,`, feedEvents+9)) {
			break
		}
	}
	if _, err := slow.Next(t.Context(), time.Second); !errors.Is(err, ErrStreamLost) {
		t.Errorf("a stream that was never read: %v", err)
	}
	slow.Close()
	quick.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := &f.lines[TaskFeed]; len(l.events) != 0 || l.bytes != 0 || f.open != 0 || f.tell != nil {
		t.Errorf("%d events of %d bytes for %d streams are kept", len(l.events), l.bytes, f.open)
	}
}

func TestStreamsEndWithTheState(t *testing.T) {
	f := newFed(t)
	s := f.stream(BatchFeed)
	f.tell(&wire.Moves{Lost: true})
	if _, err := s.Next(t.Context(), 20*time.Second); !errors.Is(err, ErrStreamLost) {
		t.Error(err)
	}
	s.Close()
	s = f.stream(BatchFeed)
	f.Close()
	if _, err := s.Next(t.Context(), 20*time.Second); !errors.Is(err, ErrStreamLost) {
		t.Error(err)
	}
	if _, err := f.Open(t.Context(), TaskFeed, nil); !errors.Is(err, wire.ErrClosed) {
		t.Error(err)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	f := newFed(t)
	var all []*Stream
	for range MaxStreams {
		all = append(all, f.stream(TaskFeed))
	}
	if _, err := f.Open(t.Context(), BatchFeed, nil); !errors.Is(err, ErrTooManyStreams) {
		t.Error(err)
	}
	all[0].Close()
	f.stream(BatchFeed)
}

// The leader reports the progress of a running batch. A change of it makes an event.
func TestAStreamOfBatchesReportsProgress(t *testing.T) {
	f := newFed(t)
	said := make(chan string, 3)
	for _, p := range []string{`{"percentage":10.0}`, `{"percentage":10.0}`, `{"percentage":20.0}`} {
		said <- p
	}
	f.tasks.Progress = func(context.Context, []uint32) map[uint32][]byte {
		select {
		case p := <-said:
			return map[uint32][]byte{7: []byte(p)}
		default:
			return nil
		}
	}
	f.log.StoredTasks = []*wire.Task{moved(0, "a", wire.Processing)}
	f.log.StoredBatches = []*wire.Batch{{UID: 7, Tasks: []uint32{0}}}
	s := f.stream(BatchFeed)
	f.tell(&wire.Moves{Batches: f.log.StoredBatches})
	var got []string
	for len(got) < 4 {
		bodies, err := s.Next(t.Context(), 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bodies {
			_, progress, _ := strings.Cut(string(b), `"percentage":`)
			got = append(got, progress[:3])
		}
		if len(got) == 3 {
			f.log.Mu.Lock()
			f.log.StoredTasks = nil
			f.log.Mu.Unlock()
			f.tell(&wire.Moves{Batches: []*wire.Batch{{UID: 7, Tasks: []uint32{0}, FinishedAt: 3, Details: []byte(`{"percentage":end}`)}}})
		}
	}
	if text := strings.Join(got, " "); text != "0.0 10. 20. end" {
		t.Error(text)
	}
}
