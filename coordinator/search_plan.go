package coordinator

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"shoal/api"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/wire"
)

// defaultCutoff bounds a search whose index sets no searchCutoffMs.
const defaultCutoff = 1500 * time.Millisecond

// SearchPlan is one search that passed every check that needs no shard (spec
// search-api 3.9). Immutable.
type SearchPlan struct {
	Index    *wire.Index
	Settings *api.Settings
	Request  *api.SearchRequest
	// Kind is what the search is run as.
	Kind query.QueryKind
	// Drive is the plan of the driver, for hits from the first one to the end of
	// the window.
	Drive driver.Plan
	// Sort holds the parsed criteria.
	Sort []query.SortBy

	// semantic is the vector side, nil without; cutoff is how long ranking may take.
	semantic *semantic
	cutoff   time.Duration
	// bare: errors of the index do not name it.
	bare bool
	// unpinned: dynamic search rules do not apply. filter is what their conditions
	// look at.
	unpinned bool
	filter   *query.Filter
	// written is the filter as the client wrote it, for routes whose messages quote
	// that; nil where they quote the canonical text.
	written json.RawMessage
	// legacy: the search is answered as before 1.50 (feature legacySearch).
	legacy bool
}

// ParseFilter parses the filter of a search and checks that its operators are
// enabled: the first check of all, before the index is looked up.
func (c *Cut) ParseFilter(raw json.RawMessage) (*query.Filter, error) {
	filter, fault := query.ParseRequestFilter(raw)
	if fault == nil {
		fault = filter.CheckGates(filterGates(c.search.features()))
	}
	if fault != nil {
		return nil, fault.API(api.CodeInvalidSearchFilter)
	}
	return filter, nil
}

// Plan checks one search, whose filter was parsed, and works out what the driver
// needs. The order of the checks is upstream's.
func (c *Cut) Plan(ctx context.Context, x *wire.Index, r *api.SearchRequest, filter *query.Filter) (*SearchPlan, error) {
	p := &SearchPlan{Index: x, Settings: x.DecodedSettings(), Request: r}
	if err := p.checkSyntax(); err != nil {
		return nil, err
	}
	if err := c.plan(ctx, p, filter); err != nil {
		return nil, err
	}
	return p, nil
}

// plan fills in a plan whose syntax was checked.
func (c *Cut) plan(ctx context.Context, p *SearchPlan, filter *query.Filter) error {
	if err := p.gateMedia(c.search.features()); err != nil {
		return err
	}
	if err := c.embedSemantic(ctx, p); err != nil {
		return err
	}
	return c.settle(p, filter)
}

// settle is the part of planning that looks at the settings of the index.
func (c *Cut) settle(p *SearchPlan, filter *query.Filter) error {
	switch {
	case filter != nil && p.written != nil:
		p.Drive.Filter = p.written
	case filter != nil:
		// Search routes evaluate the canonical text, and messages quote it.
		canonical, err := json.Marshal(filter.String())
		if err != nil {
			return err
		}
		p.Drive.Filter = canonical
		var fault *query.FilterError
		if filter, fault = query.ParseFilterText(filter.String()); fault != nil {
			return p.named(fault.API(api.CodeInvalidSearchFilter))
		}
	}
	p.filter = filter
	if err := p.checkAgainstSettings(filter); err != nil {
		return p.named(err)
	}
	c.fill(p)
	return nil
}

// writtenFilter returns the JSON of a filter for routes that evaluate what the client
// wrote: raw, unless conditions of the parsed filter were replaced.
func writtenFilter(raw json.RawMessage, parsed, resolved *query.Filter) (json.RawMessage, error) {
	if parsed == resolved {
		return raw, nil
	}
	return json.Marshal(resolved.String())
}

// checkSyntax makes the checks that come before foreign conditions of the filter
// are looked at: what the search is run as, and its sort criteria.
func (p *SearchPlan) checkSyntax() error {
	if err := p.checkKind(); err != nil {
		return err
	}
	var fault *query.FilterError
	if p.Sort, fault = query.ParseSort(p.Request.Sort); fault != nil {
		return fault.API(api.CodeInvalidSearchSort)
	}
	return nil
}

