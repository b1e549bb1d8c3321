package schedule

import (
	"shoal/api"
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
			var fields []api.NameCount
			for _, f := range r.Stats.Fields {
				if api.LooksLikeVectors(f.Field) {
					fields = append(fields, api.NameCount{Name: f.Field, Count: f.Count})
				}
			}
			m.Fields = api.AddCounts(m.Fields, fields)
		case e != first && e.Vectors != nil:
			m.Fields = api.AddCounts(m.Fields, e.Vectors.Fields)
			if e.Vectors.Embedder == m.Embedder {
				m.Join(e.Vectors)
			}
		}
	}
	joined.Failure = *task.FailureOf(api.InIndex(p.uid, m.API()))
	return &joined
}
