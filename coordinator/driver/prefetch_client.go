package driver

import (
	"context"
	"math"
	"slices"
	"time"

	"shoal/coordinator/fanout"
	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// PrefetchClient is a session with a source on another node, for one plan. It saves round
// trips: after Begin the source takes the steps that it foresees and sends their answers along.
// The other end is a PrefetchServer. It serves one goroutine.
type PrefetchClient struct {
	session wire.Session
	ahead   *wire.PrefetchPlan
	// next and others let the source continue after the vocabulary step (wire.VocabularyStep).
	next   *wire.BeginStep
	others []wire.VocabularyReply
	// known are the foreseen answers that the driver has not asked for yet, used counts those
	// it has. strayed: the source may have taken steps that the driver will not ask.
	known []wire.PrefetchedReply
	begun *wire.PrefetchedReply // answer to Begin, when the source continued to it
	shown *wire.Shown
	// counted are the facets of the found documents, until these change.
	counted *wire.PrefetchedReply
	terms   []query.Term     // of Begin
	asked   *wire.SearchStep // sent, not answered yet
	used    int
	strayed bool
	cuts    cutCounts
	answer  *wire.SearchReply // to the next step, found by Send
	parts
}

// Outlook is what the caller knows about a source before opening it.
type Outlook struct {
	Plan *Plan
	// Sources is the number of sources, Part the fraction of the documents that this one has.
	Sources int
	Part    float64
	// Left is how long the search may take.
	Left time.Duration
	// Others are the reports of all other sources about the words, if they are complete.
	Others []*Informed
	// Alongside: the source of this node works ahead at the same time (Ahead). A first part of
	// the answer would come too early to be useful.
	Alongside bool
}

// NewPrefetchClient wraps a session that is about to be opened, one of several sources, and
// closes it in the end. opening is the first step of the plan and can travel with the opening.
// The session must answer it when the step is asked first.
func NewPrefetchClient(session wire.Session, o *Outlook) (c *PrefetchClient, opening *wire.SearchStep) {
	c = &PrefetchClient{session: session, ahead: o.prefetchPlan()}
	if c.ahead != nil && o.Plan.keyword() && len(o.Others) == o.Sources-1 {
		c.next = (&drive{plan: o.Plan, terms: o.Plan.Keywords.Terms}).bareBegin()
		c.next.Ahead = c.ahead
		for _, other := range o.Others {
			c.others = append(c.others, *other.Words())
		}
	}
	return c, c.sent(first(o.Plan))
}

// sent returns a step as the source gets it: Begin and Vocabulary allow it to work ahead. An
// answer to Begin that was not used is dropped, because the source discards that state too when
// it gets another step.
func (c *PrefetchClient) sent(s *wire.SearchStep) *wire.SearchStep {
	c.begun = nil
	if !s.Reads() && !s.Ranks() {
		c.counted = nil
	}
	switch {
	case c.ahead == nil:
		return s
	case s.Begin != nil:
		begin := *s.Begin
		begin.Ahead = c.ahead
		return &wire.SearchStep{Begin: &begin}
	case s.Vocabulary != nil && !infix(s.Vocabulary):
		words := *s.Vocabulary
		words.Ahead, words.Begin, words.Others = cutsAhead, c.next, c.others
		return &wire.SearchStep{Vocabulary: &words}
	}
	return s
}

// Step implements wire.Session.
func (c *PrefetchClient) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if reply := c.answer; reply != nil {
		c.answer = nil
		return reply, nil
	}
	reply, err := c.foreseen(s)
	if reply == nil && err == nil && c.continued {
		if err = c.join(ctx); err == nil {
			reply, err = c.foreseen(s)
		}
	}
	if reply != nil || err != nil {
		return reply, err
	}
	reply, err = c.session.Step(ctx, c.sent(c.withUsed(s)))
	return c.received(s, reply, err)
}

// Send implements fanout.Sender. It does not send foreseen steps; Step answers them.
func (c *PrefetchClient) Send(ctx context.Context, s *wire.SearchStep) (sent bool, err error) {
	far, ok := c.session.(fanout.Sender)
	if !ok {
		return false, nil
	}
	if c.answer, err = c.foreseen(s); c.answer != nil || err != nil {
		return false, err
	}
	if c.continued { // most likely the second part answers it
		c.asked, c.awaited = s, true
		return true, nil
	}
	known, strayed := c.known, c.strayed
	if sent, err = far.Send(ctx, c.sent(c.withUsed(s))); sent {
		c.asked = s
	} else {
		c.known, c.strayed = known, strayed
	}
	return sent, err
}

// Receive implements fanout.Sender.
func (c *PrefetchClient) Receive(ctx context.Context) (*wire.SearchReply, error) {
	if c.awaited {
		c.awaited = false
		return c.Step(ctx, c.asked)
	}
	reply, err := c.session.(fanout.Sender).Receive(ctx)
	return c.received(c.asked, reply, err)
}

// foreseen answers a step from what the source has sent, nil if it cannot.
func (c *PrefetchClient) foreseen(s *wire.SearchStep) (*wire.SearchReply, error) {
	if reply, ok, err := c.served(s); ok || err != nil {
		return reply, err
	}
	switch {
	case s.Pairs != nil:
		if reply, ok := c.cuts.answer(s.Pairs); ok {
			return &wire.SearchReply{Pairs: reply}, nil
		}
	case s.Begin != nil && c.begun != nil:
		begun := c.begun
		c.begun = nil
		if key, want, err := s.Key(); err != nil || !begun.Serves(key, want) {
			return nil, err
		}
		return c.learn(s, &begun.Reply, nil)
	case s.Facets != nil && c.counted != nil:
		key, want, err := s.Key()
		if err != nil || !c.counted.Serves(key, want) {
			return nil, err
		}
		return &c.counted.Reply, nil
	case s.Fetch != nil && c.shown != nil:
		if reply, ok := c.show(s.Fetch); ok {
			return &wire.SearchReply{Fetch: reply}, nil
		}
	}
	return nil, nil
}

