package api

import (
	"strconv"
	"time"

	"shoal/api/jsonvalue"
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
	return r.AppendEnd(AppendHits(r.AppendBegin(dst, env), r.Hits, 0), env)
}

// AppendBegin appends the part before the first hit.
func (r *SearchResponse) AppendBegin(dst []byte, env *Envelope) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.OptionalText("indexUid", env.IndexUID)
	return beginHits(&o)
}

// AppendEnd appends the part after the last hit.
func (r *SearchResponse) AppendEnd(dst []byte, env *Envelope) []byte {
	o := jsonvalue.Continued(append(dst, ']'))
	o.Text("query", r.Query)
	if r.QueryVector != nil {
		o.Member("queryVector")
		o.Buf = jsonvalue.AppendVector(o.Buf, r.QueryVector)
	}
	o.Count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodeFacets(&o, r.Facets)
	o.Text("requestUid", env.RequestUID)
	if env.Metadata != nil {
		o.Member("metadata")
		o.Buf = env.Metadata.AppendJSON(o.Buf)
	}
	encodePerformance(&o, r.Performance)
	encodeRemoteErrors(&o, r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.Count("semanticHitCount", *r.SemanticHitCount)
	}
	return o.End()
}

// AppendJSON appends the merged answer in the member order of spec search-api
// 5.4. Metadata is shown when withMetadata is set.
func (r *FederatedResponse) AppendJSON(dst []byte, requestUID string, withMetadata bool) []byte {
	return r.AppendEnd(AppendHits(r.AppendBegin(dst), r.Hits, 0), requestUID, withMetadata)
}

// AppendBegin appends the part before the first hit.
func (r *FederatedResponse) AppendBegin(dst []byte) []byte {
	return beginHits(&jsonvalue.ObjectWriter{Buf: dst})
}

// AppendEnd appends the part after the last hit.
func (r *FederatedResponse) AppendEnd(dst []byte, requestUID string, withMetadata bool) []byte {
	o := jsonvalue.Continued(append(dst, ']'))
	if r.HasQueryVectors {
		o.Member("queryVectors")
		vectors := jsonvalue.ObjectWriter{Buf: o.Buf}
		for _, v := range r.QueryVectors {
			vectors.Member(strconv.FormatUint(v.Position, 10))
			vectors.Buf = jsonvalue.AppendVector(vectors.Buf, v.Vector)
		}
		o.Buf = vectors.End()
	}
	o.Count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodeFacets(&o, r.Facets)
	if r.HasFacetsByIndex {
		encodeFacetsByIndex(&o, r.FacetsByIndex)
	}
	o.Text("requestUid", requestUID)
	if withMetadata {
		o.Member("metadata")
		o.Buf = jsonvalue.AppendList(o.Buf, r.Metadata, (*QueryMetadata).AppendJSON)
	}
	encodeRemoteErrors(&o, r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.Count("semanticHitCount", *r.SemanticHitCount)
	}
	encodePerformance(&o, r.Performance)
	return o.End()
}

// AppendJSON appends the answer of a facet search (spec search-api 10).
func (r *FacetSearchResponse) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Member("facetHits")
	o.Buf = jsonvalue.AppendList(o.Buf, r.FacetHits, func(hit *FacetValue, dst []byte) []byte {
		v := jsonvalue.ObjectWriter{Buf: dst}
		v.Text("value", hit.Value)
		v.Count("count", hit.Count)
		return v.End()
	})
	o.NullableText("facetQuery", r.FacetQuery)
	o.Count("processingTimeMs", r.ProcessingTimeMs)
	encodeRemoteErrors(&o, r.RemoteErrors)
	return o.End()
}

// AppendJSON appends the answer of a similar search (spec search-api 11).
func (r *SimilarResponse) AppendJSON(dst []byte) []byte {
	return r.AppendEnd(AppendHits(r.AppendBegin(dst), r.Hits, 0))
}

// AppendBegin appends the part before the first hit.
func (r *SimilarResponse) AppendBegin(dst []byte) []byte {
	return beginHits(&jsonvalue.ObjectWriter{Buf: dst})
}

// AppendEnd appends the part after the last hit.
func (r *SimilarResponse) AppendEnd(dst []byte) []byte {
	o := jsonvalue.Continued(append(dst, ']'))
	o.Text("id", r.ID)
	o.Count("processingTimeMs", r.ProcessingTimeMs)
	encodePagination(&o, &r.Pagination)
	encodePerformance(&o, r.Performance)
	return o.End()
}

// AppendJSON appends the metadata of one query (spec search-api 4.5).
func (m *QueryMetadata) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.OptionalText("query", m.Query)
	o.Text("queryUid", m.QueryUID)
	o.Text("indexUid", m.IndexUID)
	o.OptionalText("primaryKey", m.PrimaryKey)
	o.OptionalText("remote", m.Remote)
	if m.InlineRule != nil {
		o.Value("inlineRuleConditionOutcomes", func(dst []byte) []byte { return append(dst, m.InlineRule...) })
	}
	return o.End()
}

func beginHits(o *jsonvalue.ObjectWriter) []byte {
	o.Member("hits")
	return append(o.Buf, '[')
}

