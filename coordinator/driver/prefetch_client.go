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

// PrefetchClient is a session with a source of another node on behalf of one plan,
// with few waits: the source goes ahead after Begin, and the steps that it foresaw
// are answered from what it said then. Its other end is a PrefetchServer. For one
// goroutine.
type PrefetchClient struct {
	session wire.Session
	ahead   *wire.PrefetchPlan
	// next and others let the source go on from the vocabulary (wire.VocabularyStep).
	next   *wire.BeginStep
	others []wire.VocabularyReply
	// known are the answers that were not asked for yet, used is how many were;
	// astray tells that the source may be elsewhere than the driver.
	known []wire.PrefetchedReply
	begun *wire.PrefetchedReply // Begin, when the source went on to it
	shown *wire.Shown
	// counted are the facets of the documents found, until those change.
	counted *wire.PrefetchedReply
	terms   []query.Term     // of Begin
	asked   *wire.SearchStep // sent and not answered
	used    int
	astray  bool
	cuts    cutCounts
	answer  *wire.SearchReply // to the step that is asked next, found by Send
	parts
}

// Outlook is what is known of a source before it is opened.
type Outlook struct {
	Plan *Plan
	// Sources is how many there are, Part how much of the documents this one has.
	Sources int
	Part    float64
	// Left is how long the search may take.
	Left time.Duration
	// Others are all other sources, when they said already what they know of the words.
	Others []*Informed
	// Alongside: the source of this node goes ahead meanwhile (Ahead). A first part of the
	// answer would come too early to be of use.
	Alongside bool
}

// NewPrefetchClient wraps a session of one of several sources that is about to be
// opened, which it closes in the end. opening is the first step of the plan, which
// can be sent along: the session must answer it when it is asked first.
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

// sent is a step as the source gets it: Begin and Vocabulary let it go ahead. If it had
// begun by itself and nobody took that yet, it goes back: it has to be asked to begin.
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
	case s.Vocabulary != nil:
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
	reply, err = c.session.Step(ctx, c.sent(c.astrayed(s)))
	return c.heard(s, reply, err)
}

// Send implements fanout.Sender. What the source foresaw is answered by Step.
func (c *PrefetchClient) Send(ctx context.Context, s *wire.SearchStep) (sent bool, err error) {
	far, ok := c.session.(fanout.Sender)
	if !ok {
		return false, nil
	}
	if c.answer, err = c.foreseen(s); c.answer != nil || err != nil {
		return false, err
	}
	if c.continued { // by the answer, most likely
		c.asked, c.awaited = s, true
		return true, nil
	}
	known, astray := c.known, c.astray
	if sent, err = far.Send(ctx, c.sent(c.astrayed(s))); sent {
		c.asked = s
	} else {
		c.known, c.astray = known, astray
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
	return c.heard(c.asked, reply, err)
}

// foreseen answers a step from what the source has told, nil if it has not.
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

// show renders documents from what the source rendered ahead; ok is false when it did not
// render all of them, or not as they are wanted.
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

// marks tells whether it shows in documents what matches the query.
func marks(o *wire.RenderOptions) bool {
	return len(o.Highlight) > 0 || len(o.Crop) > 0 || o.MatchesPosition
}

// astrayed is a step that says how many of the steps ahead were used, when the source may
// be elsewhere than the driver.
func (c *PrefetchClient) astrayed(s *wire.SearchStep) *wire.SearchStep {
	if !c.astray || s.Reads() {
		return s
	}
	told, used := *s, c.used
	told.Used = &used
	c.known, c.astray = nil, false
	return &told
}

// learn notes what the answer to a step tells of later ones.
func (c *PrefetchClient) learn(s *wire.SearchStep, reply *wire.SearchReply, err error) (*wire.SearchReply, error) {
	if err == nil && s.Vocabulary != nil {
		c.cuts = cutCounts{s.Vocabulary.Words, reply.Vocabulary}
	}
	if err == nil && s.Vocabulary != nil && len(reply.Ahead) > 0 {
		c.begun = &reply.Ahead[0]
	}
	if err == nil && s.Begin != nil && c.ahead != nil {
		c.known, c.used, c.astray = reply.Ahead, 0, true
		c.terms, c.begins = s.Begin.Terms, c.continued
		c.tell(reply)
	}
	return reply, err
}

// tell notes what the source did after the steps that it took by itself.
func (c *PrefetchClient) tell(reply *wire.SearchReply) {
	if c.shown = reply.Shown; c.shown != nil && len(c.shown.Documents) != len(c.shown.Ordinals) {
		c.shown = nil
	}
	c.counted = reply.Counted
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

// foreseeable tells whether a source can go on by itself after Begin without soon going
// astray: not in plans whose steps depend on what other sources have found.
func (p *Plan) foreseeable() bool {
	return p.Threshold == nil && !p.HasDistinct && p.Trace == nil && !p.ByAttribute && p.Vector == nil &&
		p.Strategy != rule.Frequency && p.Length > 0
}

// maxShown bounds the documents that are rendered ahead: for pages of more an exchange
// matters little.
const maxShown = 50

// shownAhead is how many documents of a page the source is likely asked for, and a few
// more: those of a page are spread like throws of a coin.
func (o *Outlook) shownAhead() int {
	mean := float64(o.Plan.Length) * o.Part
	n := int(math.Ceil(mean + 1.3*math.Sqrt(mean*(1-o.Part))))
	if n = min(n, o.Plan.Length); n > maxShown {
		return 0
	}
	return n
}

// prefetchPlan returns what one of several sources has to know to go on by itself after
// Begin, nil when it had better not.
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