// named adds the name of the index to an error that is about it.
func (p *SearchPlan) named(err *api.Error) error {
	if p.bare {
		return err
	}
	return api.InIndex(p.Index.UID, err)
}

func filterGates(f api.Features) query.FilterGates {
	return query.FilterGates{ContainsFilter: f.ContainsFilter, ForeignKeys: f.ForeignKeys, Network: f.Network, Multimodal: f.Multimodal}
}

// checkAgainstSettings makes the checks whose errors name the index.
func (p *SearchPlan) checkAgainstSettings(filter *query.Filter) *api.Error {
	var err *api.Error
	d, r := &p.Drive, p.Request
	if d.Fields, d.Restricted, err = query.SearchOn(r.AttributesToSearchOn, p.Settings, p.Index.Fields); err != nil {
		return err
	}
	distinct := p.Settings.DistinctAttribute
	if r.Distinct != nil {
		if err := query.CheckDistinct(*r.Distinct, p.Settings); err != nil {
			return err
		}
		distinct = r.Distinct
	}
	if distinct != nil {
		d.Distinct, d.HasDistinct = fieldID(p.Index, *distinct)
	}
	if fault := filter.CheckFilterable(p.Settings); fault != nil {
		return fault.API(api.CodeInvalidSearchFilter)
	}
	if fault := query.CheckSearchSort(p.Sort, p.Settings); fault != nil {
		return fault.API(api.CodeInvalidSearchSort)
	}
	return nil
}

// fieldID returns the id of a field of an index.
func fieldID(x *wire.Index, name string) (uint16, bool) {
	for i, f := range x.Fields {
		if f == name {
			return uint16(i), true
		}
	}
	return 0, false
}

// sortRules are the criteria of a request as ranking rules.
func sortRules(sort []query.SortBy) []query.Rule {
	rules := make([]query.Rule, len(sort))
	for i, by := range sort {
		if by.Geo {
			rules[i] = query.Rule{Kind: query.Geo, Desc: by.Desc, Lat: by.Point.Lat, Lng: by.Point.Lng}
		} else {
			rules[i] = query.Rule{Kind: query.Sort, Desc: by.Desc, Field: by.Field}
		}
	}
	return rules
}

// fill works out the rules, the terms and the window.
func (c *Cut) fill(p *SearchPlan) {
	d, r := &p.Drive, p.Request
	// The decoder accepts the names of strategies only.
	d.Strategy, _ = query.ParseStrategy(string(r.MatchingStrategy))
	sort := sortRules(p.Sort)
	d.Rules = query.NewRules(p.Settings, query.Keyword, d.Strategy, sort, query.Rule{})
	d.Placeholder = query.NewRules(p.Settings, query.Placeholder, d.Strategy, sort, query.Rule{})
	d.MaxWeight = query.MaxWeight(p.Settings)
	d.ByAttribute = p.Settings.ProximityPrecision == "byAttribute"
	if hasText(r.Q) {
		locales := query.QueryLocales(r.Locales, p.Settings, p.Index.Fields, d.Fields, d.Restricted)
		d.Keywords = c.search.lexis(p.Index).Parse(*r.Q, locales)
	}
	d.Threshold = r.RankingScoreThreshold
	_, to := r.Window()
	d.MaxTotalHits = p.Settings.MaxTotalHits
	d.Length = int(min(to, uint64(d.MaxTotalHits)))
	d.Exhaustive = r.PageMode()
	cutoff := defaultCutoff
	if ms := p.Settings.SearchCutoffMs; ms != nil {
		cutoff = time.Duration(min(*ms, 1<<40)) * time.Millisecond
	}
	d.Deadline, p.cutoff = time.Now().Add(cutoff), cutoff
	p.fillSemantic(sort)
}

// hasText tells whether a query text is there and not blank.
func hasText(q *string) bool { return q != nil && strings.TrimSpace(*q) != "" }