// AppendHits appends hits to an answer that already holds `before` hits.
func AppendHits(dst []byte, hits []Hit, before int) []byte {
	for i := range hits {
		if before+i > 0 {
			dst = append(dst, ',')
		}
		dst = hits[i].AppendJSON(dst)
	}
	return dst
}

// AppendJSON appends the hit: the document's members, then the additions.
func (h *Hit) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Adopt(h.Document)
	if h.GeoDistance != nil {
		o.Count("_geoDistance", *h.GeoDistance)
	}
	if f := h.Federation; f != nil {
		o.Member("_federation")
		o.Buf = f.appendJSON(o.Buf)
	}
	if h.Formatted != nil {
		o.Raw("_formatted", h.Formatted)
	}
	if h.MatchesPosition != nil {
		o.Raw("_matchesPosition", h.MatchesPosition)
	}
	if h.RankingScore != nil {
		o.Member("_rankingScore")
		o.Buf = jsonvalue.AppendFloat(o.Buf, *h.RankingScore)
	}
	if h.RankingScoreDetails != nil {
		o.Raw("_rankingScoreDetails", h.RankingScoreDetails)
	}
	if h.Group != nil {
		o.Member("_group")
		o.Buf = jsonvalue.AppendList(o.Buf, h.Group, (*Hit).AppendJSON)
	}
	return o.End()
}

func (f *HitFederation) appendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Text("indexUid", f.IndexUID)
	o.Count("queriesPosition", f.QueriesPosition)
	o.Member("weightedRankingScore")
	o.Buf = jsonvalue.AppendFloat(o.Buf, f.WeightedRankingScore)
	o.OptionalText("remote", f.Remote)
	if f.WeightedScoreValues != nil {
		o.Raw("weightedScoreValues", f.WeightedScoreValues)
	}
	if f.ExtraDocument != nil {
		o.Raw("extra_document", f.ExtraDocument)
	}
	if f.PinnedPosition != nil {
		o.Count("pinnedPosition", uint64(*f.PinnedPosition))
	}
	return o.End()
}

func encodePagination(o *jsonvalue.ObjectWriter, p *Pagination) {
	if p.PageMode {
		o.Count("hitsPerPage", p.HitsPerPage)
		o.Count("page", p.Page)
		o.Count("totalPages", p.TotalPages())
		o.Count("totalHits", p.Total)
		return
	}
	o.Count("limit", p.Limit)
	o.Count("offset", p.Offset)
	o.Count("estimatedTotalHits", p.Total)
}

func encodeFacets(o *jsonvalue.ObjectWriter, f *Facets) {
	if f == nil {
		return
	}
	o.Member("facetDistribution")
	o.Buf = appendDistribution(o.Buf, f.Distribution)
	o.Member("facetStats")
	o.Buf = appendFacetStats(o.Buf, f.Stats)
}

func encodeFacetsByIndex(o *jsonvalue.ObjectWriter, results []FacetsResult) {
	o.Member("facetsByIndex")
	byIndex := jsonvalue.ObjectWriter{Buf: o.Buf}
	for i := range results {
		byIndex.Key(results[i].IndexUID)
		one := jsonvalue.ObjectWriter{Buf: byIndex.Buf}
		one.Member("distribution")
		one.Buf = appendDistribution(one.Buf, results[i].Facets.Distribution)
		one.Member("stats")
		one.Buf = appendFacetStats(one.Buf, results[i].Facets.Stats)
		byIndex.Buf = one.End()
	}
	o.Buf = byIndex.End()
}

func appendDistribution(dst []byte, fields []FacetCounts) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, field := range fields {
		o.Key(field.Field)
		values := jsonvalue.ObjectWriter{Buf: o.Buf}
		for _, v := range field.Values {
			values.Key(v.Value)
			values.Buf = strconv.AppendUint(values.Buf, v.Count, 10)
		}
		o.Buf = values.End()
	}
	return o.End()
}

func appendFacetStats(dst []byte, stats []FacetStat) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, s := range stats {
		o.Key(s.Field)
		bounds := jsonvalue.ObjectWriter{Buf: o.Buf}
		bounds.Member("min")
		bounds.Buf = jsonvalue.AppendFloat(bounds.Buf, s.Min)
		bounds.Member("max")
		bounds.Buf = jsonvalue.AppendFloat(bounds.Buf, s.Max)
		o.Buf = bounds.End()
	}
	return o.End()
}

func encodePerformance(o *jsonvalue.ObjectWriter, steps []PerformanceStep) {
	if steps == nil {
		return
	}
	o.Member("performanceDetails")
	details := jsonvalue.ObjectWriter{Buf: o.Buf}
	for _, s := range steps {
		details.Key(s.Name)
		details.Buf = jsonvalue.AppendString(details.Buf, jsonvalue.HumanDuration(time.Duration(s.Nanos)))
	}
	o.Buf = details.End()
}

func encodeRemoteErrors(o *jsonvalue.ObjectWriter, r *RemoteErrors) {
	if r == nil {
		return
	}
	o.Member("remoteErrors")
	failures := jsonvalue.ObjectWriter{Buf: o.Buf}
	for i, name := range r.Names {
		failures.Key(name)
		failures.Buf = r.Errors[i].AppendJSON(failures.Buf)
	}
	o.Buf = failures.End()
}
