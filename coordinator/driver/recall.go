package driver

import (
	"context"
	"slices"
	"time"

	"shoal/query"
	"shoal/wire"
)

// Recaller asks a shard of another node on behalf of one plan, with few waits: the
// shard goes ahead after Begin, and the steps that it foresaw are answered from what
// it said then. Its other end is an Executor. For one goroutine.
type Recaller struct {
	session Session
	ahead   *wire.AheadPlan
	// known are the answers that were not asked for yet, used is how many were;
	// astray tells that the shard may be elsewhere than the driver.
	known  []wire.AheadReply
	used   int
	astray bool
}

// NewRecaller wraps a session of one of several shards that is about to be opened.
// opening is the first step of the plan, which can be sent along: the session must
// answer it when it is asked first. left is how long the search may take.
func NewRecaller(session Session, plan *Plan, shards int, left time.Duration) (r *Recaller, opening *wire.SearchStep) {
	r = &Recaller{session: session, ahead: aheadPlan(plan, shards, left)}
	return r, r.sent(first(plan))
}

// sent is a step as the shard gets it: Begin lets it go ahead.
func (r *Recaller) sent(s *wire.SearchStep) *wire.SearchStep {
	if r.ahead == nil || s.Begin == nil {
		return s
	}
	begin := *s.Begin
	begin.Ahead = r.ahead
	return &wire.SearchStep{Begin: &begin}
}

// Step implements Session.
func (r *Recaller) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if reply, ok, err := r.recall(s); ok || err != nil {
		return reply, err
	}
	if r.astray && !s.Reads() {
		told := *s
		told.Used = &r.used
		s, r.known, r.astray = &told, nil, false
	}
	reply, err := r.session.Step(ctx, r.sent(s))
	if err == nil && s.Begin != nil && r.ahead != nil {
		r.known, r.used, r.astray = reply.Ahead, 0, true
	}
	return reply, err
}

// recall answers the step that the shard foresaw next.
func (r *Recaller) recall(s *wire.SearchStep) (reply *wire.SearchReply, ok bool, err error) {
	if len(r.known) == 0 {
		return nil, false, nil
	}
	key, want, err := s.Key()
	if err != nil || !r.known[0].Serves(key, want) {
		return nil, false, err
	}
	reply, r.known = &r.known[0].Reply, r.known[1:]
	r.used++
	return reply, true, nil
}

// first returns the first step of a plan, which is the same for every shard.
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

// aheadPlan returns what one of several shards has to know to go on by itself after
// Begin, nil for plans in which it would soon go astray: those whose steps depend
// on what other shards have found.
func aheadPlan(plan *Plan, shards int, left time.Duration) *wire.AheadPlan {
	if plan.Threshold != nil || plan.HasDistinct || plan.Trace != nil || plan.ByAttribute || plan.Vector != nil ||
		plan.Strategy == query.Frequency || plan.Length <= 0 || left <= 0 {
		return nil
	}
	return &wire.AheadPlan{
		Rules: plan.Rules, Placeholder: plan.Placeholder, Strategy: plan.Strategy, MaxWeight: plan.MaxWeight,
		Length: plan.Length, Enough: min(plan.Length, 2*((plan.Length+shards-1)/shards)), Millis: left.Milliseconds(),
	}
}
