package embed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// maxCompositeDistance bounds the distance between the test vectors of a composite
// embedder's two halves.
const maxCompositeDistance = 0.01

// Probe tries a new definition and returns its dimensions: those it states, or those of a
// test vector (spec write-api 13.4, 13.5). Errors: *apierr.Error, or that of ctx if it was
// cancelled.
func (p *Pool) Probe(ctx context.Context, e *settings.Embedder) (dimensions int, err error) {
	dimensions, err = p.probe(ctx, e)
	return dimensions, apiError(err)
}

func (p *Pool) probe(ctx context.Context, e *settings.Embedder) (int, error) {
	switch e.Source {
	case "userProvided":
		return e.Dimensions, nil
	case "huggingFace":
		return 0, localModel(e.Model)
	case "composite":
		return p.probeComposite(ctx, e)
	}
	c, err := p.newClient(e)
	if err != nil || e.Dimensions > 0 || e.DimensionsStated {
		return e.Dimensions, err
	}
	if len(e.IndexingFragments)+len(e.SearchFragments) > 0 {
		return 0, userError("cannot infer `dimensions` for an embedder using `indexingFragments`.\n  - Note: Specify `dimensions` explicitly or don't use `indexingFragments`.")
	}
	vector, err := c.one(ctx, jsonvalue.StringValue("test"), p.cfg.Now)
	if err != nil {
		return 0, nested("could not determine model dimensions:\n  - test embedding failed with ", err)
	}
	return len(vector), nil
}

// nested puts text before an embedding error. Other errors stay.
func nested(text string, err error) error {
	var known *Error
	if !errors.As(err, &known) {
		return err
	}
	return runtimeError(text + known.Error())
}

// probeComposite compares the vectors of the two halves for the same texts.
func (p *Pool) probeComposite(ctx context.Context, e *settings.Embedder) (int, error) {
	if e.SearchEmbedder == nil || e.IndexingEmbedder == nil {
		return 0, userError("a composite embedder needs `searchEmbedder` and `indexingEmbedder`")
	}
	var halves [2][][]float32
	var dimensions [2]int
	for i, half := range []*settings.Embedder{e.SearchEmbedder, e.IndexingEmbedder} {
		var err error
		if dimensions[i], err = p.probe(ctx, half); err != nil {
			return 0, err
		}
	}
	const failed = "error while generating test embeddings.\n  - "
	if dimensions[0] != dimensions[1] {
		return 0, userError(fmt.Sprintf(failed+"the dimensions of embeddings produced at search time and at indexing time don't match.\n  - Search time dimensions: %d\n  - Indexing time dimensions: %d\n  - Note: Dimensions of embeddings produced by both embedders are required to match.", dimensions[0], dimensions[1]))
	}
	if len(e.SearchEmbedder.SearchFragments) > 0 || len(e.IndexingEmbedder.IndexingFragments) > 0 {
		return dimensions[0], nil // fragments have no test texts
	}
	for i, half := range []*settings.Embedder{e.SearchEmbedder, e.IndexingEmbedder} {
		name := []string{"search", "indexing"}[i]
		vectors, err := p.Documents(ctx, half, testTexts, unwatched{})
		if err != nil {
			return 0, nested(failed+"could not generate test embedding with embedder at "+name+" time.\n  - Embedding failed with ", err)
		}
		halves[i] = vectors
	}
	for i := range testTexts {
		if d := angular(halves[0][i], halves[1][i]); d > maxCompositeDistance {
			return 0, userError(fmt.Sprintf(failed+"the embeddings produced at search time and indexing time are not similar enough.\n  - angular distance %.2f\n  - Meilisearch requires a maximum distance of %v.\n  - Note: check that both embedders produce similar embeddings.", d, maxCompositeDistance))
		}
	}
	return dimensions[0], nil
}

var testTexts = []jsonvalue.Value{
	jsonvalue.StringValue("test"), jsonvalue.StringValue("a brave dog"),
	jsonvalue.StringValue("This is a sample text. It is meant to compare similarity."),
}

// angular is the angular distance of two vectors, between 0 and 1.
func angular(a, b []float32) float64 {
	var dot, na, nb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		na += float64(a[i]) * float64(a[i])
		nb += float64(b[i]) * float64(b[i])
	}
	norm := math.Sqrt(na) * math.Sqrt(nb)
	if norm <= 0x1p-23 {
		return 0
	}
	return (1 - max(-1, min(1, dot/norm))) / 2
}
