package api

import (
	"strconv"
	"time"
)

// Envelope is what the front adds to the answer of a search.
type Envelope struct {
	// IndexUID is shown first, in multi-search results only.
	IndexUID   *string
	RequestUID string
	Metadata   *QueryMetadata
}

// AppendJSON appends the answer in the member order of spec search-api 4.1.
func (r *SearchResponse) AppendJSON(dst []byte, env *Envelope) []byte {
	o := object{buf: dst}
	o.optionalText("indexUid", env.IndexUID)
	encodeHits(&o, r.Hits)
	o.text("query", r.Query)
	if r.QueryVector != nil {
		o.member("queryVector")
		o.buf = AppendVector(o.buf, r.QueryVector)
	}
	o.count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodeFacets(&o, r.Facets)
	o.text("requestUid", env.RequestUID)
	if env.Metadata != nil {
		o.member("metadata")
		o.buf = env.Metadata.AppendJSON(o.buf)
	}
	encodePerformance(&o, r.Performance)
	encodeRemoteErrors(&o, r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.count("semanticHitCount", *r.SemanticHitCount)
	}
	return o.end()
}

// AppendJSON appends the merged answer in the member order of spec search-api
// 5.4. Metadata is shown when withMetadata is set.
func (r *FederatedResponse) AppendJSON(dst []byte, requestUID string, withMetadata bool) []byte {
	o := object{buf: dst}
	encodeHits(&o, r.Hits)
	if r.HasQueryVectors {
		o.member("queryVectors")
		vectors := object{buf: o.buf}
		for _, v := range r.QueryVectors {
			vectors.member(strconv.FormatUint(v.Position, 10))
			vectors.buf = AppendVector(vectors.buf, v.Vector)
		}
		o.buf = vectors.end()
	}
	o.count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodeFacets(&o, r.Facets)
	if r.HasFacetsByIndex {
		encodeFacetsByIndex(&o, r.FacetsByIndex)
	}
	o.text("requestUid", requestUID)
	if withMetadata {
		o.member("metadata")
		o.buf = append(o.buf, '[')
		for i := range r.Metadata {
			if i > 0 {
				o.buf = append(o.buf, ',')
			}
			o.buf = r.Metadata[i].AppendJSON(o.buf)
		}
		o.buf = append(o.buf, ']')
	}
	encodeRemoteErrors(&o, r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.count("semanticHitCount", *r.SemanticHitCount)
	}
	encodePerformance(&o, r.Performance)
	return o.end()
}

// AppendJSON appends the answer of a facet search (spec search-api 10).
func (r *FacetSearchResponse) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.member("facetHits")
	o.buf = append(o.buf, '[')
	for i, hit := range r.FacetHits {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		v := object{buf: o.buf}
		v.text("value", hit.Value)
		v.count("count", hit.Count)
		o.buf = v.end()
	}
	o.buf = append(o.buf, ']')
	if r.FacetQuery == nil {
		o.raw("facetQuery", []byte("null"))
	} else {
		o.text("facetQuery", *r.FacetQuery)
	}
	o.count("processingTimeMs", r.ProcessingTimeMs)
	encodeRemoteErrors(&o, r.RemoteErrors)
	return o.end()
}

// AppendJSON appends the answer of a similar search (spec search-api 11).
func (r *SimilarResponse) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	encodeHits(&o, r.Hits)
	o.text("id", r.ID)
	o.count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodePerformance(&o, r.Performance)
	return o.end()
}

// AppendJSON appends the metadata of one query (spec search-api 4.5).
func (m *QueryMetadata) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.optionalText("query", m.Query)
	o.text("queryUid", m.QueryUID)
	o.text("indexUid", m.IndexUID)
	o.optionalText("primaryKey", m.PrimaryKey)
	o.optionalText("remote", m.Remote)
	return o.end()
}

func encodeHits(o *object, hits []Hit) {
	o.member("hits")
	o.buf = append(o.buf, '[')
	for i := range hits {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = hits[i].AppendJSON(o.buf)
	}
	o.buf = append(o.buf, ']')
}

