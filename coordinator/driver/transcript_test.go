package driver_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/wire"
)

// distant is the session of a shard on another node: messages pass through the encoding, and
// the other end works ahead.
type distant struct {
	t     testing.TB
	open  func() *rank.Ranker
	now   *rank.Ranker
	end   *driver.PrefetchServer
	waits int
	// back counts how often the shard had to rewind, parts how many answers came in two parts.
	back, parts int
	queue       []*wire.SearchReply // said and not heard
}

func newDistant(t testing.TB, open func() *rank.Ranker) *distant {
	d := &distant{t: t, open: open, now: open()}
	d.end = driver.NewPrefetchServer(d.now, func() (wire.Session, error) {
		d.back++
		d.now = d.open()
		return d.now, nil
	}, func(r *wire.SearchReply) error {
		d.parts++
		return d.say(r)
	})
	return d
}

func (d *distant) say(r *wire.SearchReply) error {
	heard := new(wire.SearchReply)
	d.copy(r, heard)
	d.queue = append(d.queue, heard)
	return nil
}

func (d *distant) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if _, err := d.Send(ctx, s); err != nil {
		return nil, err
	}
	return d.Receive(ctx)
}

// Send implements fanout.Sender.
func (d *distant) Send(ctx context.Context, s *wire.SearchStep) (bool, error) {
	if len(d.queue) > 0 {
		d.t.Error("the shard was asked before all of its messages were received")
	}
	d.waits++
	step := new(wire.SearchStep)
	d.copy(s, step)
	said, err := d.end.Step(ctx, step)
	if err != nil {
		return false, err
	}
	return true, d.say(said)
}

// Receive implements fanout.Sender.
func (d *distant) Receive(context.Context) (*wire.SearchReply, error) {
	if len(d.queue) == 0 {
		return nil, errors.New("no message to receive")
	}
	next := d.queue[0]
	d.queue = d.queue[1:]
	return next, nil
}

func (d *distant) Close() error { return d.end.Close() }

func (d *distant) copy(from, to any) {
	raw, err := wire.Marshal(from)
	if err == nil {
		err = wire.Unmarshal(raw, to)
	}
	if err != nil {
		d.t.Error(err)
	}
}

// Places of the shards that searchFar asks: all on other nodes; all but the last one on this
// node; the same with known words, so that all begin at once; the same with the shards of this
// node working ahead, too.
const (
	allFar = iota
	oneFar
	allBegin
	allAhead
	ways
)

// searchFar is search with shards on other nodes. It returns the waits for the shard that it
// asked most, the rewinds of shards, and the answers that came in two parts.
func (c *corpus) searchFar(t testing.TB, q string, o options, way int) (r *driver.Ranked, waits, back, parts int) {
	t.Helper()
	plan := c.plan(q, o)
	if way == allBegin || way == allAhead {
		plan.Recall()
	}
	var sessions []wire.Session
	var ends []*distant
	var others []*driver.Transcript
	for i, f := range c.shards {
		if way != allFar && i < len(c.shards)-1 {
			open := func() *rank.Ranker {
				return rank.New(f, func(context.Context, []byte) (docset.Set, error) { return o.filter, nil })
			}
			if way == allAhead && plan.Immediate() {
				outlook := &driver.Outlook{Plan: plan, Sources: len(c.shards), Left: time.Minute}
				ahead := driver.RunAhead(t.Context(), open(), func() (wire.Session, error) { back++; return open(), nil }, outlook)
				defer func() { _ = ahead.Close() }()
				sessions = append(sessions, ahead)
				continue
			}
			near := open()
			defer func() { _ = near.Close() }()
			known, err := driver.Inform(t.Context(), near, plan, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if sessions = append(sessions, near); known != nil {
				sessions[i] = known
				others = append(others, known)
			}
			continue
		}
		d := newDistant(t, func() *rank.Ranker {
			return rank.New(f, func(context.Context, []byte) (docset.Set, error) { return o.filter, nil })
		})
		defer func() { _ = d.Close() }()
		ends = append(ends, d)
		client, first := driver.Prefetch(d, &driver.Outlook{Plan: plan, Sources: len(c.shards), Part: 1 / float64(len(c.shards)), Left: time.Minute, Others: others, Alongside: way == allAhead})
		if first == nil {
			t.Fatal("no first step")
		}
		sessions = append(sessions, client)
	}
	r, err := driver.Run(context.Background(), sessions, plan)
	if err != nil {
		t.Fatalf("%q: %v", q, err)
	}
	for _, d := range ends {
		waits, back, parts = max(waits, d.waits), back+d.back, parts+d.parts
	}
	return r, waits, back, parts
}

func TestWorkingAheadChangesNoAnswer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(11, 15))}
	defer func(n uint64) { driver.DividedDocs = n }(driver.DividedDocs)
	var searches, waits, back, parts [ways]int
	for round := range 60 {
		driver.DividedDocs = 1 + uint64(round%2)<<20
		settings := r.settings()
		docs := map[uint32]string{}
		for ord := range uint32(5 + r.IntN(60)) {
			docs[ord] = r.document()
		}
		c := newCorpus(t, settings, docs, 1+r.IntN(4))
		for range 15 {
			q := r.query()
			o := r.options(q)
			want := c.search(q, o)
			for i := range ways {
				got, n, b, p := c.searchFar(t, q, o, i)
				if c.show(got) != c.show(want) || !slices.Equal(got.Touched, want.Touched) || got.Degraded != want.Degraded {
					t.Fatalf("%q %+v, settings %+v, way %d\n%s\nwant\n%s", q, o, settings, i, c.show(got), c.show(want))
				}
				searches[i], waits[i], back[i] = searches[i]+1, waits[i]+n, back[i]+b
				parts[i] += p
			}
		}
	}
	t.Logf("%d searches waited %d times, shards went back %d times, answered in two parts %d times (all far, one far, all begin at once, all go ahead)", searches, waits, back, parts)
	if back[allFar] == 0 || back[allAhead] <= back[allBegin] || slices.Min(parts[:allAhead]) == 0 {
		t.Error("no shard had to rewind, or none answered in two parts: the test proved nothing")
	}
}

