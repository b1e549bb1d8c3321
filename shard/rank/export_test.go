package rank

import (
	"context"

	"shoal/shard/rank/topk"
	"shoal/wire"
)

// CheckOrder compares what both ways to read documents tell of a step's nodes.
func (s *Ranker) CheckOrder(ctx context.Context, step *wire.TopStep) (told, untold int, err error) {
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err != nil {
		return 0, 0, err
	}
	return topk.CheckOrder(ctx, &s.Scope, step, set)
}
