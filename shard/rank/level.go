package rank

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/rank/byattribute"
	"shoal/shard/rank/rules"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// buckets starts or continues a rule.
func (s *Ranker) buckets(ctx context.Context, step *wire.BucketsStep) (*wire.BucketsReply, error) {
	if step.Level < 0 || step.Level > len(s.levels) || step.Start == nil && step.Level >= len(s.levels) {
		return nil, scope.ErrOrder
	}
	if step.Start != nil {
		base, err := s.parent(step.Level, step.Start)
		if err != nil {
			return nil, err
		}
		s.levels = append(s.levels[:step.Level], &scope.Level{Start: *step.Start, Base: base, Outermost: step.Level == 0})
	}
	l := s.levels[step.Level]
	r := &wire.BucketsReply{}
	if step.Want <= 0 {
		r.More = !l.Done
		return r, nil
	}
	if err := s.open(ctx, l); err != nil {
		return nil, err
	}
	if scope.Streams(l.Start.Rule.Kind) {
		return r, s.nextStreamed(ctx, l, step.Want, r)
	}
	for got := 0; got < step.Want && !l.Done; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, ok, err := l.Rule.Next(ctx, step.Want-got)
		if err != nil {
			return nil, err
		}
		if !ok {
			l.Done = true
			break
		}
		l.Items = append(l.Items, b.Set)
		out := wire.Bucket{Cost: b.Cost, Count: uint32(b.Set.Len()), Paths: b.Paths, Value: b.Value}
		if step.Ordinals {
			out.Ordinals = s.Index.Order().FirstOrdinals(b.Set, step.Want-got)
		}
		got += b.Set.Len()
		r.Buckets = append(r.Buckets, out)
	}
	r.More = !l.Done
	if it, ok := l.Rule.(scope.Asker); ok {
		r.Asked = it.TakeAsked()
	}
	return r, nil
}

// parent returns the documents that a rule starts with.
func (s *Ranker) parent(at int, start *wire.StartRule) (docset.Set, error) {
	if at == 0 {
		return s.universe, nil
	}
	return s.levels[at-1].Chosen(start.Lo, start.Hi)
}

// open creates the iterator of a level over its remaining documents.
func (s *Ranker) open(ctx context.Context, l *scope.Level) error {
	if l.Rule != nil || l.Done {
		return nil
	}
	if l.Base.Empty() {
		l.Done = true
		return nil
	}
	var err error
	l.Rule, err = rules.Open(ctx, &s.Scope, l)
	return err
}

// nextStreamed returns the next documents of a stream.
func (s *Ranker) nextStreamed(ctx context.Context, l *scope.Level, want int, r *wire.BucketsReply) error {
	if l.Done {
		return nil
	}
	stream := l.Rule.(scope.Stream)
	more, err := stream.More(ctx, want)
	if err != nil {
		return err
	}
	l.Stream = append(l.Stream, more...)
	r.Stream = s.streamed(more)
	l.Done = stream.Empty()
	r.More = !l.Done
	return nil
}

// sharedField executes one step of proximity with byAttribute.
func (s *Ranker) sharedField(ctx context.Context, step *wire.SharedFieldStep) (*wire.SharedFieldReply, error) {
	rule, err := s.attributeRule(step)
	if err != nil {
		return nil, err
	}
	return rule.Step(ctx, step)
}

// attributeRule returns the rule of a step. It starts the rule if the step says so.
func (s *Ranker) attributeRule(step *wire.SharedFieldStep) (*byattribute.Rule, error) {
	if s.pairs == nil {
		s.pairs = byattribute.NewPairs(&s.Scope, s.negatives)
	}
	if step.Level == wire.NoLevel {
		return byattribute.New(&s.Scope, s.pairs, nil), nil
	}
	if step.Level < 0 || step.Level > len(s.levels) || step.Start == nil && step.Level >= len(s.levels) {
		return nil, scope.ErrOrder
	}
	if step.Start != nil {
		if step.Start.Graph == nil || !s.ValidGraph(step.Start.Graph) {
			return nil, scope.ErrOrder
		}
		base, err := s.parent(step.Level, step.Start)
		if err != nil {
			return nil, err
		}
		l := &scope.Level{Start: *step.Start, Base: base, Outermost: step.Level == 0}
		l.Rule = byattribute.New(&s.Scope, s.pairs, l)
		s.levels = append(s.levels[:step.Level], l)
	}
	rule, ok := s.levels[step.Level].Rule.(*byattribute.Rule)
	if !ok {
		return nil, scope.ErrOrder
	}
	return rule, nil
}
