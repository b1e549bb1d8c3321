package search

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// DefaultCutoff bounds a search on an index without searchCutoffMs.
const DefaultCutoff = 1500 * time.Millisecond

// Plan is one search that passed every check that needs no shard (spec search-api 3.9).
// Immutable.
type Plan struct {
	Index    *wire.Index
	Settings *settings.Settings
	Request  *api.SearchRequest
	// Kind is what the search ranks by.
	Kind rule.QueryKind
	// Drive is the plan of the driver, for hits from the first one to the end of the window.
	Drive driver.Plan
	// Sort holds the parsed criteria.
	Sort []filter.SortBy
	// badSort is the error of the sort criteria. Rank returns it unless the filter fails first:
	// the reference evaluates the filter before the criteria.
	badSort *apierr.Error

	// semantic is the vector side, nil for none; cutoff bounds ranking.
	semantic *semantic
	cutoff   time.Duration
	// bare: errors do not name the index.
	bare bool
	// unpinned: dynamic search rules do not apply. filter is the filter that their conditions
	// see.
	unpinned bool
	filter   *filter.Filter
	// pins and scaling are the effects of the rules on the search. scaledBy are the uids of the
	// rules, one for each set of scaling.
	pins     []driver.Pin
	scaling  *wire.Scaling
	scaledBy []string
	// InlineRule tells which conditions of the request's rule hold, as JSON; nil without such a
	// rule. Rank sets it.
	InlineRule []byte
	// written is the filter as the client wrote it, for routes whose messages quote that; nil
	// for routes that quote the canonical text.
	written json.RawMessage
	// legacy: the search is answered as before 1.50 (feature legacySearch).
	legacy bool
}

// ParseFilter parses the filter of a search and checks that its operators are enabled. It is
// the first check, before the index is looked up.
func (c *Attempt) ParseFilter(raw json.RawMessage) (*filter.Filter, error) {
	parsed, fault := filter.ParseRequestFilter(raw)
	if fault == nil {
		fault = parsed.CheckGates(filter.GatesOf(c.Search.features()))
	}
	if fault != nil {
		return nil, fault.API(apierr.CodeInvalidSearchFilter)
	}
	return parsed, nil
}

// Plan checks one search, whose filter was parsed, and computes the plan of the driver. The
// checks have the order of the reference.
func (c *Attempt) Plan(ctx context.Context, x *wire.Index, r *api.SearchRequest, filter *filter.Filter) (*Plan, error) {
	p := &Plan{Index: x, Settings: SettingsOf(x, r), Request: r}
	if err := p.checkSyntax(); err != nil {
		return nil, err
	}
	if err := c.plan(ctx, p, filter); err != nil {
		return nil, err
	}
	return p, nil
}

// plan fills in a plan whose syntax was checked.
func (c *Attempt) plan(ctx context.Context, p *Plan, filter *filter.Filter) error {
	if err := p.gateMedia(c.Search.features()); err != nil {
		return err
	}
	if err := c.embedSemantic(ctx, p); err != nil {
		return err
	}
	return c.applySettings(p, filter)
}

// applySettings completes the plan with the settings of the index.
func (c *Attempt) applySettings(p *Plan, parsed *filter.Filter) error {
	switch {
	case parsed != nil && p.written != nil:
		p.Drive.Filter = p.written
	case parsed != nil:
		// Search routes evaluate the canonical text, and messages quote it.
		canonical, err := json.Marshal(parsed.String())
		if err != nil {
			return err
		}
		p.Drive.Filter = canonical
		var fault *filter.FilterError
		if parsed, fault = filter.ParseFilterText(parsed.String()); fault != nil {
			return p.named(fault.API(apierr.CodeInvalidSearchFilter))
		}
	}
	p.filter = parsed
	if err := p.checkAgainstSettings(parsed); err != nil {
		return p.named(err)
	}
	if slices.ContainsFunc(p.Sort, func(by filter.SortBy) bool { return by.Random }) && c.Catalog.Spoken() < wire.RandomSince {
		return apierr.New(apierr.CodeInvalidSearchSort, apierr.SortTextRandomOlder)
	}
	c.fill(p)
	return nil
}

// writtenFilter returns the JSON of a filter for routes that evaluate the client's text: raw,
// unless conditions of the filter were replaced.
func writtenFilter(raw json.RawMessage, parsed, resolved *filter.Filter) (json.RawMessage, error) {
	if parsed == resolved {
		return raw, nil
	}
	return json.Marshal(resolved.String())
}

// checkSyntax checks what precedes the settings of the index: the kind of the search, and its
// sort criteria.
func (p *Plan) checkSyntax() error {
	if err := p.CheckKind(); err != nil {
		return err
	}
	var fault *filter.FilterError
	if p.Sort, fault = filter.ParseSort(p.Request.Sort); fault != nil {
		return fault.API(apierr.CodeInvalidSearchSort)
	}
	return nil
}

