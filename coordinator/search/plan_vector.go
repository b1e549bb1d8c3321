package search

import (
	"context"
	"encoding/json"

	"shoal/coordinator/score"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/query/rule"
)

// QueryEmbedder turns the query of a search into a vector.
type QueryEmbedder interface {
	// Query embeds a text or a media (JSON, nil for none) with the search side of an embedder.
	// It honours the deadline of ctx. Errors for clients are *apierr.Error of code
	// vector_embedding_error.
	Query(ctx context.Context, embedder *settings.Embedder, q *string, media json.RawMessage) ([]float32, error)
}

// semantic is the vector side of a search.
type semantic struct {
	embedder *settings.Embedder
	// ratio is its weight in a hybrid search.
	ratio float32
	// vector is the client's, or the embedded query of a purely semantic search; nil while the
	// query is still to be embedded.
	vector []float32
	drive  driver.Plan
}

// CheckKind determines the kind of a search (spec search-api 3.4). Kind is Semantic for a
// purely semantic search. A hybrid search is a keyword search with a vector side.
func (p *Plan) CheckKind() *apierr.Error {
	r := p.Request
	vector, media := r.Vector != nil, r.Media != nil
	switch {
	case vector && media:
		return apierr.MediaAndVector()
	case r.Hybrid == nil && (vector || media):
		return apierr.MissingHybrid()
	}
	p.Kind = rule.Keyword
	text := HasText(r.Q)
	if h := r.Hybrid; h != nil && h.SemanticRatio != 0 && (text || vector || media) {
		if err := p.checkVectors(h); err != nil {
			return err
		}
		if h.SemanticRatio == 1 || !text {
			p.Kind = rule.Semantic
		}
	}
	return nil
}

// gateMedia refuses a media while the feature is off. The kind of the search, its embedder, the
// syntax of its sort and its foreign conditions are checked earlier.
func (p *Plan) gateMedia(features settings.Features) *apierr.Error {
	if p.Request.Media != nil && !features.Multimodal {
		return apierr.FeatureNotEnabled("passing `media` in a search query", "multimodal", 846)
	}
	return nil
}

// checkVectors looks up the embedder of a search.
func (p *Plan) checkVectors(h *settings.Hybrid) *apierr.Error {
	e, ok, err := p.Settings.Embedder(h.Embedder)
	switch {
	case err != nil:
		return apierr.New(apierr.CodeInternal, "internal: "+err.Error()+".")
	case !ok:
		return apierr.EmbedderNotFound(apierr.CodeInvalidSearchEmbedder, h.Embedder)
	}
	vector := p.Request.Vector
	if vector != nil && e.Dimensions > 0 && len(vector) != e.Dimensions {
		return apierr.VectorDimensions(e.Dimensions, len(vector))
	}
	p.semantic = &semantic{embedder: e, ratio: h.SemanticRatio, vector: vector}
	return nil
}

// Vectors tells whether the search compares vectors.
func (p *Plan) Vectors() bool { return p.semantic != nil }

// fillSemantic computes the rules of the vector side: it ranks the whole filtered universe by
// similarity (spec ranking 5.9). A hybrid search also excludes the negative words of the query
// from it, as from the keyword side. A purely semantic search reads no words.
func (p *Plan) fillSemantic(sort []rule.Rule) {
	s := p.semantic
	if s == nil {
		return
	}
	s.drive = p.Drive
	s.drive.Keywords, s.drive.Rules = nil, nil
	if k := p.Drive.Keywords; k != nil && p.Kind != rule.Semantic {
		s.drive.Keywords = &query.Keywords{Negatives: k.Negatives}
	}
	s.drive.Placeholder = rule.NewRules(p.Settings, rule.Semantic, p.Drive.Strategy, sort, rule.Rule{Kind: rule.Vector})
	s.drive.Embedder = p.Request.Hybrid.Embedder
	s.drive.Shift = shiftOf(s.embedder)
}

func shiftOf(e *settings.Embedder) *score.Shift {
	mean, sigma, ok := e.Shift()
	if !ok {
		return nil
	}
	return &score.Shift{Mean: float32(mean), Sigma: float32(sigma)}
}
