package schedule

import (
	"shoal/api/apierr"
	"shoal/coordinator/task"
	"shoal/wire"
)

// joinMissing combines the errors of all shards about documents that could not be embedded into
// one: it names the first document and counts the others (spec write-api 8.4).
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
