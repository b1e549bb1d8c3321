package rank_test

import (
	"context"
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

// distant is the session of a shard on another node: what is said goes through
// the encoding, the other end goes ahead.
type distant struct {
	t     *testing.T
	open  func() *rank.Ranker
	now   *rank.Ranker
	end   *driver.PrefetchServer
	waits int
	// back counts how often the shard had to go back.
	back int
}

func newDistant(t *testing.T, open func() *rank.Ranker) *distant {
	d := &distant{t: t, open: open, now: open()}
	d.end = driver.NewPrefetchServer(d.now, func() (wire.Session, error) {
		d.back++
		d.now = d.open()
		return d.now, nil
	})
	return d
}

func (d *distant) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	d.waits++
	step, reply := new(wire.SearchStep), new(wire.SearchReply)
	d.copy(s, step)
	said, err := d.end.Step(ctx, step)
	if err != nil {
		return nil, err
	}
	d.copy(said, reply)
	return reply, nil
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

// searchFar is search with every shard on another node; it returns how often it
// waited for the shard it asked most, and how often shards had to go back.
func (c *corpus) searchFar(t *testing.T, q string, o options) (r *driver.Ranked, waits, back int) {
	t.Helper()
	plan := c.plan(q, o)
	var sessions []wire.Session
	var ends []*distant
	for _, f := range c.shards {
		d := newDistant(t, func() *rank.Ranker {
			return rank.New(f, func([]byte) (docset.Set, error) { return o.filter, nil })
		})
		defer func() { _ = d.Close() }()
		ends = append(ends, d)
		client, first := driver.NewPrefetchClient(d, plan, len(c.shards), time.Minute)
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
		waits, back = max(waits, d.waits), back+d.back
	}
	return r, waits, back
}

func TestGoingAheadChangesNoAnswer(t *testing.T) {
	r := random{rand.New(rand.NewPCG(11, 12))}
	searches, waits, back := 0, 0, 0
	for range 60 {
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
			got, n, b := c.searchFar(t, q, o)
			if c.show(got) != c.show(want) || got.Touched != want.Touched || got.Degraded != want.Degraded {
				t.Fatalf("%q %+v, settings %+v\n%s\nwant\n%s", q, o, settings, c.show(got), c.show(want))
			}
			searches, waits, back = searches+1, waits+n, back+b
		}
	}
	t.Logf("%d searches waited %d times, shards went back %d times", searches, waits, back)
	if back == 0 {
		t.Error("no shard had to go back: nothing was proven")
	}
}

func TestASearchOfManyShardsTakesFewRounds(t *testing.T) {
	r := random{rand.New(rand.NewPCG(13, 14))}
	docs := map[uint32]string{}
	for ord := range uint32(400) {
		docs[ord] = `{"t":"` + r.text() + `"}`
	}
	c := newCorpus(t, settings.Default(), docs, 4)
	near, far := 0, 0
	for range 100 {
		q := r.word() + " " + r.word()
		o := options{query: q, strategy: rule.Last, limit: 20}
		steps := make([]int, len(c.shards))
		var sessions []wire.Session
		for i, f := range c.shards {
			s := rank.New(f, func([]byte) (docset.Set, error) { return o.filter, nil })
			defer func() { _ = s.Close() }()
			sessions = append(sessions, counted{s, &steps[i]})
		}
		if _, err := driver.Run(context.Background(), sessions, c.plan(q, o)); err != nil {
			t.Fatal(err)
		}
		near += slices.Max(steps)
		_, waits, _ := c.searchFar(t, q, o)
		far += waits
	}
	t.Logf("100 searches take %d steps and %d rounds", near, far)
	if far > near/2 {
		t.Error("shards do not go ahead")
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
		_, begin := driver.NewPrefetchClient(d, plan, 2, time.Minute)
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
