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

// object writes the members of one JSON object in the order of the calls.
type object struct {
	buf   []byte
	begun bool
}

// member starts the member name and returns the buffer to append its value to;
// the caller stores the result back.
func (o *object) member(name string) {
	if o.begun {
		o.buf = append(o.buf, ',')
	} else {
		o.buf = append(o.buf, '{')
		o.begun = true
	}
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

func (o *object) text(name, value string) {
	o.member(name)
	o.buf = AppendString(o.buf, value)
}

func (o *object) optionalText(name string, value *string) {
	if value != nil {
		o.text(name, *value)
	}
}

func (o *object) count(name string, value uint64) {
	o.member(name)
	o.buf = strconv.AppendUint(o.buf, value, 10)
}

func (o *object) raw(name string, value []byte) {
	o.member(name)
	o.buf = append(o.buf, value...)
}

func (o *object) end() []byte {
	if !o.begun {
		o.buf = append(o.buf, '{')
	}
	return append(o.buf, '}')
}

// AppendJSON appends the answer in the member order of spec search-api 4.1.
func (r *SearchResponse) AppendJSON(dst []byte, env *Envelope) []byte {
	o := object{buf: dst}
	o.optionalText("indexUid", env.IndexUID)
	o.hits(r.Hits)
	o.text("query", r.Query)
	if r.QueryVector != nil {
		o.member("queryVector")
		o.buf = AppendVector(o.buf, r.QueryVector)
	}
	o.count("processingTimeMs", r.ProcessingTimeMs)
	o.pagination(&r.Pagination)
	o.facets(r.Facets)
	o.text("requestUid", env.RequestUID)
	if env.Metadata != nil {
		o.member("metadata")
		o.buf = env.Metadata.AppendJSON(o.buf)
	}
	o.performance(r.Performance)
	o.remoteErrors(r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.count("semanticHitCount", *r.SemanticHitCount)
	}
	return o.end()
}

// AppendJSON appends the merged answer in the member order of spec search-api
// 5.4. Metadata is shown when withMetadata is set.
func (r *FederatedResponse) AppendJSON(dst []byte, requestUID string, withMetadata bool) []byte {
	o := object{buf: dst}
	o.hits(r.Hits)
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
	o.pagination(&r.Pagination)
	o.facets(r.Facets)
	if r.HasFacetsByIndex {
		o.facetsByIndex(r.FacetsByIndex)
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
	o.remoteErrors(r.RemoteErrors)
	if r.SemanticHitCount != nil {
		o.count("semanticHitCount", *r.SemanticHitCount)
	}
	o.performance(r.Performance)
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
	o.remoteErrors(r.RemoteErrors)
	return o.end()
}

// AppendJSON appends the answer of a similar search (spec search-api 11).
func (r *SimilarResponse) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.hits(r.Hits)
	o.text("id", r.ID)
	o.count("processingTimeMs", r.ProcessingTimeMs)
	o.pagination(&r.Pagination)
	o.performance(r.Performance)
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

// AppendVector appends an embedding: 32-bit components widened to 64 bits.
func AppendVector(dst []byte, vector []float32) []byte {
	dst = append(dst, '[')
	for i, f := range vector {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendFloat(dst, float64(f))
	}
	return append(dst, ']')
}

func (o *object) hits(hits []Hit) {
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
	if n := len(h.Document); n > 2 {
		o.buf = append(o.buf, h.Document[:n-1]...)
		o.begun = true
	}
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

func (o *object) pagination(p *Pagination) {
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

func (o *object) facets(f *Facets) {
	if f == nil {
		return
	}
	o.member("facetDistribution")
	o.buf = appendDistribution(o.buf, f.Distribution)
	o.member("facetStats")
	o.buf = appendFacetStats(o.buf, f.Stats)
}

func (o *object) facetsByIndex(results []FacetsResult) {
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

// key is member for a name that needs escaping.
func (o *object) key(name string) {
	if o.begun {
		o.buf = append(o.buf, ',')
	} else {
		o.buf = append(o.buf, '{')
		o.begun = true
	}
	o.buf = append(AppendString(o.buf, name), ':')
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

func (o *object) performance(steps []PerformanceStep) {
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

func (o *object) remoteErrors(r *RemoteErrors) {
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

// AppendJSON appends the error envelope (spec write-api 1.4).
func (e *Error) AppendJSON(dst []byte) []byte {
	o := object{buf: dst}
	o.text("message", e.Message)
	o.text("code", e.Code.Name)
	o.text("type", e.Code.Type)
	o.text("link", e.Code.Link())
	return o.end()
}

// HumanDuration writes a duration with two decimals in its largest unit of ns,
// µs, ms and s ("619.36ms"), as progress traces and performance details do.
func HumanDuration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d >= time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 2, 64) + "ms"
	case d >= time.Microsecond:
		return strconv.FormatFloat(float64(d)/1e3, 'f', 2, 64) + "µs"
	}
	return strconv.FormatInt(int64(d), 10) + ".00ns"
}
