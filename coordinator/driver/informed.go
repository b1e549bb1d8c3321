package driver

import (
	"context"
	"errors"

	"shoal/wire"
)

// Informed is a session whose source has said already what it knows of the words of a
// query, and which answers the steps about them from that. For one goroutine.
type Informed struct {
	session wire.Session // nil: there is nobody to ask more
	words   cutCounts
}

// errUntold ends what was to be found out from what sources have told.
var errUntold = errors.New("driver: a source has not told that")

// Inform asks a source of this node about the words of a plan, with as much as a source
// of another node wants to know (NewPrefetchClient). It returns nil for plans without
// words, and for those in which sources do not go ahead.
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

// Words is what the source knows.
func (i *Informed) Words() *wire.VocabularyReply { return i.words.told }

// Step implements wire.Session.
func (i *Informed) Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error) {
	if s.Vocabulary != nil {
		return &wire.SearchReply{Vocabulary: i.words.told}, nil
	}
	if s.Pairs != nil {
		if reply, ok := i.words.answer(s.Pairs); ok {
			return &wire.SearchReply{Pairs: reply}, nil
		}
	}
	if i.session == nil {
		return nil, errUntold
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
