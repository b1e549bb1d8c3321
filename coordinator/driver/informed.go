package driver

import (
	"context"
	"errors"

	"shoal/wire"
)

// Informed is a session whose source has already reported what it knows about the words of a
// query. It answers the steps about words from that report. It serves one goroutine.
type Informed struct {
	session wire.Session // nil: only the report is available
	words   cutCounts
}

// errNotReported ends a computation from the reports of sources when they do not contain an answer.
var errNotReported = errors.New("driver: a source has not reported an answer to this step")

// Inform asks a source of this node about the words of a plan, as thoroughly as a source on
// another node would be asked (NewPrefetchClient). It returns nil for plans without words, and
// for plans in which sources do not work ahead.
func Inform(ctx context.Context, session wire.Session, plan *Plan, left int64) (*Informed, error) {
	step := first(plan)
	if step.Vocabulary == nil || !plan.foreseeable() || left <= 0 {
		return nil, nil
	}
	reply, err := session.Step(ctx, step)
	if err != nil {
		return nil, err
	}
	step.Vocabulary.Ahead = cutsAtOnce
	if err := countCuts(ctx, session, step.Vocabulary, reply.Vocabulary); err != nil {
		return nil, err
	}
	return &Informed{session, cutCounts{step.Vocabulary.Words, reply.Vocabulary}}, nil
}

// Words returns the source's report.
func (i *Informed) Words() *wire.VocabularyReply { return i.words.told }

// Step implements wire.Session.
func (i *Informed) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if s.Vocabulary != nil && !infix(s.Vocabulary) {
		return &wire.SearchReply{Vocabulary: i.words.told}, nil
	}
	if s.Pairs != nil {
		if reply, ok := i.words.answer(s.Pairs); ok {
			return &wire.SearchReply{Pairs: reply}, nil
		}
	}
	if i.session == nil {
		return nil, errNotReported
	}
	return i.session.Step(ctx, s)
}

// Close implements wire.Session.
func (i *Informed) Close() error {
	if i.session == nil {
		return nil
	}
	return i.session.Close()
}
