package rank

import (
	"shoal/api"
	"shoal/query"
	"shoal/wire"
)

// fieldValues reads what distinct compares of documents at a path of their stored
// JSON.
func (s *Session) fieldValues(step *wire.FieldValuesStep) (*wire.FieldValuesReply, error) {
	r := &wire.FieldValuesReply{Keys: make([][]string, len(step.Ordinals))}
	for i, ord := range step.Ordinals {
		stored, ok, err := s.ix.Document(ord)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		doc, err := api.ParseJSON(stored)
		if err != nil {
			return nil, err
		}
		r.Keys[i] = query.DistinctKeys(&doc, step.Path)
	}
	return r, nil
}
