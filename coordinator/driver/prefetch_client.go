package driver

import (
	"context"
	"slices"
	"time"

	"shoal/query/rule"
	"shoal/wire"
)

// PrefetchClient is a session with a source of another node on behalf of one plan,
// with few waits: the source goes ahead after Begin, and the steps that it foresaw
// are answered from what it said then. Its other end is a PrefetchServer. For one
// goroutine.
type PrefetchClient struct {
	session wire.Session
	ahead   *wire.PrefetchPlan
	// known are the answers that were not asked for yet, used is how many were;
	// astray tells that the source may be elsewhere than the driver.
	known  []wire.PrefetchedReply
	used   int
	astray bool
	cuts   cutCounts
}

// NewPrefetchClient wraps a session of one of several sources that is about to be
// opened, which it closes in the end. opening is the first step of the plan, which
// can be sent along: the session must answer it when it is asked first. left is how
// long the search may take.
func NewPrefetchClient(session wire.Session, plan *Plan, sources int, left time.Duration) (c *PrefetchClient, opening *wire.SearchStep) {
	c = &PrefetchClient{session: session, ahead: prefetchPlan(plan, sources, left)}
	return c, c.sent(first(plan))
}

// sent is a step as the source gets it: Begin and Vocabulary let it go ahead.
func (c *PrefetchClient) sent(s *wire.SearchStep) *wire.SearchStep {
	switch {
	case c.ahead == nil:
		return s
	case s.Begin != nil:
		begin := *s.Begin
		begin.Ahead = c.ahead
		return &wire.SearchStep{Begin: &begin}
	case s.Vocabulary != nil:
		words := *s.Vocabulary
		words.Ahead = cutsAhead
		return &wire.SearchStep{Vocabulary: &words}
	}
	return s
}

// Step implements wire.Session.
func (c *PrefetchClient) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if reply, ok, err := c.served(s); ok || err != nil {
		return reply, err
	}
	if s.Pairs != nil {
		if reply, ok := c.cuts.answer(s.Pairs); ok {
			return &wire.SearchReply{Pairs: reply}, nil
		}
	}
	if c.astray && !s.Reads() {
		told := *s
		told.Used = &c.used
		s, c.known, c.astray = &told, nil, false
	}
	reply, err := c.session.Step(ctx, c.sent(s))
	if err == nil && s.Vocabulary != nil {
		c.cuts = cutCounts{s.Vocabulary.Words, reply.Vocabulary}
	}
	if err == nil && s.Begin != nil && c.ahead != nil {
		c.known, c.used, c.astray = reply.Ahead, 0, true
	}
	return reply, err
}

// Close implements wire.Session.
func (c *PrefetchClient) Close() error { return c.session.Close() }

// served answers the step that the source foresaw next.
func (c *PrefetchClient) served(s *wire.SearchStep) (reply *wire.SearchReply, ok bool, err error) {
	if len(c.known) == 0 {
		return nil, false, nil
	}
	key, want, err := s.Key()
	if err != nil || !c.known[0].Serves(key, want) {
		return nil, false, err
	}
	reply, c.known = &c.known[0].Reply, c.known[1:]
	c.used++
	return reply, true, nil
}

// first returns the first step of a plan, which is the same for every source.
func first(plan *Plan) *wire.SearchStep {
	d := &drive{plan: plan, out: new(Ranked)}
	if plan.keyword() {
		d.terms = slices.Clone(plan.Keywords.Terms)
		if step, asked := vocabularyStep(d.terms); len(asked) > 0 {
			return &wire.SearchStep{Vocabulary: step}
		}
	}
	return &wire.SearchStep{Begin: d.beginStep(plan.keyword())}
}

// prefetchPlan returns what one of several sources has to know to go on by itself after
// Begin, nil for plans in which it would soon go astray: those whose steps depend
// on what other sources have found.
func prefetchPlan(plan *Plan, sources int, left time.Duration) *wire.PrefetchPlan {
	if plan.Threshold != nil || plan.HasDistinct || plan.Trace != nil || plan.ByAttribute || plan.Vector != nil ||
		plan.Strategy == rule.Frequency || plan.Length <= 0 || left <= 0 {
		return nil
	}
	return &wire.PrefetchPlan{
		Rules: plan.Rules, Placeholder: plan.Placeholder, Strategy: plan.Strategy, MaxWeight: plan.MaxWeight,
		Length: plan.Length, Enough: min(plan.Length, 2*((plan.Length+sources-1)/sources)), Millis: left.Milliseconds(),
	}
}
