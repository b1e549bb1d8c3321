package queue

import (
	"context"
	"errors"
	"testing"
	"time"
)

// clocked is a queue on a clock of its own.
func clocked(running, cores int) (q *Queue, pass func(time.Duration)) {
	q = New(Config{Running: running, Size: 1000, Patience: time.Minute})
	q.cores = cores
	at := time.Unix(1000, 0)
	q.now = func() time.Time { return at }
	return q, func(d time.Duration) { at = at.Add(d) }
}

// runs takes a place for a client that must not have to wait.
func (q *Queue) runs(t *testing.T, c Client) Permit {
	t.Helper()
	p, w := q.join(c)
	if w != nil {
		t.Fatalf("a search of %s waits", c.Host)
	}
	return p
}

// waits queues a search of a client that must not get a place yet.
func (q *Queue) waits(t *testing.T, c Client) *waiter {
	t.Helper()
	_, w := q.join(c)
	if w == nil {
		t.Fatalf("a search of %s does not wait", c.Host)
	}
	return w
}

// searched runs a search of a client from beginning to end.
func (q *Queue) searched(t *testing.T, c Client) {
	t.Helper()
	q.runs(t, c).Leave()
}

func (w *waiter) runs() bool {
	select {
	case ok := <-w.admitted:
		return ok
	default:
		return false
	}
}

var alice, bob = Client{"a", "1"}, Client{"b", "2"}

// A client that seldom searches used to wait until all searches of a busy client had ended.
func TestPlacesGoToTheClientWithTheFewestSearches(t *testing.T) {
	q, _ := clocked(2, 2)
	for _, c := range []Client{alice, bob} {
		for range known { // both are known
			q.searched(t, c)
		}
	}
	first, second := q.runs(t, alice), q.runs(t, alice)
	var waiting []*waiter
	for range 5 {
		waiting = append(waiting, q.waits(t, alice))
	}
	p := q.runs(t, bob) // its first one
	another := q.waits(t, bob)
	first.Leave() // two run still: nobody is let in
	if another.runs() {
		t.Fatal("more run than may")
	}
	p.Leave()
	if !another.runs() {
		t.Error("the place went to the client that has more")
	}
	Permit{queue: q, share: another.share, since: another.since}.Leave()
	second.Leave()
	ran := 0
	for _, w := range waiting {
		if w.runs() {
			ran++
			defer Permit{queue: q, share: w.share, since: w.since}.Leave()
		}
	}
	if running, left, _ := q.Figures(); ran != 2 || running != 2 || left != 3 {
		t.Errorf("%d of one client were let in, %d run, %d wait", ran, running, left)
	}
}

// This holds as long as another client searches. When that client is gone, the one with
// long searches has all places again.
func TestAClientWithLongSearchesLeavesACoreFree(t *testing.T) {
	q, pass := clocked(8, 2)
	for range 20 { // alice becomes greedy
		var run []Permit
		for range 4 {
			p, err := q.Enter(context.Background(), alice)
			if err != nil {
				t.Fatal(err)
			}
			run = append(run, p)
		}
		pass(time.Second)
		for _, p := range run {
			p.Leave()
		}
	}
	q.searched(t, bob)
	one := q.runs(t, alice)
	held := q.waits(t, alice) // not both cores
	pass(modestFor)
	one.Leave()
	if !held.runs() {
		t.Error("the greedy client waits for nobody")
	}
	q.searched(t, alice) // the free places are for it
}

func TestClientsThatAreGoneAreForgotten(t *testing.T) {
	q, pass := clocked(8, 2)
	for i := range 1000 {
		q.searched(t, Client{Host: string(rune(i))})
	}
	pass(time.Minute)
	q.searched(t, alice)
	if len(q.clients) != 1 {
		t.Errorf("%d clients are remembered", len(q.clients))
	}
}

// It does so if it belongs to a greedy client, and greedy clients have more places than
// they may.
func TestAMultiSearchReleasesItsPlaceBetweenQueries(t *testing.T) {
	q, pass := clocked(8, 2)
	var run []Permit
	for _, c := range []Client{alice, {"c", "3"}} { // two begin to search long
		run = append(run, q.runs(t, c))
	}
	for range 40 {
		pass(100 * time.Millisecond)
	}
	if err := run[0].Turn(t.Context()); err != nil || q.running != 2 {
		t.Fatalf("nobody else searches, but %d run (%v)", q.running, err)
	}
	q.searched(t, bob)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run[0].Turn(ctx); !errors.Is(err, context.Canceled) || q.running != 1 {
		t.Errorf("%d run, %v", q.running, err)
	}
	if err := run[1].Turn(ctx); err != nil || q.running != 1 {
		t.Errorf("the last one has to go on: %d run, %v", q.running, err)
	}
}

// It is not known yet whether its searches take long. A new client once took all places.
func TestANewClientGetsOnePlaceAtFirst(t *testing.T) {
	q, _ := clocked(8, 2)
	q.searched(t, bob)
	first := q.runs(t, alice)
	second := q.waits(t, alice) // nobody knows it
	if first.Leave(); !second.runs() {
		t.Error("it has none after that")
	}
}

func TestSearchQueue(t *testing.T) {
	q := New(Config{Running: 1, Size: 1, Patience: time.Minute})
	p, err := q.Enter(context.Background(), Client{})
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		Permit
		err error
	}
	waiting := make(chan outcome, 2)
	wait := func() {
		l, err := q.Enter(context.Background(), Client{})
		waiting <- outcome{l, err}
	}
	go wait()
	for _, w, _ := q.Figures(); w == 0; _, w, _ = q.Figures() {
		time.Sleep(time.Microsecond)
	}
	go wait() // drops the first one
	first := <-waiting
	if first.err == nil || first.err.Error() != "Too many search requests running at the same time: 1. Retry after 10s." {
		t.Fatalf("the dropped search: %v", first.err)
	}
	p.Leave()
	second := <-waiting
	if second.err != nil {
		t.Fatal(second.err)
	}
	second.Leave()
	if running, waiting, _ := q.Figures(); running != 0 || waiting != 0 {
		t.Errorf("left: %d running, %d waiting", running, waiting)
	}
}

func TestSearchQueueCanceled(t *testing.T) {
	q := New(Config{Running: 1, Size: 1000, Patience: time.Minute})
	p, err := q.Enter(context.Background(), Client{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := q.Enter(ctx, Client{}); err == nil {
		t.Fatal("a canceled search entered")
	}
	p.Leave()
	if running, waiting, _ := q.Figures(); running != 0 || waiting != 0 {
		t.Errorf("left: %d running, %d waiting", running, waiting)
	}
}
