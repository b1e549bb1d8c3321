package search

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"shoal/coordinator/score"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/coordinator/driver"
	"shoal/coordinator/search/sources"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// maxDocumentID bounds an external id, in bytes.
const maxDocumentID = 511

// Similar answers one request on the index as the attempt sees it.
func (c *Attempt) Similar(ctx context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error) {
	x, err := c.Index(uid)
	if err != nil {
		return nil, err
	}
	s := &similarSearch{cut: c, request: r, plan: &Plan{Index: x, Settings: x.DecodedSettings(), bare: true}}
	e, ok, err := s.plan.Settings.Embedder(r.Embedder)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, apierr.EmbedderNotFound(apierr.CodeInvalidSimilarEmbedder, r.Embedder)
	}
	s.shift = shiftOf(e)
	if s.rule, err = c.parseRule(uid, r.Rule); err != nil {
		return nil, err
	}
	parsed, fault := filter.ParseRequestFilter(r.Filter)
	if fault == nil {
		fault = parsed.CheckGates(filter.GatesOf(c.Search.features()))
	}
	if fault != nil {
		return nil, fault.API(apierr.CodeInvalidSimilarFilter)
	}
	if s.id, ok = similarID(r.ID); !ok {
		return nil, apierr.New(apierr.CodeInvalidSimilarID, "Invalid value at `.id`: "+apierr.InvalidDocumentIDText(string(r.ID)))
	}
	return s.run(ctx, parsed)
}

// parseRule parses the filter of a tenant token, which decides whether the tenant may see the
// document itself. As in the reference, an error names the index, except one in an expression
// of a list.
func (c *Attempt) parseRule(uid string, raw json.RawMessage) (*filter.Filter, error) {
	if raw == nil {
		return nil, nil
	}
	parsed, fault := filter.ParseRequestFilter(raw)
	if fault == nil {
		fault = parsed.CheckGates(filter.GatesOf(c.Search.features()))
	}
	switch {
	case fault == nil:
		return parsed, nil
	case fault.Listed:
		return nil, fault.API(apierr.CodeInvalidSimilarFilter)
	}
	return nil, apierr.InIndex(uid, fault.API(apierr.CodeInvalidSimilarFilter))
}

// similarSearch is one search for similar documents.
type similarSearch struct {
	cut     *Attempt
	request *api.SimilarRequest
	plan    *Plan
	rule    *filter.Filter // of the tenant token; nil without one
	id      string
	shift   *score.Shift
	ranking *Ranking
	offset  int
	limit   int
}

// run opens the sessions and answers.
func (s *similarSearch) run(ctx context.Context, filter *filter.Filter) (*api.SimilarResponse, error) {
	x, p := s.plan.Index, s.plan
	p.Request = api.NewSearchRequest()
	p.Request.AttributesToRetrieve, p.Request.RetrieveVectors = s.request.AttributesToRetrieve, s.request.RetrieveVectors
	p.Request.ShowRankingScore, p.Request.ShowRankingScoreDetails = s.request.ShowRankingScore, s.request.ShowRankingScoreDetails
	opened, err := s.cut.sources.Open(ctx, x, time.Now().Add(DefaultCutoff), nil)
	if err != nil {
		return nil, err
	}
	s.ranking = &Ranking{Plan: p, Ranked: &driver.Ranked{}, Sources: opened, attempt: s.cut}
	answer, err := s.answer(ctx, filter)
	if err != nil || answer.More == nil {
		s.ranking.Close()
	}
	return answer, err
}

// answer asks the open sessions.
func (s *similarSearch) answer(ctx context.Context, filter *filter.Filter) (*api.SimilarResponse, error) {
	x, p := s.plan.Index, s.plan
	own, err := s.cut.Search.Foreign.Resolve(ctx, x, s.rule)
	if err != nil {
		return nil, err
	}
	rule, err := writtenFilter(s.request.Rule, s.rule, own)
	if err != nil {
		return nil, err
	}
	resolved, err := s.cut.Search.Foreign.Resolve(ctx, x, filter)
	if err != nil {
		return nil, err
	}
	raw, err := writtenFilter(s.request.Filter, filter, resolved)
	if err != nil {
		return nil, err
	}
	target, shard, err := s.target(ctx, rule)
	if err != nil {
		return nil, own.Reworded(err, p.Settings)
	}
	if fault := resolved.CheckFilterable(p.Settings); fault != nil {
		return nil, fault.API(apierr.CodeInvalidSimilarFilter)
	}
	universe, err := s.begin(ctx, resolved, raw, target, shard)
	if err != nil {
		return nil, err
	}
	s.window(universe)
	found, err := s.neighbours(ctx, target, shard)
	if err != nil {
		return nil, err
	}
	hits, candidates := s.page(found, universe)
	pages := s.ranking.pages(hits, func(context.Context, []driver.Hit, []api.Hit) error { return nil })
	rendered, err := pages.Fill(ctx, AnswerRoom)
	if err != nil {
		return nil, err
	}
	return &api.SimilarResponse{
		Hits: rendered, More: pages.More(), ID: s.id,
		Pagination: api.Pagination{Offset: s.request.Offset, Limit: s.request.Limit, Total: min(candidates, uint64(p.Settings.MaxTotalHits))},
	}, nil
}

