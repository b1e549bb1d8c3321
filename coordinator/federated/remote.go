package federated

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/coordinator"
	"shoal/coordinator/merge"
	"shoal/query/filter"
)

// Limits of a search on another instance (spec search-api 6).
const (
	defaultRemoteTimeout = 25 * time.Second
	remoteRetries        = 3
	remoteAnswer         = 256 << 20 // bytes
)

// remotes calls other instances.
type remotes struct {
	out coordinator.Outbound
	// timeout bounds a request with its retries.
	timeout time.Duration
}

// remoteResult is what another instance found.
type remoteResult struct {
	name string
	// fault is the member of remoteErrors; the other members are empty then.
	fault *apierr.Error

	hits        []api.Hit
	ranked      []merge.Ranked    // Ref is the index in hits
	pinned      []pinnedHit       // those that rules of the other instance pin; not ranked
	documents   []jsonvalue.Value // the hits as received, for distinct
	extra       []jsonvalue.Value // what they do not show of their documents
	total       uint64
	processing  uint64
	facets      []api.FacetsResult
	semantic    *uint64
	primaryKeys map[uint64]string // by position of the query
	inlineRules map[uint64][]byte // outcomes of conditions, by position of the query
}

// ask searches another instance. Failures are part of the result.
func (c remotes) ask(ctx context.Context, name string, remote api.NetworkRemote, f *api.Federation, queries []federatedQuery) *remoteResult {
	var result *remoteResult
	fault := c.post(ctx, remote, "/multi-search", remoteBody(f, queries), func(answer []byte) (refused *apierr.Error) {
		result, refused = parseRemote(name, answer, queries)
		return refused
	})
	if fault != nil {
		return &remoteResult{name: name, fault: fault}
	}
	return result
}

// post sends a request to another instance, with retries. read takes a successful answer and
// returns its fault.
func (c remotes) post(ctx context.Context, remote api.NetworkRemote, path string, body []byte, read func(answer []byte) *apierr.Error) *apierr.Error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	headers := []decode.Entry[string]{
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Accept", Value: "application/json"},
		{Name: "Meili-Proxy-Search", Value: "true"},
		{Name: "Meili-Include-Metadata", Value: "true"},
	}
	if remote.SearchAPIKey != nil {
		headers = append(headers, decode.Entry[string]{Name: "Authorization", Value: "Bearer " + *remote.SearchAPIKey})
	}
	url := strings.TrimRight(remote.URL, "/") + path
	for attempt := 0; ; attempt++ {
		status, answer, err := c.out.Post(ctx, url, headers, body, remoteAnswer)
		var again bool
		var fault *apierr.Error
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			fault = apierr.New(apierr.CodeRemoteTimeout, "remote host did not answer before the deadline")
		case err != nil:
			again, fault = true, apierr.New(apierr.CodeRemoteCouldNotSendRequest, "error sending request")
		case status >= 200 && status < 300:
			if fault = read(answer); fault == nil {
				return nil
			}
		default:
			again, fault = status == 429 || status >= 500, refusedByRemote(status, answer)
		}
		if !again || attempt == remoteRetries || coordinator.Backoff(ctx, attempt) != nil {
			return fault
		}
	}
}

// refusedByRemote returns the error for an unsuccessful status.
func refusedByRemote(status int, answer []byte) *apierr.Error {
	detail := "remote host responded with code " + strconv.Itoa(status) + ":\n  - response from remote: " + compactJSON(answer)
	switch {
	case status == 401 || status == 403:
		return apierr.New(apierr.CodeRemoteInvalidAPIKey, "could not authenticate against the remote host\n  - hint: check that the remote instance was registered with a valid API key having the `search` action")
	case status >= 400 && status < 500:
		return apierr.New(apierr.CodeRemoteBadRequest, detail+
			"\n  - hint: check that the remote instance has the correct index configuration for that request\n  - hint: check that the `network` experimental feature is enabled on the remote instance")
	}
	return apierr.New(apierr.CodeRemoteRemoteError, detail)
}

func compactJSON(data []byte) string {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return "null"
	}
	return v.JSON()
}

// badRemoteAnswer returns the error for an answer that is no federated search.
func badRemoteAnswer(detail string) *apierr.Error {
	return apierr.New(apierr.CodeRemoteBadResponse, "could not parse response from the remote host as a federated search response"+detail+
		"\n  - hint: check that the remote instance is a Meilisearch instance running the same version")
}

// parseRemote reads the answer to a proxied search.
func parseRemote(name string, data []byte, queries []federatedQuery) (*remoteResult, *apierr.Error) {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return nil, badRemoteAnswer(": " + err.Error())
	}
	hits := v.Get("hits")
	if hits == nil || hits.Kind() != jsonvalue.KindArray {
		return nil, badRemoteAnswer(": missing field `hits`")
	}
	r := &remoteResult{name: name, primaryKeys: map[uint64]string{}, inlineRules: map[uint64][]byte{}}
	for i := range hits.Members() {
		if fault := r.addHit(&hits.Members()[i].Value); fault != nil {
			return nil, fault
		}
	}
	for _, member := range [...]string{"estimatedTotalHits", "totalHits"} {
		if n := v.Get(member); n != nil {
			r.total = n.Uint()
		}
	}
	if ms := v.Get("processingTimeMs"); ms != nil {
		r.processing = ms.Uint()
	}
	if n := v.Get("semanticHitCount"); n != nil {
		count := n.Uint()
		r.semantic = &count
	}
	r.facets = parseFacets(v.Get("facetsByIndex"))
	r.describe(v.Get("metadata"), queries)
	return r, nil
}

