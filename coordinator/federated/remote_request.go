package federated

import (
	"encoding/json"
	"strconv"

	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// members writes the members of one JSON object.
type members struct {
	buf   []byte
	begun bool
}

func (m *members) raw(name string, value []byte) {
	if m.begun {
		m.buf = append(m.buf, ',')
	} else {
		m.buf = append(m.buf, '{')
		m.begun = true
	}
	m.buf = append(jsonvalue.AppendString(m.buf, name), ':')
	m.buf = append(m.buf, value...)
}

func (m *members) text(name string, value *string) {
	if value != nil {
		m.raw(name, jsonvalue.AppendString(nil, *value))
	}
}

func (m *members) list(name string, values []string) {
	if values == nil {
		return
	}
	buf := []byte{'['}
	for i, v := range values {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = jsonvalue.AppendString(buf, v)
	}
	m.raw(name, append(buf, ']'))
}

func (m *members) count(name string, value *uint64) {
	if value != nil {
		m.raw(name, strconv.AppendUint(nil, *value, 10))
	}
}

func (m *members) yes(name string, value bool) {
	if value {
		m.raw(name, []byte("true"))
	}
}

func (m *members) end() []byte {
	if !m.begun {
		m.buf = append(m.buf, '{')
	}
	return append(m.buf, '}')
}

// searchMembers writes the parameters of a search, except its window and facets, which belong
// to the federation.
func (m *members) searchMembers(r *api.SearchRequest) {
	m.text("q", r.Q)
	m.list("attributesToRetrieve", r.AttributesToRetrieve)
	m.list("attributesToCrop", r.AttributesToCrop)
	m.count("cropLength", &r.CropLength)
	m.text("cropMarker", &r.CropMarker)
	m.list("attributesToHighlight", r.AttributesToHighlight)
	m.text("highlightPreTag", &r.HighlightPreTag)
	m.text("highlightPostTag", &r.HighlightPostTag)
	m.yes("showMatchesPosition", r.ShowMatchesPosition)
	if r.Filter != nil {
		m.raw("filter", r.Filter)
	}
	m.list("sort", r.Sort)
	m.text("distinct", r.Distinct)
	m.selection(r.MatchingStrategy, r.AttributesToSearchOn, r.RankingScoreThreshold, r.Locales)
	m.semantic(r.Hybrid, r.Vector, r.Media)
	m.yes("retrieveVectors", r.RetrieveVectors)
	m.yes("showRankingScore", r.ShowRankingScore)
	m.yes("showRankingScoreDetails", r.ShowRankingScoreDetails)
	if r.InlineRule != nil {
		m.raw("inlineRule", r.InlineRule.Raw)
	}
	m.list("rankingRules", r.RankingRules)
}

// selection writes how words select documents.
func (m *members) selection(strategy api.MatchingStrategy, searchOn []string, threshold *float64, locales []string) {
	name := string(strategy)
	m.text("matchingStrategy", &name)
	m.list("attributesToSearchOn", searchOn)
	if threshold != nil {
		m.raw("rankingScoreThreshold", jsonvalue.AppendFloat(nil, *threshold))
	}
	m.list("locales", locales)
}

// semantic writes the parameters of the vector side.
func (m *members) semantic(hybrid *settings.Hybrid, vector []float32, media json.RawMessage) {
	if hybrid != nil {
		var h members
		h.raw("semanticRatio", jsonvalue.AppendFloat32(nil, hybrid.SemanticRatio))
		h.text("embedder", &hybrid.Embedder)
		m.raw("hybrid", h.end())
	}
	if vector != nil {
		m.raw("vector", jsonvalue.AppendVector(nil, vector))
	}
	if media != nil {
		m.raw("media", media)
	}
}

// remoteBody returns the multi-search for another instance: its queries under their positions
// here, and the federation with a window that starts at the first hit (spec search-api 6).
func remoteBody(f *api.Federation, queries []federatedQuery) []byte {
	list := []byte{'['}
	for i := range queries {
		q := &queries[i]
		if i > 0 {
			list = append(list, ',')
		}
		var options, m members
		options.raw("weight", jsonvalue.AppendFloat(nil, q.weight))
		options.count("queryPosition", &q.position)
		m.text("indexUid", &q.query.IndexUID)
		m.searchMembers(&q.query.SearchRequest)
		m.raw("federationOptions", options.end())
		list = append(list, m.end()...)
	}
	var body members
	body.raw("queries", append(list, ']'))
	body.raw("federation", remoteFederation(f, queries))
	return body.end()
}

func remoteFederation(f *api.Federation, queries []federatedQuery) []byte {
	var m, facets members
	if f.PageMode() {
		first := uint64(1)
		_, to := f.Window()
		m.count("page", &first)
		m.count("hitsPerPage", &to)
	} else {
		_, to := f.Window()
		m.count("limit", &to)
	}
	for _, e := range f.FacetsByIndex {
		for i := range queries {
			if e.Facets != nil && queries[i].query.IndexUID == e.IndexUID {
				facets.list(e.IndexUID, e.Facets)
				break
			}
		}
	}
	m.raw("facetsByIndex", facets.end())
	m.text("distinct", f.Distinct)
	return m.end()
}