// AppendJSON appends the hit: the document's members, then the additions.
func (h *Hit) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.members(h.Document)
	if h.GeoDistance != nil {
		o.count("_geoDistance", *h.GeoDistance)
	}
	if f := h.Federation; f != nil {
		o.member("_federation")
		o.buf = f.appendJSON(o.buf)
	}
	if h.Formatted != nil {
		o.raw("_formatted", h.Formatted)
	}
	if h.MatchesPosition != nil {
		o.raw("_matchesPosition", h.MatchesPosition)
	}
	if h.RankingScore != nil {
		o.member("_rankingScore")
		o.buf = AppendFloat(o.buf, *h.RankingScore)
	}
	if h.RankingScoreDetails != nil {
		o.raw("_rankingScoreDetails", h.RankingScoreDetails)
	}
	return o.end()
}

func (f *HitFederation) appendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.text("indexUid", f.IndexUID)
	o.count("queriesPosition", f.QueriesPosition)
	o.member("weightedRankingScore")
	o.buf = AppendFloat(o.buf, f.WeightedRankingScore)
	o.optionalText("remote", f.Remote)
	if f.WeightedScoreValues != nil {
		o.raw("weightedScoreValues", f.WeightedScoreValues)
	}
	return o.end()
}

func encodePagination(o *object, p *Pagination) {
	if p.PageMode {
		o.count("hitsPerPage", p.HitsPerPage)
		o.count("page", p.Page)
		o.count("totalPages", p.TotalPages())
		o.count("totalHits", p.Total)
		return
	}
	o.count("limit", p.Limit)
	o.count("offset", p.Offset)
	o.count("estimatedTotalHits", p.Total)
}

func encodeFacets(o *object, f *Facets) {
	if f == nil {
		return
	}
	o.member("facetDistribution")
	o.buf = appendDistribution(o.buf, f.Distribution)
	o.member("facetStats")
	o.buf = appendFacetStats(o.buf, f.Stats)
}

func encodeFacetsByIndex(o *object, results []FacetsResult) {
	o.member("facetsByIndex")
	byIndex := object{buf: o.buf}
	for i := range results {
		byIndex.key(results[i].IndexUID)
		one := object{buf: byIndex.buf}
		one.member("distribution")
		one.buf = appendDistribution(one.buf, results[i].Facets.Distribution)
		one.member("stats")
		one.buf = appendFacetStats(one.buf, results[i].Facets.Stats)
		byIndex.buf = one.end()
	}
	o.buf = byIndex.end()
}

func appendDistribution(dst []byte, fields []FacetCounts) []byte {
	o := object{buf: dst}
	for _, field := range fields {
		o.key(field.Field)
		values := object{buf: o.buf}
		for _, v := range field.Values {
			values.key(v.Value)
			values.buf = strconv.AppendUint(values.buf, v.Count, 10)
		}
		o.buf = values.end()
	}
	return o.end()
}

func appendFacetStats(dst []byte, stats []FacetStat) []byte {
	o := object{buf: dst}
	for _, s := range stats {
		o.key(s.Field)
		bounds := object{buf: o.buf}
		bounds.member("min")
		bounds.buf = AppendFloat(bounds.buf, s.Min)
		bounds.member("max")
		bounds.buf = AppendFloat(bounds.buf, s.Max)
		o.buf = bounds.end()
	}
	return o.end()
}

func encodePerformance(o *object, steps []PerformanceStep) {
	if steps == nil {
		return
	}
	o.member("performanceDetails")
	details := object{buf: o.buf}
	for _, s := range steps {
		details.key(s.Name)
		details.buf = AppendString(details.buf, HumanDuration(time.Duration(s.Nanos)))
	}
	o.buf = details.end()
}

func encodeRemoteErrors(o *object, r *RemoteErrors) {
	if r == nil {
		return
	}
	o.member("remoteErrors")
	failures := object{buf: o.buf}
	for i, name := range r.Names {
		failures.key(name)
		failures.buf = r.Errors[i].AppendJSON(failures.buf)
	}
	o.buf = failures.end()
}
