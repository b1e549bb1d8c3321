package driver

import (
	"context"
	"errors"
	"slices"
	"time"

	"shoal/query"
	"shoal/wire"
)

// maxAhead bounds the steps a shard takes by itself.
const maxAhead = 16

// errEnough ends a drive that went ahead.
var errEnough = errors.New("driver: went ahead far enough")

// errUsed reports a caller that used more steps than were taken: a fault of the
// driver.
var errUsed = errors.New("driver: more steps are used than were taken ahead")

// PrefetchServer is the session of one source that goes ahead when it is asked to:
// the other end of a PrefetchClient. It is for one goroutine.
type PrefetchServer struct {
	session wire.Session
	open    func() (wire.Session, error)
	begin   wire.SearchStep
	// begun: the session has begun by itself.
	begun bool
	// send sends a first part of an answer, rest is what follows it; nil for neither.
	send func(*wire.SearchReply) error
	rest *wire.SearchReply
	// taken are the steps taken by itself since Begin, while nobody has said how many
	// were wanted.
	taken []*wire.SearchStep
	// here: the steps are compared by who asks, and need no keys.
	here bool
}

// NewPrefetchServer wraps a session, which it closes in the end. open opens another
// one on the same state of the source: what went ahead and astray starts again. send, if
// not nil, sends the first part of an answer before Step returns the second one.
func NewPrefetchServer(session wire.Session, open func() (wire.Session, error), send func(*wire.SearchReply) error) *PrefetchServer {
	return &PrefetchServer{session: session, open: open, send: send}
}

// Close implements wire.Session.
func (e *PrefetchServer) Close() error { return e.session.Close() }

// Step answers one step; Vocabulary and Begin that ask for it also with those after it.
func (e *PrefetchServer) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if s.Begin != nil && e.begun {
		// What was begun with is not what is wanted.
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

// DividedDocs is the number of documents found from which on the best of them are worth
// a message of their own: who asks ranks its documents meanwhile. It changes no answer;
// tests lower it.
var DividedDocs uint64 = 4096

// divide sends what is known of an answer; what follows goes to rest.
func (e *PrefetchServer) divide(reply *wire.SearchReply) error {
	reply.Continued, e.rest = true, new(wire.SearchReply)
	return e.send(reply)
}

// rewind brings the session to where it was after the wanted ones of the steps it
// took by itself, as far as the next step can tell.
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

// reopen replaces the session by a new one on the same state.
func (e *PrefetchServer) reopen() error {
	fresh, err := e.open()
	if err != nil {
		return err
	}
	old := e.session
	e.session = fresh
	return old.Close()
}

// beginAhead goes on from the vocabulary to Begin and the steps after it, when what all
// sources know of the words says how. What fails is left out: it is asked for again.
func (e *PrefetchServer) beginAhead(ctx context.Context, s *wire.VocabularyStep, reply *wire.SearchReply) error {
	plan := s.Begin.Ahead
	if plan == nil {
		return nil
	}
	d := &drive{ctx: ctx, plan: &Plan{Keywords: &query.Keywords{Terms: s.Begin.Terms}, Strategy: plan.Strategy}, out: new(Ranked)}
	d.sessions = []wire.Session{&Informed{words: cutCounts{s.Words, reply.Vocabulary}}}
	for i := range s.Others {
		if len(s.Others[i].Words) != len(s.Words) {
			return errUntold
		}
		d.sessions = append(d.sessions, &Informed{words: cutCounts{s.Words, &s.Others[i]}})
	}
	if d.pinTerms() != nil {
		return ctx.Err()
	}
	begin := *s.Begin
	begin.Ahead, begin.Terms = nil, d.terms
	d.graph = query.NewGraph(d.terms)
	begin.Reduced = d.reduced(nil)
	step := &wire.SearchStep{Begin: &begin}
	told, err := named(step)
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

// touched returns the outermost level of the sort that some steps changed, noLevel when
// none was.
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

// readsAbove tells whether a step depends on no level from the given one on: it reads
// what lies above, or begins that level or one above it anew.
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

// runAhead runs the driver over this shard alone and adds to the reply what it
// asked. What fails here fails again, and is told, when it is really wanted. divide sends
// the reply as it is before what takes long, which goes to rest.
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
		var told wire.PrefetchedReply
		if !e.here {
			var err error
			if told, err = named(s); err != nil {
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
	_ = d.rank() // reply.Ahead holds what went well
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

// named is a step that is told, without its answer.
func named(s *wire.SearchStep) (told wire.PrefetchedReply, err error) {
	key, want, err := s.Key()
	return wire.PrefetchedReply{Step: key[:], Want: want}, err
}

// count counts facets, nil when that fails or is too much.
func (e *PrefetchServer) count(ctx context.Context, step *wire.FacetsStep) *wire.PrefetchedReply {
	s := &wire.SearchStep{Facets: step}
	told, err := named(s)
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

// show renders the first hits, nil when that fails or is too much.
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

// ownSteps are the steps that the server takes by itself, as the driver asks them.
type ownSteps func(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error)

// Step implements wire.Session.
func (f ownSteps) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	return f(ctx, s)
}

// Close implements wire.Session: the server closes what is behind it.
func (ownSteps) Close() error { return nil }
