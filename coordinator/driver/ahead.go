package driver

import (
	"context"
	"time"

	"shoal/wire"
)

// Ahead is a session with the source of this node that goes ahead while another node works:
// what a PrefetchClient and its PrefetchServer are for that one, without messages between
// them. For one goroutine, and for one plan.
type Ahead struct {
	server *PrefetchServer
	// begun is the answer to Begin while nobody has asked for it; known are the answers to
	// steps that were not asked yet, used is how many were.
	begun *wire.SearchReply
	known []wire.PrefetchedReply
	steps []*wire.SearchStep
	used  int
	// astray: the source may be elsewhere than the driver.
	astray bool
}

// NewAhead wraps a session, which it closes in the end. open opens another one on the same
// state of the source.
func NewAhead(session wire.Session, open func() (wire.Session, error)) *Ahead {
	return &Ahead{server: &PrefetchServer{session: session, open: open, here: true}}
}

// Go begins an Immediate plan, of one of several sources, and takes the steps after that as
// if there were no other. What fails fails again when the driver asks for it.
func (a *Ahead) Go(ctx context.Context, plan *Plan, sources int, left time.Duration) {
	o := &Outlook{Plan: plan, Sources: sources, Left: left}
	begin := *first(plan).Begin
	if begin.Ahead = o.prefetchPlan(); begin.Ahead == nil {
		return
	}
	begin.Ahead.Show, begin.Ahead.Facets = nil, nil
	defer func() { a.server.begun = true }() // without an answer Begin is asked of a new session
	reply, err := a.server.Step(ctx, &wire.SearchStep{Begin: &begin})
	if err != nil {
		return
	}
	a.begun, a.known, a.steps = reply, reply.Ahead, a.server.taken
}

// Step implements wire.Session.
func (a *Ahead) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	switch {
	case s.Begin != nil && a.begun != nil:
		// The plan is the one that was begun.
		reply := a.begun
		a.begun, a.astray = nil, true
		return reply, nil
	case s.Begin != nil:
		a.known, a.astray = nil, false
	case len(a.known) > 0 && a.steps[a.used].Covers(s):
		reply := &a.known[0].Reply
		a.known = a.known[1:]
		a.used++
		return reply, nil
	case a.astray && !s.Reads():
		told, used := *s, a.used
		told.Used, s = &used, &told
		a.known, a.astray = nil, false
	}
	return a.server.Step(ctx, s)
}

// Close implements wire.Session.
func (a *Ahead) Close() error { return a.server.Close() }
