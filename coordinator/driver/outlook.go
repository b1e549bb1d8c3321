package driver

import (
	"context"
	"math"
	"slices"
	"time"

	"shoal/query/rule"
	"shoal/wire"
)

// Outlook is what the caller knows about a source before opening it.
type Outlook struct {
	Plan *Plan
	// Sources is the number of sources, Part the fraction of the documents that this one has.
	Sources int
	Part    float64
	// Left is how long the search may take.
	Left time.Duration
	// Others are the transcripts of all other sources, with their reports about the words, if
	// they are complete.
	Others []*Transcript
	// Alongside: the source of this node works ahead at the same time (RunAhead). A first part
	// of the answer would come too early to be useful.
	Alongside bool
}

// Inform asks a source of this node about the words of a plan, as thoroughly as a source on
// another node would be asked (Prefetch). It returns nil for plans without words, and for plans
// in which sources do not work ahead.
func Inform(ctx context.Context, session wire.Session, plan *Plan, left time.Duration) (*Transcript, error) {
	step := first(plan)
	if step.Vocabulary == nil || !plan.foreseeable() || left < time.Millisecond {
		return nil, nil
	}
	step.Vocabulary.Ahead = cutsAtOnce
	reply, err := (&PrefetchServer{session: session}).Step(ctx, step)
	if err != nil {
		return nil, err
	}
	return &Transcript{rest: session, words: wordReport{step.Vocabulary.Words, reply.Vocabulary}}, nil
}

// Prefetch wraps a session with a source on another node that is about to be opened. The source
// may work ahead; the other end is a PrefetchServer. opening is the first step of the plan and
// can travel with the opening. The session must answer it when the step is asked first.
func Prefetch(session wire.Session, o *Outlook) (t *Transcript, opening *wire.SearchStep) {
	t = &Transcript{rest: session, ahead: o.prefetchPlan()}
	if t.ahead != nil && o.Plan.keyword() && len(o.Others) == o.Sources-1 {
		t.next = (&drive{plan: o.Plan, terms: o.Plan.Keywords.Terms}).bareBegin()
		t.next.Ahead = t.ahead
		for _, other := range o.Others {
			t.others = append(t.others, *other.words.told)
		}
	}
	return t, t.outgoing(first(o.Plan))
}

// RunAhead begins an Immediate plan on a session with a source of this node, and takes the next
// steps as if this source were the only one. open opens another session on the same state of
// the source. An error or a panic is not reported: it comes again when the driver asks the step.
func RunAhead(ctx context.Context, session wire.Session, open func() (wire.Session, error), o *Outlook) *Transcript {
	server := &PrefetchServer{session: session, open: open, here: true}
	t := &Transcript{rest: server}
	plan := o.prefetchPlan()
	if plan == nil {
		return t
	}
	plan.Show, plan.Facets = nil, nil
	step := first(o.Plan)
	step.Begin.Ahead = plan
	_ = wire.Catch(func() error {
		reply, err := server.Step(ctx, step)
		if err == nil {
			t.ahead, t.begun = plan, &wire.PrefetchedReply{Taken: step, Reply: *reply}
		}
		return err
	})
	server.begun = true // if Begin failed, the driver's Begin needs a new session
	return t
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
