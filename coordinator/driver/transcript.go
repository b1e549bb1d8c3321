package driver

import (
	"context"
	"errors"
	"slices"

	"shoal/coordinator/fanout"
	"shoal/query"
	"shoal/wire"
)

// Transcript is a session whose source took steps before the driver asked them. It answers
// those steps and passes the other ones on. Three functions fill it: Inform with what a source
// of this node knows about words, RunAhead with the steps that such a source takes, Prefetch
// with the messages of a source on another node. It closes the session in the end. It serves
// one goroutine and one plan.
type Transcript struct {
	rest wire.Session // takes the steps that are not answered yet; nil: they fail
	// ahead lets the source work ahead after Begin; nil: it does not. next and others let it
	// continue after the vocabulary step (wire.VocabularyStep).
	ahead  *wire.PrefetchPlan
	next   *wire.BeginStep
	others []wire.VocabularyReply

	words wordReport
	// begun is the answer to Begin, if the source began before the driver asked it.
	begun *wire.PrefetchedReply
	// taken are the steps that the source took after Begin, used is the number of those that
	// the driver has asked. tellUsed: the next step that the source gets must tell it used,
	// unless the step only reads.
	taken    []wire.PrefetchedReply
	used     int
	tellUsed bool
	shown    *wire.Shown
	// counted are the facets of the found documents, until these change.
	counted *wire.PrefetchedReply
	terms   []query.Term // of Begin

	asked  *wire.SearchStep  // sent, not answered yet
	answer *wire.SearchReply // to the next step, found by Send
	// continued: the second part of the last message is still to come. This node ranks its own
	// documents meanwhile.
	continued bool
}

// errNotReported ends a computation from the reports of sources when they do not contain an answer.
var errNotReported = errors.New("driver: a source has not reported an answer to this step")

// errOnePart reports an answer in two parts on a session that cannot receive the second one.
var errOnePart = errors.New("driver: an answer in two parts on a session that can receive one")

// Step implements wire.Session.
func (t *Transcript) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if reply := t.answer; reply != nil {
		t.answer = nil
		return reply, nil
	}
	reply, err := t.answered(s)
	if reply == nil && err == nil && t.continued {
		if err = t.join(ctx); err == nil {
			reply, err = t.answered(s)
		}
	}
	if reply != nil || err != nil {
		return reply, err
	}
	if t.rest == nil {
		return nil, errNotReported
	}
	reply, err = t.rest.Step(ctx, t.outgoing(s))
	return t.received(s, reply, err)
}

// Send implements fanout.Sender. It does not send steps that are answered; Step answers them.
func (t *Transcript) Send(ctx context.Context, s *wire.SearchStep) (sent bool, err error) {
	far, ok := t.rest.(fanout.Sender)
	if !ok {
		return false, nil
	}
	if t.answer, err = t.answered(s); t.answer != nil || err != nil {
		return false, err
	}
	t.asked = s
	if t.continued { // most likely the second part answers it
		return true, nil
	}
	return far.Send(ctx, t.outgoing(s))
}

// Receive implements fanout.Sender.
func (t *Transcript) Receive(ctx context.Context) (*wire.SearchReply, error) {
	if t.continued {
		return t.Step(ctx, t.asked)
	}
	reply, err := t.rest.(fanout.Sender).Receive(ctx)
	return t.received(t.asked, reply, err)
}

// Close implements wire.Session.
func (t *Transcript) Close() error {
	if t.rest == nil {
		return nil
	}
	return t.rest.Close()
}

// answered answers a step from what the source has sent, nil if it cannot.
func (t *Transcript) answered(s *wire.SearchStep) (*wire.SearchReply, error) {
	if t.used < len(t.taken) {
		reply, err := t.taken[t.used].Answer(s)
		if reply != nil {
			t.used++
		}
		if reply != nil || err != nil {
			return reply, err
		}
	}
	switch {
	case s.Vocabulary != nil, s.Pairs != nil:
		return t.words.answer(s), nil
	case s.Begin != nil && t.begun != nil:
		return t.begin(s)
	case s.Facets != nil && t.counted != nil:
		return t.counted.Answer(s)
	case s.Fetch != nil && t.shown != nil:
		return t.show(s.Fetch), nil
	}
	return nil, nil
}

