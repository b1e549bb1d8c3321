package search

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/wire"
)

// Hits show no distance from a point whose numbers have an exponent or a plus sign, though they
// are sorted by it.
func TestHitsShowNoDistanceFromAPointWithExponent(t *testing.T) {
	at := func(lat, lng float64) *filter.GeoPoint { return &filter.GeoPoint{Lat: lat, Lng: lng} }
	for _, c := range []struct {
		sort []string
		want *filter.GeoPoint
	}{
		{[]string{"n:asc"}, nil},
		{[]string{"n:asc", "_geoPoint(1,2):desc", "_geoPoint(3,4):asc"}, at(1, 2)},
		{[]string{"_geoPoint(1e1,2):asc"}, nil},
		{[]string{"_geoPoint(+1,2):asc"}, nil},
		{[]string{"_geoPoint(1,2E0):asc", "_geoPoint(-45., .5):asc"}, at(-45, .5)},
		{[]string{"_geoPoint(\t1\u00a0,\u30002\n):asc"}, at(1, 2)},
		{[]string{"x_geoPoint(1,2)y:asc"}, at(1, 2)},
	} {
		got, ok := geoFrom(c.sort)
		if ok != (c.want != nil) || ok && got != *c.want {
			t.Errorf("%q: %v %v, want %v", c.sort, got, ok, c.want)
		}
	}
}

// A facet search refuses a filter in the client's words, a search in canonical ones.
func TestMessagesQuoteTheFilterAsWritten(t *testing.T) {
	cut := &Attempt{Search: New(Config{Features: func() settings.Features { return settings.Features{} }})}
	raw := json.RawMessage(`["g=1","zz =2"]`)
	for _, c := range []struct {
		written json.RawMessage
		want    string
	}{
		{raw, "\n1:3 zz =2"},
		{nil, "\n19:21 (\"g\" = \"1\") AND (\"zz\" = \"2\")"},
	} {
		filter, err := cut.ParseFilter(raw)
		if err != nil {
			t.Fatal(err)
		}
		p := &Plan{Index: &wire.Index{}, Settings: settings.Default(), Request: api.NewSearchRequest(), bare: true, written: c.written}
		p.Settings.Filterable = []settings.FilterableRule{{Patterns: []string{"g"}, Plain: true}}
		if err := cut.plan(t.Context(), p, filter); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("written %s: %v, want %q", c.written, err, c.want)
		}
	}
}

// With the feature legacySearch totals and the offset are clamped to what can be reached.
func TestLegacySearchIsClamped(t *testing.T) {
	settings := settings.Default()
	settings.MaxTotalHits = 4
	request := api.NewSearchRequest()
	request.Offset, request.Limit = 6, 5
	for _, legacy := range []bool{false, true} {
		p := &Plan{Settings: settings, Request: request, legacy: legacy}
		want := api.Pagination{Offset: 6, Limit: 5, Total: 10}
		if legacy {
			want.Offset, want.Total = 4, 4
		}
		if got := p.pagination(10); got != want {
			t.Errorf("legacy %v: %+v, want %+v", legacy, got, want)
		}
	}
}

// noEmbedder embeds nothing.
type noEmbedder struct{}

func (noEmbedder) Query(context.Context, *settings.Embedder, *string, json.RawMessage) ([]float32, error) {
	return nil, apierr.New(apierr.CodeVectorEmbeddingError, "no")
}

// lastQuery keeps the text that it was last asked to embed.
type lastQuery struct{ q *string }

func (l *lastQuery) Query(_ context.Context, _ *settings.Embedder, q *string, _ json.RawMessage) ([]float32, error) {
	l.q = q
	return []float32{1}, nil
}

// A fragment of a search may print q, so an empty text is not the same as none.
func TestABlankTextBesideMediaIsEmbeddedAsItIs(t *testing.T) {
	asked := &lastQuery{}
	cut := &Attempt{Search: New(Config{Features: func() settings.Features { return settings.Features{} }, Embedder: asked})}
	for _, text := range []string{"", " ", "x"} {
		request := api.NewSearchRequest()
		request.Q, request.Media = &text, []byte("{}")
		p := &Plan{Settings: settings.Default(), Request: request, semantic: &semantic{}}
		if _, err := cut.embed(t.Context(), p, embedTime); err != nil || asked.q == nil || *asked.q != text {
			t.Errorf("%q: %v %v", text, asked.q, err)
		}
	}
}

// A purely semantic query that cannot be embedded is refused before other errors of the search.
// A query that also has keywords is not refused.
func TestAQueryThatCannotBeEmbeddedIsRefusedFirst(t *testing.T) {
	cut := &Attempt{Search: New(Config{Features: func() settings.Features { return settings.Features{} }, Embedder: noEmbedder{}})}
	current := settings.Default()
	current.Embedders = map[string]json.RawMessage{"e": json.RawMessage(`{"source":"userProvided","dimensions":2}`)}
	q := "x"
	for ratio, want := range map[float32]apierr.Code{1: apierr.CodeVectorEmbeddingError, 0.5: apierr.CodeInvalidSearchDistinct} {
		request := api.NewSearchRequest()
		request.Q, request.Distinct, request.Hybrid = &q, &q, &settings.Hybrid{Embedder: "e", SemanticRatio: ratio}
		var refused *apierr.Error
		p := &Plan{Index: &wire.Index{}, Settings: current, Request: request}
		err := p.checkSyntax()
		if err == nil {
			err = cut.plan(t.Context(), p, nil)
		}
		if !errors.As(err, &refused) || refused.Code != want {
			t.Errorf("ratio %v: %v, want %s", ratio, err, want.Name)
		}
	}
}
