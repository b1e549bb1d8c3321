package driver

import (
	"context"
	"time"

	"shoal/wire"
)

// Ahead is a session with the source of this node that works ahead while another node works. It
// combines PrefetchClient and PrefetchServer without messages between them. It serves one
// goroutine and one plan.
type Ahead struct {
	server *PrefetchServer
	// begun is the answer to Begin until the driver asks for it. known are the answers to
	// foreseen steps that the driver has not asked yet. used counts those it has.
	begun *wire.SearchReply
	known []wire.PrefetchedReply
	steps []*wire.SearchStep
	used  int
	// strayed: the source may have taken steps that the driver will not ask.
	strayed bool
}

// NewAhead wraps a session and closes it in the end. open opens another session on the same
// state of the source.
func NewAhead(session wire.Session, open func() (wire.Session, error)) *Ahead {
	return &Ahead{server: &PrefetchServer{session: session, open: open, here: true}}
}

// Go begins an Immediate plan that has several sources, and takes the next steps as if this
// source were the only one. A step that fails here fails again when the driver asks it.
func (a *Ahead) Go(ctx context.Context, plan *Plan, sources int, left time.Duration) {
	o := &Outlook{Plan: plan, Sources: sources, Left: left}
	begin := *first(plan).Begin
	if begin.Ahead = o.prefetchPlan(); begin.Ahead == nil {
		return
	}
	begin.Ahead.Show, begin.Ahead.Facets = nil, nil
	defer func() { a.server.begun = true }() // without an answer Begin goes to a new session
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
		// The driver runs the plan that was begun.
		reply := a.begun
		a.begun, a.strayed = nil, true
		return reply, nil
	case s.Begin != nil:
		a.known, a.strayed = nil, false
	case len(a.known) > 0 && a.steps[a.used].Covers(s):
		reply := &a.known[0].Reply
		a.known = a.known[1:]
		a.used++
		return reply, nil
	case a.strayed && !s.Reads():
		told, used := *s, a.used
		told.Used, s = &used, &told
		a.known, a.strayed = nil, false
	}
	return a.server.Step(ctx, s)
}

// Close implements wire.Session.
func (a *Ahead) Close() error { return a.server.Close() }