// begin answers Begin if the source began with the same terms. RunAhead began with the plan of
// the driver, so nothing needs to be compared.
func (t *Transcript) begin(s *wire.SearchStep) (*wire.SearchReply, error) {
	begun := t.begun
	t.begun = nil
	if begun.Taken == nil {
		if reply, err := begun.Answer(s); reply == nil || err != nil {
			return nil, err
		}
	}
	t.began(s, &begun.Reply)
	return &begun.Reply, nil
}

// show answers a step from the documents that the source rendered ahead, nil when some are
// missing or were rendered differently.
func (t *Transcript) show(s *wire.FetchStep) *wire.SearchReply {
	o := t.ahead.Show
	if !o.Equal(&s.Options) {
		return nil
	}
	if marks(o) {
		match := (&Ranked{Terms: t.terms, Touched: t.shown.Looked}).Match()
		if !match.Equal(&s.Match) {
			return nil
		}
	}
	reply := &wire.FetchReply{Documents: make([]wire.Rendered, len(s.Ordinals))}
	size := 0
	for i, ord := range s.Ordinals {
		at, found := slices.BinarySearch(t.shown.Ordinals, ord)
		if !found {
			return nil
		}
		reply.Documents[i] = t.shown.Documents[at]
		size += reply.Documents[i].Size()
	}
	if s.Room != 0 && size >= s.Room {
		return nil
	}
	return &wire.SearchReply{Fetch: reply}
}

// marks tells whether rendered documents depend on what matches the query.
func marks(o *wire.RenderOptions) bool {
	return len(o.Highlight) > 0 || len(o.Crop) > 0 || o.MatchesPosition
}

// outgoing returns a step as the source gets it: Begin and Vocabulary allow it to work ahead,
// later steps tell how many of the steps that it took were used.
func (t *Transcript) outgoing(s *wire.SearchStep) *wire.SearchStep {
	switch {
	case t.tellUsed && !s.Reads():
		told, used := *s, t.used
		told.Used = &used
		return &told
	case t.ahead == nil:
	case s.Begin != nil:
		begin := *s.Begin
		begin.Ahead = t.ahead
		return &wire.SearchStep{Begin: &begin}
	case s.Vocabulary != nil && !infix(s.Vocabulary):
		words := *s.Vocabulary
		words.Ahead, words.Begin, words.Others = cutsAhead, t.next, t.others
		return &wire.SearchStep{Vocabulary: &words}
	}
	return s
}

// received takes the source's answer to a step. It drops the answers that the step outdates,
// and records those that came along.
func (t *Transcript) received(s *wire.SearchStep, reply *wire.SearchReply, err error) (*wire.SearchReply, error) {
	t.begun = nil // the source discards that state, too
	if !s.Reads() {
		t.taken, t.used, t.tellUsed = nil, 0, false
		if !s.Ranks() {
			t.counted = nil
		}
	}
	if err != nil {
		return nil, err
	}
	t.continued = reply.Continued
	switch {
	case s.Vocabulary != nil && !infix(s.Vocabulary):
		t.words = wordReport{s.Vocabulary.Words, reply.Vocabulary}
		if len(reply.Ahead) > 0 {
			t.begun = &reply.Ahead[0]
		}
	case s.Begin != nil:
		t.began(s, reply)
	}
	return reply, nil
}

// began records the steps that the source took after Begin.
func (t *Transcript) began(s *wire.SearchStep, reply *wire.SearchReply) {
	if t.ahead != nil {
		t.taken, t.used, t.tellUsed = reply.Ahead, 0, true
		t.terms = s.Begin.Terms
		t.finished(reply)
	}
}

// finished records what the source did after the last of those steps.
func (t *Transcript) finished(reply *wire.SearchReply) {
	if t.shown = reply.Shown; t.shown != nil && len(t.shown.Documents) != len(t.shown.Ordinals) {
		t.shown = nil
	}
	t.counted = reply.Counted
}

// join waits for the second part of the last message.
func (t *Transcript) join(ctx context.Context) error {
	far, ok := t.rest.(fanout.Sender)
	if !ok {
		return errOnePart
	}
	second, err := far.Receive(ctx)
	if err != nil {
		return err
	}
	t.continued = false
	switch {
	case t.begun != nil:
		begun := &t.begun.Reply
		begun.Ahead, begun.Shown, begun.Counted = append(begun.Ahead, second.Ahead...), second.Shown, second.Counted
	case t.tellUsed: // the driver asked Begin meanwhile
		t.taken = append(t.taken, second.Ahead...)
		t.finished(second)
	}
	return nil
}
