package rank

import (
	"context"

	"shoal/shard/docset"
	"shoal/wire"
)

// buckets starts or continues a rule.
func (s *Session) buckets(ctx context.Context, step *wire.BucketsStep) (*wire.BucketsReply, error) {
	if step.Level < 0 || step.Level > len(s.levels) || step.Start == nil && step.Level >= len(s.levels) {
		return nil, ErrOrder
	}
	if step.Start != nil {
		base, err := s.parent(step.Level, step.Start)
		if err != nil {
			return nil, err
		}
		s.levels = append(s.levels[:step.Level], &level{start: *step.Start, base: base, outermost: step.Level == 0})
	}
	l := s.levels[step.Level]
	r := &wire.BucketsReply{}
	if step.Want <= 0 {
		r.More = !l.done
		return r, nil
	}
	if err := s.open(ctx, l); err != nil {
		return nil, err
	}
	if streams(l.start.Rule.Kind) {
		return r, s.nextStreamed(l, step.Want, r)
	}
	for got := 0; got < step.Want && !l.done; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, ok, err := l.rule.next(step.Want - got)
		if err != nil {
			return nil, err
		}
		if !ok {
			l.done = true
			break
		}
		l.items = append(l.items, b.set)
		out := wire.Bucket{Cost: b.cost, Count: uint32(b.set.Len()), Paths: b.paths, Value: b.value}
		if step.Ordinals {
			out.Ordinals = firstOrdinals(b.set, step.Want-got)
		}
		got += b.set.Len()
		r.Buckets = append(r.Buckets, out)
	}
	r.More = !l.done
	if it, ok := l.rule.(asker); ok {
		r.Asked = it.takeAsked()
	}
	return r, nil
}

// parent returns the documents over which a rule starts.
func (s *Session) parent(at int, start *wire.StartRule) (docset.Set, error) {
	if at == 0 {
		return s.universe, nil
	}
	return s.levels[at-1].chosen(start.Lo, start.Hi)
}

// open makes the iterator of a level, over what is left of it.
func (s *Session) open(ctx context.Context, l *level) error {
	if l.rule != nil || l.done {
		return nil
	}
	if l.base.Empty() {
		l.done = true
		return nil
	}
	var err error
	l.rule, err = openRule(ctx, &s.Scope, l)
	return err
}

// nextStreamed gives out the next documents of a stream.
func (s *Session) nextStreamed(l *level, want int, r *wire.BucketsReply) error {
	if l.done {
		return nil
	}
	stream := l.rule.(stream)
	r.Stream = stream.more(want)
	l.stream = append(l.stream, r.Stream...)
	l.done = stream.empty()
	r.More = !l.done
	return nil
}

// sharedField does one step of proximity with byAttribute.
func (s *Session) sharedField(ctx context.Context, step *wire.SharedFieldStep) (*wire.SharedFieldReply, error) {
	rule, err := s.attributeRule(step)
	if err != nil {
		return nil, err
	}
	return rule.step(ctx, step)
}

// attributeRule returns the rule of a step, begun if the step says so.
func (s *Session) attributeRule(step *wire.SharedFieldStep) (*attributeRule, error) {
	if s.pairs == nil {
		s.pairs = newFirstPairs(&s.Scope, s.negatives)
	}
	if step.Level == wire.NoLevel {
		return newAttributeRule(&s.Scope, s.pairs, nil), nil
	}
	if step.Level < 0 || step.Level > len(s.levels) || step.Start == nil && step.Level >= len(s.levels) {
		return nil, ErrOrder
	}
	if step.Start != nil {
		if step.Start.Graph == nil || !s.validGraph(step.Start.Graph) {
			return nil, ErrOrder
		}
		base, err := s.parent(step.Level, step.Start)
		if err != nil {
			return nil, err
		}
		l := &level{start: *step.Start, base: base, outermost: step.Level == 0}
		l.rule = newAttributeRule(&s.Scope, s.pairs, l)
		s.levels = append(s.levels[:step.Level], l)
	}
	rule, ok := s.levels[step.Level].rule.(*attributeRule)
	if !ok {
		return nil, ErrOrder
	}
	return rule, nil
}