// named adds the name of the index to an error.
func (p *Plan) named(err *apierr.Error) error {
	if p.bare {
		return err
	}
	return apierr.InIndex(p.Index.UID, err)
}

// checkAgainstSettings makes the checks whose errors name the index.
func (p *Plan) checkAgainstSettings(parsed *filter.Filter) *apierr.Error {
	var err *apierr.Error
	d, r := &p.Drive, p.Request
	if d.Fields, d.Restricted, err = query.SearchOn(r.AttributesToSearchOn, p.Settings, p.Index.Fields); err != nil {
		return err
	}
	if r.Distinct != nil {
		if err := filter.CheckDistinct(*r.Distinct, p.Settings); err != nil {
			return err
		}
	}
	if distinct := p.distinct(); distinct != nil {
		d.Distinct, d.HasDistinct = p.Index.FieldID(*distinct)
	}
	if err := p.checkGroups(); err != nil {
		return err
	}
	if fault := parsed.CheckFilterable(p.Settings); fault != nil {
		return fault.API(apierr.CodeInvalidSearchFilter)
	}
	if fault := filter.CheckRankingRules(r.RankingRules, p.Settings); fault != nil {
		return fault.API(apierr.CodeInvalidSearchRankingRules)
	}
	if fault := filter.CheckSearchSort(p.Sort, p.Settings); fault != nil {
		p.badSort = fault.API(apierr.CodeInvalidSearchSort)
		if parsed == nil {
			return p.badSort
		}
	}
	return nil
}

// SettingsOf returns the settings of an index, with the request's ranking rules if it has any.
// They are shared and must not be modified.
func SettingsOf(x *wire.Index, r *api.SearchRequest) *settings.Settings {
	s := x.DecodedSettings()
	if r.RankingRules == nil {
		return s
	}
	own := *s
	own.RankingRules = r.RankingRules
	return &own
}

// SortRules returns the sort criteria of a request as ranking rules. The same seed gives each
// index another random order.
func SortRules(sort []filter.SortBy, uid string) []rule.Rule {
	rules := make([]rule.Rule, len(sort))
	for i, by := range sort {
		switch {
		case by.Geo:
			rules[i] = rule.Rule{Kind: rule.Geo, Desc: by.Desc, Lat: by.Point.Lat, Lng: by.Point.Lng}
		case by.Random:
			rules[i] = rule.Rule{Kind: rule.Random, Field: by.Field, Key: xxhash.Sum64String(uid) + uint64(by.Seed)}
		default:
			rules[i] = rule.Rule{Kind: rule.Sort, Desc: by.Desc, Field: by.Field}
		}
	}
	return rules
}

// fill computes the rules, the terms and the window.
func (c *Attempt) fill(p *Plan) {
	d, r := &p.Drive, p.Request
	// The decoder accepts only names of strategies.
	d.Strategy, _ = rule.ParseStrategy(string(r.MatchingStrategy))
	sort := SortRules(p.Sort, p.Index.UID)
	d.Rules = rule.NewRules(p.Settings, rule.Keyword, d.Strategy, sort, rule.Rule{})
	d.Placeholder = rule.NewRules(p.Settings, rule.Placeholder, d.Strategy, sort, rule.Rule{})
	d.MaxWeight = query.MaxWeight(p.Settings)
	d.Infix = p.Settings.ByInfix()
	d.ByAttribute = p.Settings.ProximityPrecision == "byAttribute"
	if HasText(r.Q) {
		locales := query.QueryLocales(r.Locales, p.Settings, p.Index.Fields, d.Fields, d.Restricted)
		d.Keywords = c.Search.lexis(p.Index).Parse(*r.Q, locales)
	}
	d.Threshold = r.RankingScoreThreshold
	_, to := r.Window()
	d.MaxTotalHits = p.Settings.MaxTotalHits
	d.Length = int(min(to, uint64(d.MaxTotalHits)))
	d.Exhaustive = r.PageMode()
	cutoff := DefaultCutoff
	if ms := p.Settings.SearchCutoffMs; ms != nil {
		cutoff = time.Duration(min(*ms, 1<<40)) * time.Millisecond
	}
	p.cutoff = cutoff
	p.giveTime(c)
	p.fillSemantic(sort)
}

// giveTime starts the time of the search, minus what earlier attempts lost.
func (p *Plan) giveTime(c *Attempt) {
	p.cutoff = max(0, p.cutoff-c.lost.of(p.Request))
	p.Drive.Deadline = time.Now().Add(p.cutoff)
}

// HasText tells whether a query text is present and not blank.
func HasText(q *string) bool { return q != nil && strings.TrimSpace(*q) != "" }
