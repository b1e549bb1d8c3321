package driver

import (
	"context"
	"errors"
	"slices"
	"time"

	"shoal/query"
	"shoal/wire"
)

// maxAhead bounds the steps that a source takes ahead.
const maxAhead = 16

// errEnough ends the drive that works ahead.
var errEnough = errors.New("driver: enough steps taken ahead")

// errUsed reports a caller that used more steps than were taken. That is a fault of the driver.
var errUsed = errors.New("driver: the caller used more steps than were taken ahead")

// PrefetchServer is the session of one source that works ahead on request. The other end is a
// Transcript. It serves one goroutine.
type PrefetchServer struct {
	session wire.Session
	open    func() (wire.Session, error)
	begin   wire.SearchStep
	// begun: the session took Begin unasked.
	begun bool
	// send sends the first part of an answer, rest is the second part; both may be nil.
	send func(*wire.SearchReply) error
	rest *wire.SearchReply
	// taken are the steps taken ahead since Begin, until the caller tells how many it used.
	taken []*wire.SearchStep
	// here: the caller is on this node. It compares the steps themselves, so they need no
	// digests.
	here bool
}

// NewPrefetchServer wraps a session and closes it in the end. open opens another session on the
// same state of the source, which replaces one that took unwanted steps. send, if not nil,
// sends the first part of an answer before Step returns the second one.
func NewPrefetchServer(session wire.Session, open func() (wire.Session, error), send func(*wire.SearchReply) error) *PrefetchServer {
	return &PrefetchServer{session: session, open: open, send: send}
}

// Close implements wire.Session.
func (e *PrefetchServer) Close() error { return e.session.Close() }

// Step answers one step. If Vocabulary or Begin ask for it, the answer contains those of the
// steps after it.
func (e *PrefetchServer) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if s.Begin != nil && e.begun {
		// The terms of the foreseen Begin were not the wanted ones.
		if err := e.reopen(); err != nil {
			return nil, err
		}
		e.begun, e.taken = false, nil
	}
	if e.taken != nil && !s.Reads() {
		if err := e.rewind(ctx, s); err != nil {
			return nil, err
		}
	}
	reply, err := e.session.Step(ctx, s)
	if err == nil && s.Vocabulary != nil && s.Vocabulary.Ahead > 0 {
		err = countCuts(ctx, e.session, s.Vocabulary, reply.Vocabulary)
	}
	if err == nil && s.Vocabulary != nil && s.Vocabulary.Begin != nil {
		err = e.beginAhead(ctx, s.Vocabulary, reply)
	}
	if err == nil && s.Begin != nil && s.Begin.Ahead != nil {
		e.begin = *s
		err = e.runAhead(ctx, reply, func() error { return e.divide(reply) })
	}
	if e.rest != nil {
		reply, e.rest = e.rest, nil
	}
	return reply, err
}

// DividedDocs is the number of found documents from which on they are worth a first message of
// their own: the caller ranks its documents meanwhile. It changes no answer. Tests lower it.
var DividedDocs uint64 = 4096

// divide sends the present part of an answer; e.rest takes the remainder.
func (e *PrefetchServer) divide(reply *wire.SearchReply) error {
	reply.Continued, e.rest = true, new(wire.SearchReply)
	return e.send(reply)
}

