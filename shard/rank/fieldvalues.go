package rank

import (
	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/wire"
)

// fieldValues reads the values that distinct compares, at a path of the stored JSON of
// documents.
func (s *Ranker) fieldValues(step *wire.FieldValuesStep) (*wire.FieldValuesReply, error) {
	r := &wire.FieldValuesReply{Keys: make([][]string, len(step.Ordinals))}
	err := s.Index.Documents(s.Index.Order().Rows(step.Ordinals), func(i int, stored []byte) error {
		doc, err := jsonvalue.Parse(stored)
		if err == nil {
			r.Keys[i] = filter.DistinctKeys(&doc, step.Path)
		}
		return err
	})
	return r, err
}
