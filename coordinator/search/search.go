package search

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/pinning"
	"shoal/coordinator/search/foreign"
	"shoal/coordinator/search/sources"
	"shoal/query"
	"shoal/query/filter"
	"shoal/text/dictionary"
	"shoal/wire"
	"shoal/wire/span"
)

// Search answers searches: it plans them against one state of the catalogue, drives the shards
// and renders the page. Safe for concurrent use. It starts goroutines only for the shards of a
// step; they end before the step does.
type Search struct {
	Catalog func() coordinator.Catalog
	// Foreign follows foreign keys; nil leaves them as they are.
	Foreign  *foreign.Keys
	shards   coordinator.Shards
	self     wire.NodeID
	features func() settings.Features
	rules    func() *pinning.Store
	fuel     pinning.Fuel
	embedder QueryEmbedder
	now      func() time.Time
	sources  *sources.Opener
	words    wordCaches

	mu struct {
		sync.Mutex
		lexes map[uint32]*lexisEntry // by index id
	}
}

// lexisEntry is the prepared form of one version of an index's settings.
type lexisEntry struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	lexis        *query.Lexis
}

// Config is what a Search needs.
type Config struct {
	// Catalog returns the newest applied catalogue (Log.Catalog).
	Catalog func() coordinator.Catalog
	Shards  coordinator.Shards
	// Self is this node. Its replicas are asked first.
	Self     wire.NodeID
	Features func() settings.Features
	// Foreign follows foreign keys; nil leaves them as they are.
	Foreign *foreign.Keys
	// Embedder turns queries into vectors.
	Embedder QueryEmbedder
	// Rules returns the rules that pin documents; nil for none.
	Rules func() *pinning.Store
	// RuleFuel bounds the effects of rules; zero means pinning.DefaultFuel.
	RuleFuel pinning.Fuel
	// Now is the clock for rules that are limited in time, the same on all nodes (nil: this
	// machine's).
	Now func() time.Time
	// Searched, when set, is called after each search with the number of rounds of the source
	// that was asked most; sources on other nodes take precedence. It must not block.
	Searched func(elsewhere bool, rounds int)
	// Hedged, when set, is called for each hedged source and tells whether the second node was
	// faster. It must not block.
	Hedged func(won bool)
}

// New returns a Search.
func New(c Config) *Search {
	opener := sources.New(sources.Config{Shards: c.Shards, Self: c.Self, Searched: c.Searched, Hedged: c.Hedged})
	s := &Search{Catalog: c.Catalog, Foreign: c.Foreign, shards: c.Shards, self: c.Self, features: c.Features, rules: c.Rules, fuel: c.RuleFuel, embedder: c.Embedder, sources: opener}
	if s.now = c.Now; s.now == nil {
		s.now = time.Now
	}
	s.mu.lexes = make(map[uint32]*lexisEntry)
	return s
}

// ruleFuel bounds the effects of the dynamic search rules on one search.
func (s *Search) ruleFuel() pinning.Fuel {
	if s.fuel == (pinning.Fuel{}) {
		return pinning.DefaultFuel
	}
	return s.fuel
}

// maxLexes bounds the cached prepared settings.
const maxLexes = 1024

// lexis returns the prepared settings of an index.
func (s *Search) lexis(x *wire.Index) *query.Lexis {
	settings, dictionaries := x.DecodedSettings(), x.Generations.Dictionaries()
	s.mu.Lock()
	e := s.mu.lexes[x.ID]
	s.mu.Unlock()
	if e != nil && e.settings == settings && e.dictionaries == dictionaries {
		return e.lexis
	}
	e = &lexisEntry{settings: settings, dictionaries: dictionaries, lexis: query.NewLexis(settings, dictionaries)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.lexes) >= maxLexes {
		clear(s.mu.lexes)
	}
	s.mu.lexes[x.ID] = e
	return e.lexis
}

// searchAttempts bounds the attempts of one request. Each may meet a version that is gone or a
// replica that stopped answering.
const searchAttempts = 4

// Attempt runs one request against the newest catalogue. It runs again when the versions it
// read are gone or a replica failed (architecture 7).
func (s *Search) Attempt(ctx context.Context, run func(cut *Attempt) error) error {
	failed, lost := make(map[wire.NodeID]bool), new(lostTime)
	for n := 1; ; n++ {
		catalog := s.Catalog()
		cut := &Attempt{Search: s, Catalog: catalog, sources: s.sources.Choose(catalog, failed), lost: lost}
		err := run(cut)
		if err == nil || n == searchAttempts || ctx.Err() != nil {
			return err
		}
		var fault *sources.Fault
		switch {
		case errors.As(err, &fault):
			failed[fault.Node] = true
		case errors.Is(err, wire.ErrGone):
		default:
			return err
		}
	}
}

// Attempt is one state of the catalogue that a request reads: all its queries see the same
// versions. It serves one request, whose queries may run concurrently.
type Attempt struct {
	Search  *Search
	Catalog coordinator.Catalog
	sources *sources.Choice
	lost    *lostTime
}

// Index returns the record of an index by its uid or an alias, or apierr.IndexNotFound.
func (c *Attempt) Index(uid string) (*wire.Index, error) {
	x, ok := coordinator.Named(c.Catalog, uid)
	if !ok {
		return nil, apierr.IndexNotFound(uid)
	}
	return x, nil
}