// window determines which neighbours are shown. The setting maxTotalHits does not bound them,
// only the reported total.
func (s *similarSearch) window(universe uint64) {
	s.offset = int(min(s.request.Offset, universe))
	s.limit = int(min(s.request.Limit, universe-uint64(s.offset)))
}

// target asks the source that owns the document for its vectors. A document that the tenant may
// not see, by the rule, counts as missing. An error about the rule keeps the code of searches.
func (s *similarSearch) target(ctx context.Context, rule json.RawMessage) (*wire.TargetReply, int, error) {
	slot := wire.SlotOf(s.id)
	for i, source := range s.ranking.Sources {
		if !source.Owns(slot) {
			continue
		}
		if _, err := source.Step(ctx, &wire.SearchStep{Begin: &wire.BeginStep{}}); err != nil {
			return nil, 0, err
		}
		step := &wire.TargetStep{ID: s.id, Embedder: s.request.Embedder, Filter: rule}
		reply, err := source.Step(ctx, &wire.SearchStep{Target: step})
		if err != nil {
			return nil, 0, err
		}
		if reply.Target.Found {
			return reply.Target, i, nil
		}
	}
	return nil, 0, apierr.New(apierr.CodeNotFoundSimilarID, "Document `"+s.id+"` not found.")
}

// filterFault gives an error about a filter the code of this route, except an error about an
// operator or about `_shard`, which has one code on all routes.
func (s *similarSearch) filterFault(parsed *filter.Filter, err error) error {
	var client *apierr.Error
	if !errors.As(err, &client) || client.Code != apierr.CodeInvalidSearchFilter {
		return err
	}
	if n := parsed.Condition(client.Place); n != nil && (n.OnShard() || n.CheckOperator(filter.NewFilterable(s.plan.Settings)) != nil) {
		return err
	}
	coded := *client
	coded.Code = apierr.CodeInvalidSimilarFilter
	return &coded
}

// begin determines the filtered universe without the document itself, and counts it.
func (s *similarSearch) begin(ctx context.Context, filter *filter.Filter, raw json.RawMessage, target *wire.TargetReply, owner int) (uint64, error) {
	return s.ranking.countCandidates(ctx, func(ctx context.Context, i int, session wire.Session) error {
		if _, err := session.Step(ctx, &wire.SearchStep{Begin: &wire.BeginStep{Filter: raw}}); err != nil {
			return filter.Reworded(s.filterFault(filter, err), s.plan.Settings)
		}
		if i != owner {
			return nil
		}
		drop := &wire.DropStep{Listed: true, Ordinals: []uint32{target.Ordinal}}
		_, err := session.Step(ctx, &wire.SearchStep{Drop: drop})
		return err
	})
}

// neighbour is a document near the target.
type neighbour struct {
	wire.Streamed
	shard int
}

// neighbours lists the documents near any vector of the target: the nearest ones of each store,
// by distance, each document once.
func (s *similarSearch) neighbours(ctx context.Context, target *wire.TargetReply, owner int) ([]neighbour, error) {
	if len(target.Vectors) == 0 {
		return nil, nil
	}
	limit := s.offset + s.limit + 1
	replies := make([]*wire.NearestReply, len(s.ranking.Sources))
	err := s.ranking.Sources.Each(ctx, sources.Every, func(ctx context.Context, i int, session wire.Session) error {
		step := &wire.NearestStep{
			Embedder: s.request.Embedder, Vectors: target.Vectors, Limit: limit, Except: target.Ordinal, HasExcept: i == owner,
		}
		reply, err := session.Step(ctx, &wire.SearchStep{Nearest: step})
		if err == nil {
			replies[i] = reply.Nearest
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	near := func(a, b neighbour) int { return wire.CompareNear(a.Streamed, b.Streamed) }
	var all []neighbour
	for store := range target.Vectors {
		var own []neighbour
		for shard, r := range replies {
			for _, doc := range r.Lists[store] {
				own = append(own, neighbour{doc, shard})
			}
		}
		slices.SortFunc(own, near)
		all = append(all, own[:min(limit, len(own))]...)
	}
	slices.SortFunc(all, near)
	seen := map[uint32]bool{}
	return slices.DeleteFunc(all, func(n neighbour) bool {
		again := seen[n.Ordinal]
		seen[n.Ordinal] = true
		return again
	}), nil
}

// page cuts the window. A document below the threshold ends the list; then the documents before
// it are the candidates (spec ranking 8.5).
func (s *similarSearch) page(found []neighbour, universe uint64) (hits []driver.Hit, candidates uint64) {
	for i := min(s.offset, len(found)); i < min(s.offset+s.limit, len(found)); i++ {
		n := &found[i]
		similarity := s.shift.Score(float32(n.Distance))
		if t := s.request.RankingScoreThreshold; t != nil && float64(similarity) < *t {
			return hits, uint64(i)
		}
		detail := score.Detail{Rule: rule.Rule{Kind: rule.Vector}, HasVector: true, Similarity: similarity}
		hits = append(hits, driver.Hit{Ordinal: n.Ordinal, Source: n.shard, Details: score.Details{detail}})
	}
	return hits, universe
}

// similarID reads an id given as JSON; ok is false when no document can have it.
func similarID(raw []byte) (id string, ok bool) {
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return "", false
	}
	switch v.Kind() {
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		return v.JSON(), true
	case jsonvalue.KindString:
		id = v.String()
	default:
		return "", false
	}
	if id == "" || len(id) > maxDocumentID {
		return "", false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return "", false
		}
	}
	return id, true
}