// show renders documents from those that the source rendered ahead. ok is false when some are
// missing or were rendered differently.
func (c *PrefetchClient) show(s *wire.FetchStep) (reply *wire.FetchReply, ok bool) {
	o := c.ahead.Show
	if !o.Equal(&s.Options) {
		return nil, false
	}
	if marks(o) {
		match := (&Ranked{Terms: c.terms, Touched: c.shown.Looked}).Match()
		if !match.Equal(&s.Match) {
			return nil, false
		}
	}
	reply = &wire.FetchReply{Documents: make([]wire.Rendered, len(s.Ordinals))}
	size := 0
	for i, ord := range s.Ordinals {
		at, found := slices.BinarySearch(c.shown.Ordinals, ord)
		if !found {
			return nil, false
		}
		reply.Documents[i] = c.shown.Documents[at]
		size += reply.Documents[i].Size()
	}
	return reply, s.Room == 0 || size < s.Room
}

// marks tells whether rendered documents depend on what matches the query.
func marks(o *wire.RenderOptions) bool {
	return len(o.Highlight) > 0 || len(o.Crop) > 0 || o.MatchesPosition
}

// withUsed returns a step that tells how many of the foreseen steps were used, if the source
// needs to know.
func (c *PrefetchClient) withUsed(s *wire.SearchStep) *wire.SearchStep {
	if !c.strayed || s.Reads() {
		return s
	}
	told, used := *s, c.used
	told.Used = &used
	c.known, c.strayed = nil, false
	return &told
}

// learn records what the answer to a step contains about later steps.
func (c *PrefetchClient) learn(s *wire.SearchStep, reply *wire.SearchReply, err error) (*wire.SearchReply, error) {
	if err == nil && s.Vocabulary != nil && !infix(s.Vocabulary) {
		c.cuts = cutCounts{s.Vocabulary.Words, reply.Vocabulary}
	}
	if err == nil && s.Vocabulary != nil && len(reply.Ahead) > 0 {
		c.begun = &reply.Ahead[0]
	}
	if err == nil && s.Begin != nil && c.ahead != nil {
		c.known, c.used, c.strayed = reply.Ahead, 0, true
		c.terms, c.begins = s.Begin.Terms, c.continued
		c.tell(reply)
	}
	return reply, err
}

// tell records what the source did after the foreseen steps.
func (c *PrefetchClient) tell(reply *wire.SearchReply) {
	if c.shown = reply.Shown; c.shown != nil && len(c.shown.Documents) != len(c.shown.Ordinals) {
		c.shown = nil
	}
	c.counted = reply.Counted
}

// Close implements wire.Session.
func (c *PrefetchClient) Close() error { return c.session.Close() }

// served answers a step if it is the next one that the source foresaw.
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

// first returns the first step of a plan. It is the same for every source.
func first(plan *Plan) *wire.SearchStep {
	d := &drive{plan: plan, out: new(Ranked)}
	if plan.Pinned != nil {
		d.terms = plan.Pinned
	} else if plan.keyword() {
		d.terms = slices.Clone(plan.Keywords.Terms)
		if step, asked := vocabularyStep(d.terms); len(asked) > 0 {
			return &wire.SearchStep{Vocabulary: step}
		}
	}
	return &wire.SearchStep{Begin: d.beginStep(plan.keyword())}
}

// foreseeable tells whether a source can work ahead after Begin. It cannot in plans whose steps
// depend on the findings of other sources.
func (p *Plan) foreseeable() bool {
	return p.Threshold == nil && !p.HasDistinct && p.Trace == nil && !p.ByAttribute && p.Vector == nil &&
		p.Strategy != rule.Frequency && p.Length > 0
}

// maxShown bounds the documents that are rendered ahead. For larger pages one more round trip
// matters little.
const maxShown = 50

// shownAhead estimates how many documents of a page the source will have, plus a margin. The
// number is binomially distributed.
func (o *Outlook) shownAhead() int {
	mean := float64(o.Plan.Length) * o.Part
	n := int(math.Ceil(mean + 1.3*math.Sqrt(mean*(1-o.Part))))
	if n = min(n, o.Plan.Length); n > maxShown {
		return 0
	}
	return n
}

// prefetchPlan returns what a source must know to work ahead after Begin, nil when it should
// not.
func (o *Outlook) prefetchPlan() *wire.PrefetchPlan {
	plan := o.Plan
	if !plan.foreseeable() || o.Left <= 0 {
		return nil
	}
	ahead := &wire.PrefetchPlan{
		Rules: plan.Rules, Placeholder: plan.Placeholder, Strategy: plan.Strategy, MaxWeight: plan.MaxWeight,
		Length: plan.Length, Enough: min(plan.Length, 2*((plan.Length+o.Sources-1)/o.Sources)), Millis: o.Left.Milliseconds(), Cuts: true,
	}
	if plan.Show != nil {
		if ahead.Hits = o.shownAhead(); ahead.Hits > 0 {
			ahead.Show = plan.Show
		}
	}
	ahead.Facets, ahead.Part, ahead.Parts = plan.Facets, o.Part, !o.Alongside
	return ahead
}