// describe reads the primary keys and the outcomes of inline rules from the metadata. queries
// are those sent, in order.
func (r *remoteResult) describe(metadata *jsonvalue.Value, queries []federatedQuery) {
	if metadata == nil {
		return
	}
	members := metadata.Members()
	for i := range members[:min(len(members), len(queries))] {
		if key := members[i].Value.Get("primaryKey"); key != nil {
			r.primaryKeys[queries[i].position] = key.String()
		}
		if outcomes := members[i].Value.Get("inlineRuleConditionOutcomes"); outcomes != nil {
			r.inlineRules[queries[i].position] = outcomes.AppendJSON(nil)
		}
	}
}

// addHit splits one hit into the document, the additions, and the values for comparison.
func (r *remoteResult) addHit(v *jsonvalue.Value) *apierr.Error {
	var hit api.Hit
	document := jsonvalue.ObjectValue()
	var kept []jsonvalue.Member
	var pinned *uint32
	extra := jsonvalue.ObjectValue()
	ranked := merge.Ranked{Ref: len(r.hits)}
	for i := range v.Members() {
		m := &v.Members()[i]
		switch m.Name {
		case "_federation":
			fault := r.readFederation(&m.Value, &hit, &ranked)
			if fault != nil {
				return fault
			}
			if e := m.Value.Get("extra_document"); e != nil && e.Kind() == jsonvalue.KindObject {
				extra = *e
			}
			if at := m.Value.Get("pinnedPosition"); at != nil && at.Uint() <= math.MaxUint32 {
				position := uint32(at.Uint())
				pinned = &position
			}
		case "_geoDistance":
			distance := m.Value.Uint()
			hit.GeoDistance = &distance
		case "_formatted":
			hit.Formatted = m.Value.AppendJSON(nil)
		case "_matchesPosition":
			hit.MatchesPosition = m.Value.AppendJSON(nil)
		case "_rankingScore":
			score := m.Value.Float()
			hit.RankingScore = &score
		case "_rankingScoreDetails":
			hit.RankingScoreDetails = m.Value.AppendJSON(nil)
		default:
			kept = append(kept, *m)
		}
	}
	if hit.Federation == nil {
		return apierr.New(apierr.CodeRemoteBadResponse, "remote hit does not contain `_federation`")
	}
	if len(kept) > 0 {
		document = jsonvalue.ObjectValue(kept...)
	}
	hit.Document = document.AppendJSON(nil)
	r.hits, r.documents, r.extra = append(r.hits, hit), append(r.documents, document), append(r.extra, extra)
	if pinned != nil {
		r.pinned = append(r.pinned, pinnedHit{position: *pinned, ranked: ranked})
	} else {
		r.ranked = append(r.ranked, ranked)
	}
	return nil
}

// keysOf reads the values that a hit has at a path, shown or not, as texts that are equal for equal
// values. The caller owns them.
func (r *remoteResult) keysOf(ref int, path string) []string {
	keys := filter.DistinctKeys(&r.documents[ref], path)
	for _, key := range filter.DistinctKeys(&r.extra[ref], path) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (r *remoteResult) readFederation(v *jsonvalue.Value, hit *api.Hit, ranked *merge.Ranked) *apierr.Error {
	missing := func(path string) *apierr.Error {
		return apierr.New(apierr.CodeRemoteBadResponse, "remote hit does not contain `"+path+"`")
	}
	position, score, index := v.Get("queriesPosition"), v.Get("weightedRankingScore"), v.Get("indexUid")
	if position == nil {
		return missing("._federation.queriesPosition")
	}
	if score == nil {
		return missing("._federation.weightedRankingScore")
	}
	values, err := merge.ParseWeighted(v.Get("weightedScoreValues"))
	if err != nil {
		return missing("._federation.weightedScoreValues")
	}
	name := r.name
	hit.Federation = &api.HitFederation{QueriesPosition: position.Uint(), WeightedRankingScore: score.Float(), Remote: &name}
	if index != nil {
		hit.Federation.IndexUID = index.String()
	}
	ranked.Values, ranked.Global, ranked.Query = values, score.Float(), position.Uint()
	return nil
}

// parseFacets reads the member facetsByIndex.
func parseFacets(v *jsonvalue.Value) []api.FacetsResult {
	if v == nil {
		return nil
	}
	var out []api.FacetsResult
	for i := range v.Members() {
		m := &v.Members()[i]
		result := api.FacetsResult{IndexUID: m.Name}
		if distribution := m.Value.Get("distribution"); distribution != nil {
			for k := range distribution.Members() {
				field := &distribution.Members()[k]
				counts := api.FacetCounts{Field: field.Name}
				for j := range field.Value.Members() {
					value := &field.Value.Members()[j]
					counts.Values = append(counts.Values, api.FacetValue{Value: value.Name, Count: value.Value.Uint()})
				}
				result.Facets.Distribution = append(result.Facets.Distribution, counts)
			}
		}
		if stats := m.Value.Get("stats"); stats != nil {
			for k := range stats.Members() {
				field := &stats.Members()[k]
				lo, hi := field.Value.Get("min"), field.Value.Get("max")
				if lo != nil && hi != nil {
					result.Facets.Stats = append(result.Facets.Stats, api.FacetStat{Field: field.Name, Min: lo.Float(), Max: hi.Float()})
				}
			}
		}
		out = append(out, result)
	}
	return out
}
