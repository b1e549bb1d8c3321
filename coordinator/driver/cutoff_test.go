package driver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/shard/rank"
	"shoal/wire"
)

// hurried gives every step that ranks by all rules one microsecond.
type hurried struct {
	wire.Session
	cut int
}

func (h *hurried) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if s.Top != nil {
		top := *s.Top
		top.Micros, s = 1, &wire.SearchStep{Top: &top}
	}
	reply, err := h.Session.Step(ctx, s)
	if err == nil && s.Top != nil && reply.Top.Cut {
		h.cut++
	}
	return reply, err
}

// apart are documents that have two words far from each other, with proximity as the first rule.
func apart(t *testing.T) *corpus {
	docs := map[uint32]string{}
	for i := range uint32(2000) {
		docs[i] = fmt.Sprintf(`{"t":"team of %d people that went to play"}`, i)
	}
	s := settings.Default()
	s.RankingRules = []string{"proximity", "words"}
	return newCorpus(t, s, docs, 1)
}

// With proximity as the first rule, the search looks at every document with both words when few
// of them have the words near each other. When the time is up, the best documents seen are the
// answer. If they are too few, the rules find the answer one by one.
func TestARankingByAllRulesEndsInTime(t *testing.T) {
	c := apart(t)
	search := func(limit int) (*driver.Ranked, int) {
		h := &hurried{Session: rank.New(c.shards[0], nil)}
		defer h.Close()
		r, err := driver.Run(t.Context(), []wire.Session{h}, c.plan("team play", options{limit: limit}))
		if err != nil {
			t.Fatal(err)
		}
		return r, h.cut
	}
	r, cut := search(20)
	if cut != 1 || !r.Degraded || len(r.Hits) != 20 || r.Total != 2000 {
		t.Errorf("%d steps cut, degraded %v, %d hits of %d: want 1 step, the best 20 of those seen", cut, r.Degraded, len(r.Hits), r.Total)
	}
	r, cut = search(1000)
	if want := c.search("team play", options{limit: 1000}); cut != 1 || r.Degraded || c.show(r) != c.show(want) {
		t.Errorf("%d steps cut, degraded %v, %d hits: want 1 step, and the answer of rules one by one", cut, r.Degraded, len(r.Hits))
	}
}

// An answer that was cut looks complete to a node that does not know about cuts. A source does
// not send it ahead to such a node. When the node asks for it, the source takes the time it
// needs.
func TestACutAnswerIsNotSentAheadToAnOlderNode(t *testing.T) {
	c := apart(t)
	plan := c.plan("team play", options{limit: 20})
	for _, knows := range []bool{false, true} {
		h := &hurried{Session: rank.New(c.shards[0], nil)}
		server := driver.NewPrefetchServer(h, func() (wire.Session, error) { t.Fatal("it went back"); return nil, nil }, nil)
		told := false
		older := stepped(func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
			if s.Begin != nil {
				s.Begin.Ahead.Cuts = knows
			}
			r, err := server.Step(ctx, s)
			if err == nil {
				told = told || slices.ContainsFunc(r.Ahead, func(a wire.PrefetchedReply) bool { return a.Reply.Top != nil && a.Reply.Top.Cut })
			}
			return r, err
		})
		client, _ := driver.Prefetch(older, &driver.Outlook{Plan: plan, Sources: 2, Part: .5, Left: time.Minute})
		if _, err := driver.Run(t.Context(), []wire.Session{client}, plan); err != nil {
			t.Fatal(err)
		}
		if h.cut == 0 || told != knows {
			t.Errorf("the asker knows of cuts: %v; %d answers were cut, told ahead: %v", knows, h.cut, told)
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// stepped is a session that is one function.
type stepped func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error)

func (f stepped) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	return f(ctx, s)
}

func (stepped) Close() error { return nil }
