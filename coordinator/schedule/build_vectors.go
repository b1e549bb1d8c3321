package schedule

import (
	"shoal/api/apierr"
	"shoal/coordinator/task"
	"shoal/wire"
)

// joinMissing makes one error of what all shards found about documents that could
// not be embedded: the first one is named, the others are counted (spec write-api
// 8.4).
func (p *docPlan) joinMissing(first *wire.BuildError, replies []*wire.BuildReply) *wire.BuildError {
	joined := *first
	m := *first.Vectors
	for _, r := range replies {
		switch e := r.Err; {
		case e == nil:
			var fields []apierr.NameCount
			for _, f := range r.Stats.Fields {
				if apierr.LooksLikeVectors(f.Field) {
					fields = append(fields, apierr.NameCount{Name: f.Field, Count: f.Count})
				}
			}
			m.Fields = apierr.AddCounts(m.Fields, fields)
		case e != first && e.Vectors != nil:
			m.Fields = apierr.AddCounts(m.Fields, e.Vectors.Fields)
			if e.Vectors.Embedder == m.Embedder {
				m.Join(e.Vectors)
			}
		}
	}
	joined.Failure = *task.FailureOf(apierr.InIndex(p.uid, m.API()))
	return &joined
}