func TestASearchOfManyShardsTakesFewRounds(t *testing.T) {
	r := random{rand.New(rand.NewPCG(13, 14))}
	docs := map[uint32]string{}
	for ord := range uint32(400) {
		docs[ord] = `{"t":"` + r.text() + `"}`
	}
	c := newCorpus(t, settings.Default(), docs, 4)
	near, far, one := 0, 0, 0
	for range 100 {
		q := r.word() + " " + r.word()
		o := options{query: q, strategy: rule.Last, limit: 20}
		steps := make([]int, len(c.shards))
		var sessions []wire.Session
		for i, f := range c.shards {
			s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return o.filter, nil })
			defer func() { _ = s.Close() }()
			sessions = append(sessions, counted{s, &steps[i]})
		}
		if _, err := driver.Run(context.Background(), sessions, c.plan(q, o)); err != nil {
			t.Fatal(err)
		}
		near += slices.Max(steps)
		_, waits, _, _ := c.searchFar(t, q, o, allFar)
		far += waits
		_, waits, _, _ = c.searchFar(t, q, o, oneFar)
		one += waits
	}
	t.Logf("100 searches take %d steps, %d rounds of shards far away, %d of one that is", near, far, one)
	if far > near/2 {
		t.Error("shards do not work ahead")
	}
	if one > 170 {
		t.Error("a shard that can resolve the words does not continue to the hits")
	}
}

// BenchmarkSearchOfTwoSources measures searches of an index with two sources, at least one of
// which is on another node. It includes the encoding of messages.
func BenchmarkSearchOfTwoSources(b *testing.B) {
	r := random{rand.New(rand.NewPCG(17, 18))}
	docs := map[uint32]string{}
	for ord := range uint32(400) {
		docs[ord] = `{"t":"` + r.text() + `"}`
	}
	c := newCorpus(b, settings.Default(), docs, 2)
	queries := make([]string, 64)
	for i := range queries {
		queries[i] = r.word() + " " + r.word()
	}
	for way, name := range [ways]string{allFar: "both far", oneFar: "one far", allBegin: "both begin", allAhead: "both ahead"} {
		b.Run(name, func(b *testing.B) {
			waits := 0
			for i := 0; b.Loop(); i++ {
				q := queries[i%len(queries)]
				_, n, _, _ := c.searchFar(b, q, options{query: q, strategy: rule.Last, limit: 20}, way)
				waits += n
			}
			b.ReportMetric(float64(waits)/float64(b.N), "rounds/op")
		})
	}
}