// rewind undoes the steps taken ahead that the caller did not use, unless the next step cannot
// notice them.
func (e *PrefetchServer) rewind(ctx context.Context, next *wire.SearchStep) error {
	taken := e.taken
	e.taken = nil
	wanted := 0
	if next.Used != nil {
		wanted = *next.Used
	}
	switch {
	case wanted < 0 || wanted > len(taken):
		return errUsed
	case readsAbove(next, touched(taken[wanted:])):
		return nil
	}
	if err := e.reopen(); err != nil {
		return err
	}
	for _, s := range append([]*wire.SearchStep{&e.begin}, taken[:wanted]...) {
		if _, err := e.session.Step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// reopen replaces the session with a new one on the same state.
func (e *PrefetchServer) reopen() error {
	fresh, err := e.open()
	if err != nil {
		return err
	}
	old := e.session
	e.session = fresh
	return old.Close()
}

// beginAhead continues from the vocabulary to Begin and the steps after it, if the reports of
// all sources suffice. Failures are not reported: the caller asks those steps again.
func (e *PrefetchServer) beginAhead(ctx context.Context, s *wire.VocabularyStep, reply *wire.SearchReply) error {
	plan := s.Begin.Ahead
	if plan == nil {
		return nil
	}
	d := &drive{ctx: ctx, plan: &Plan{Keywords: &query.Keywords{Terms: s.Begin.Terms}, Strategy: plan.Strategy}, out: new(Ranked)}
	d.sessions = []wire.Session{&Transcript{words: wordReport{s.Words, reply.Vocabulary}}}
	for i := range s.Others {
		if len(s.Others[i].Words) != len(s.Words) {
			return errNotReported
		}
		d.sessions = append(d.sessions, &Transcript{words: wordReport{s.Words, &s.Others[i]}})
	}
	if d.pinTerms() != nil {
		return ctx.Err()
	}
	begin := *s.Begin
	begin.Ahead, begin.Terms = nil, d.terms
	d.graph = query.NewGraph(d.terms)
	begin.Reduced = d.reduced(nil)
	step := &wire.SearchStep{Begin: &begin}
	told, err := wire.Prefetched(step)
	if err != nil {
		return err
	}
	e.begun = true
	begun, err := e.session.Step(ctx, step)
	if err != nil {
		return ctx.Err()
	}
	begin.Ahead = plan
	e.begin = *step
	reply.Ahead = []wire.PrefetchedReply{told}
	err = e.runAhead(ctx, begun, func() error {
		reply.Ahead[0].Reply = *begun
		return e.divide(reply)
	})
	reply.Ahead[0].Reply = *begun
	return err
}

// touched returns the outermost level of the sort that some steps changed, or noLevel.
func touched(steps []*wire.SearchStep) int {
	level := noLevel
	for _, s := range steps {
		switch {
		case s.Buckets != nil:
			level = min(level, s.Buckets.Level)
		case s.Top != nil, s.Take != nil:
		default:
			return 0
		}
	}
	return level
}

// noLevel is a level below all others.
const noLevel = 1 << 30

// readsAbove tells whether a step is independent of all levels from the given one on: it reads
// levels above, or begins that level or one above anew.
func readsAbove(s *wire.SearchStep, level int) bool {
	switch {
	case level == noLevel:
		return true
	case s.Buckets != nil && s.Buckets.Start != nil:
		return s.Buckets.Level <= level
	case s.Buckets != nil:
		return s.Buckets.Level < level
	case s.Top != nil:
		return s.Top.Level < level
	case s.Take != nil:
		return s.Take.Level < level
	}
	return false
}

// runAhead runs the driver over this source alone and adds the steps it asked to the reply. A
// step that fails here fails again when the caller asks it. divide is called before slow work:
// it sends the reply so far, and the remainder goes to e.rest.
func (e *PrefetchServer) runAhead(ctx context.Context, reply *wire.SearchReply, divide func() error) error {
	begin, plan := e.begin.Begin, e.begin.Begin.Ahead
	d := &drive{
		ctx: ctx, terms: begin.Terms, universe: []uint64{reply.Universe.Count}, out: new(Ranked), rules: plan.Placeholder,
		plan: &Plan{Strategy: plan.Strategy, Length: plan.Length, MaxWeight: plan.MaxWeight, Unscored: true},
	}
	if len(begin.Terms) > 0 {
		d.rules = plan.Rules
	}
	d.beginStep(len(begin.Terms) > 0)
	e.taken = make([]*wire.SearchStep, 0, 4)
	until := time.Now().Add(time.Duration(plan.Millis) * time.Millisecond)
	d.plan.Deadline = until
	divides := plan.Parts && e.send != nil && reply.Universe.Count >= DividedDocs
	var sendErr error
	d.sessions = []wire.Session{ownSteps(func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
		if len(d.out.Hits) >= plan.Enough || len(e.taken) == maxAhead || !time.Now().Before(until) {
			return nil, errEnough
		}
		told := wire.PrefetchedReply{Taken: s}
		if !e.here {
			var err error
			if told, err = wire.Prefetched(s); err != nil {
				return nil, err
			}
		}
		if s.Top != nil && divides {
			divides = false
			if sendErr = divide(); sendErr != nil {
				return nil, sendErr
			}
			reply = e.rest
		}
		e.taken = append(e.taken, s)
		answer, err := e.session.Step(ctx, s)
		if err == nil && answer.Top != nil && answer.Top.Cut && !plan.Cuts {
			return nil, errEnough
		}
		if err == nil {
			told.Reply = *answer
			reply.Ahead = append(reply.Ahead, told)
		}
		return answer, err
	})}
	found := reply.Universe.Count
	_ = d.rank() // reply.Ahead holds the steps that succeeded
	if sendErr != nil {
		return sendErr
	}
	if plan.Show != nil {
		d.out.Terms = begin.Terms
		reply.Shown = e.show(ctx, d.out, plan)
	}
	if plan.Facets != nil {
		reply.Counted = e.count(ctx, plan.Facets.Ahead(found, plan.Part))
	}
	return ctx.Err()
}

// count counts facets. It returns nil when that fails.
func (e *PrefetchServer) count(ctx context.Context, step *wire.FacetsStep) *wire.PrefetchedReply {
	s := &wire.SearchStep{Facets: step}
	told, err := wire.Prefetched(s)
	if err != nil {
		return nil
	}
	reply, err := e.session.Step(ctx, s)
	if err != nil {
		return nil
	}
	told.Reply = *reply
	return &told
}

// shownRoom bounds the bytes of the documents that are rendered ahead.
const shownRoom = 256 << 10

// show renders the first hits. It returns nil when that fails or they are too large.
func (e *PrefetchServer) show(ctx context.Context, found *Ranked, plan *wire.PrefetchPlan) *wire.Shown {
	shown := &wire.Shown{Touched: found.touchedSet(), Looked: found.Touched}
	for i := range found.Hits[:max(0, min(plan.Hits, len(found.Hits)))] {
		shown.Ordinals = append(shown.Ordinals, found.Hits[i].Ordinal)
	}
	if len(shown.Ordinals) == 0 {
		return nil
	}
	slices.Sort(shown.Ordinals)
	step := &wire.FetchStep{Ordinals: shown.Ordinals, Options: *plan.Show, Room: shownRoom}
	if marks(plan.Show) {
		step.Match = found.Match()
	}
	reply, err := e.session.Step(ctx, &wire.SearchStep{Fetch: step})
	if err != nil || reply.Fetch.Full {
		return nil
	}
	shown.Documents = reply.Fetch.Documents
	return shown
}

// ownSteps answers the steps of the drive that works ahead.
type ownSteps func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error)

// Step implements wire.Session.
func (f ownSteps) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	return f(ctx, s)
}

// Close implements wire.Session. The server closes the underlying session.
func (ownSteps) Close() error { return nil }