// Search answers one search.
func (s *Search) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	return s.SearchIn(ctx, uid, r, AnswerRoom)
}

// SearchIn is Search with an answer that holds room bytes of hits.
func (s *Search) SearchIn(ctx context.Context, uid string, r *api.SearchRequest, room int) (*api.SearchResponse, error) {
	var answer *api.SearchResponse
	err := s.Attempt(ctx, func(cut *Attempt) (err error) {
		answer, err = cut.answer(ctx, uid, r, room)
		return err
	})
	return answer, err
}

// SearchMany answers the queries of a non-federated multi-search on one state of the catalogue.
func (s *Search) SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error) {
	err = s.Attempt(ctx, func(cut *Attempt) error {
		answers, failed, err = Each(ctx, queries, func(q *api.IndexQuery, room int) (*api.SearchResponse, error) {
			return cut.answer(ctx, q.IndexUID, &q.SearchRequest, room)
		})
		return err
	})
	return answers, failed, err
}

// Each answers queries one after the other, within a common bound on bytes. On error failed is
// the faulty query, and all answers are closed.
func Each(ctx context.Context, queries []api.IndexQuery, search func(q *api.IndexQuery, room int) (*api.SearchResponse, error)) (answers []*api.SearchResponse, failed int, err error) {
	answers = make([]*api.SearchResponse, 0, len(queries))
	defer func() {
		if err != nil {
			for _, a := range answers {
				api.CloseMore(a.More)
			}
			answers = nil
		}
	}()
	var tally Tally
	for i := range queries {
		if err := wire.Turn(ctx); err != nil {
			return answers, 0, err
		}
		answer, err := search(&queries[i], tally.Room())
		if err != nil {
			return answers, i, err
		}
		answers = append(answers, answer)
		if err := tally.Add(answer); err != nil {
			return answers, i, err
		}
	}
	return answers, 0, nil
}

// planned checks one search of the request and plans it.
func (c *Attempt) planned(ctx context.Context, uid string, r *api.SearchRequest) (*Plan, error) {
	ctx, s := span.Start(ctx, "plan")
	defer s.End()
	legacy := c.Search.features().LegacySearch
	x, filter, err := c.begin(uid, r.Filter, legacy)
	if x == nil {
		return nil, err
	}
	p := &Plan{Index: x, Settings: SettingsOf(x, r), Request: r, legacy: legacy}
	if legacy {
		if err := p.CheckKind(); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	resolved, err := c.Search.Foreign.Resolve(ctx, x, filter)
	if err != nil {
		return nil, err
	}
	if err := p.checkSyntax(); err != nil {
		return nil, err
	}
	if p.legacy {
		if p.written, err = writtenFilter(r.Filter, filter, resolved); err != nil {
			return nil, err
		}
	}
	if err := c.plan(ctx, p, resolved); err != nil {
		return nil, err
	}
	return p, nil
}

// begin looks an index up and parses the filter of a search on it. A search that follows foreign
// keys looks the index up first, and so does one as before 1.50, which has other checks between
// the two: with legacy the index may come with the error of the filter.
func (c *Attempt) begin(uid string, raw json.RawMessage, legacy bool) (*wire.Index, *filter.Filter, error) {
	parsed, fault := c.ParseFilter(raw)
	x, missing := c.Index(uid)
	switch {
	case missing != nil && (fault == nil || legacy || c.Search.Foreign.Followed()):
		return nil, nil, missing
	case fault != nil && !legacy:
		return nil, nil, fault
	}
	return x, parsed, fault
}

// CheckFirst makes those checks of a search that come before all others. A search as before
// 1.50 has none.
func (s *Search) CheckFirst(uid string, raw json.RawMessage) error {
	if s.features().LegacySearch {
		return nil
	}
	c := &Attempt{Search: s, Catalog: s.Catalog()}
	if s.Foreign.Followed() {
		_, _, err := c.begin(uid, raw, false)
		return err
	}
	_, err := c.ParseFilter(raw)
	return err
}

// answer runs one search: plan, rank, page, facets. The answer holds room bytes of hits.
func (c *Attempt) answer(ctx context.Context, uid string, r *api.SearchRequest, room int) (*api.SearchResponse, error) {
	begun := time.Now()
	ctx, measured := Measure(ctx, r.ShowPerformanceDetails)
	plan, err := c.planned(ctx, uid, r)
	if err != nil {
		return nil, err
	}
	if from, _ := r.Window(); from == 0 && plan.semantic == nil && !r.RetrieveVectors {
		options := plan.renderOptions()
		plan.Drive.Show = &options
	}
	plan.Drive.Facets = plan.facetsAhead()
	plan.Drive.Unscored = plan.semantic == nil && !r.ShowRankingScore && !r.ShowRankingScoreDetails
	ranking, err := c.Rank(ctx, plan)
	if err != nil {
		return nil, err
	}
	answer, err := ranking.respond(ctx, room)
	if err != nil || answer.More == nil {
		ranking.Close()
	}
	if err != nil {
		return nil, err
	}
	answer.Took = time.Since(begun)
	answer.ProcessingTimeMs = uint64(answer.Took.Milliseconds())
	answer.Performance = measured.Steps("search")
	return answer, nil
}