// A source that resolved the terms differently from the driver has worked ahead in vain: it
// begins again, and the driver does not wait for the second part of the useless answer.
func TestASourceThatResolvedOtherTermsBeginsAgain(t *testing.T) {
	docs, lies := map[uint32]string{}, map[uint32]string{}
	for ord := range uint32(40) {
		docs[ord] = `{"t":"sun flower suns"}`
		lies[ord] = `{"t":"sum sunk sung flowers"}`
	}
	c, other := newCorpus(t, settings.Default(), docs, 2), newCorpus(t, settings.Default(), lies, 2)
	q := "flower sunn"
	o := options{query: q, strategy: rule.Last, limit: 20}
	want := c.search(q, o)
	defer func(n uint64) { driver.DividedDocs = n }(driver.DividedDocs)
	var parts int
	for parts, driver.DividedDocs = range []uint64{1 << 20, 1} {
		plan := c.plan(q, o)
		known, err := driver.Inform(t.Context(), rank.New(other.shards[0], nil), plan, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		near := rank.New(c.shards[0], nil)
		far := newDistant(t, func() *rank.Ranker { return rank.New(c.shards[1], nil) })
		client, _ := driver.Prefetch(far, &driver.Outlook{Plan: plan, Sources: 2, Part: .5, Left: time.Minute, Others: []*driver.Transcript{known}})
		got, err := driver.Run(t.Context(), []wire.Session{near, client}, plan)
		if err != nil {
			t.Fatal(err)
		}
		if c.show(got) != c.show(want) {
			t.Errorf("%s\nwant\n%s", c.show(got), c.show(want))
		}
		if far.back != 1 || parts == 1 && far.parts == 0 {
			t.Errorf("the source rewound %d times, want 1; %d answers came in two parts", far.back, far.parts)
		}
		_, _ = near.Close(), far.Close()
	}
}

// counted counts the steps of a session.
type counted struct {
	wire.Session
	steps *int
}

func (c counted) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	*c.steps++
	return c.Session.Step(ctx, s)
}

func TestMoreStepsUsedThanTakenIsAnError(t *testing.T) {
	c := newCorpus(t, settings.Default(), map[uint32]string{1: `{"t":"sun"}`}, 1)
	for _, used := range []int{-1, 99} {
		d := newDistant(t, func() *rank.Ranker { return rank.New(c.shards[0], nil) })
		plan := c.plan("", options{limit: 20})
		_, begin := driver.Prefetch(d, &driver.Outlook{Plan: plan, Sources: 2, Part: .5, Left: time.Minute})
		if _, err := d.Step(t.Context(), begin); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Step(t.Context(), &wire.SearchStep{Candidates: &wire.CandidatesStep{}, Used: &used}); err == nil {
			t.Errorf("%d steps were used of fewer", used)
		}
		if err := d.now.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A source that began by itself, and is then asked about cuts of words, must begin again.
// Otherwise the following steps would find a session that has not taken Begin.
func TestASourceAskedAboutCutsAfterItBeganBeginsAgain(t *testing.T) {
	r := random{rand.New(rand.NewPCG(15, 16))}
	asked, begun := 0, 0
	for range rounds(400, 60) {
		docs := map[uint32]string{}
		for ord := range uint32(60) {
			docs[ord] = r.document()
		}
		c := newCorpus(t, r.settings(), docs, 2)
		q := r.word() + r.word() + " " + r.query()
		o := r.options(q)
		plan := c.plan(q, o)
		open := func(i int) *rank.Ranker {
			return rank.New(c.shards[i], func(context.Context, []byte) (docset.Set, error) { return o.filter, nil })
		}
		near := open(0)
		known, err := driver.Inform(t.Context(), near, plan, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if known == nil {
			continue
		}
		far := newDistant(t, func() *rank.Ranker { return open(1) })
		silent := stepped(func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
			reply, err := far.Step(ctx, s)
			if s.Pairs != nil {
				asked++
			}
			if err == nil && reply.Vocabulary != nil {
				reply.Vocabulary.Counts = nil // it does not tell what it counted
				begun += len(reply.Ahead)
			}
			return reply, err
		})
		client, _ := driver.Prefetch(silent, &driver.Outlook{Plan: plan, Sources: 2, Part: .5, Left: time.Minute, Others: []*driver.Transcript{known}})
		got, err := driver.Run(t.Context(), []wire.Session{known, client}, plan)
		if err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		if want := c.search(q, o); c.show(got) != c.show(want) {
			t.Errorf("%q\n%s\nwant\n%s", q, c.show(got), c.show(want))
		}
		_, _ = near.Close(), far.Close()
	}
	if asked == 0 || begun == 0 {
		t.Errorf("asked about cuts %d times, begun %d times by itself: the test proved nothing", asked, begun)
	}
}
