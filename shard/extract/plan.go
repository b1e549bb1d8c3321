package extract

import (
	"slices"
	"strings"
	"unicode"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query"
	"shoal/query/filter"
	"shoal/text"
	"shoal/text/dictionary"
	"shoal/text/language"
)

// Names of the reserved members (spec write-api 8).
const (
	Geo     = "_geo"
	GeoJSON = "_geojson"
	Vectors = "_vectors"
	geoLat  = "_geo.lat"
	geoLng  = "_geo.lng"
)

// Plan is what extraction needs to know about an index: its fields and their treatment
// under the settings. Immutable; safe for concurrent use.
type Plan struct {
	settings *settings.Settings
	byName   map[string]*field
	byID     []*field
	plain    *text.Tokenizer
	// exactNumbers: typoTolerance.disableOnNumbers.
	exactNumbers bool
	geo, geoJSON bool
	lat, lng     *field
	// Matchers of the settings for field names.
	faceting *filter.Faceting
	weights  query.Weights
	exact    *filter.Names
	infix    *filter.Names
	// embedders by name, embedderNames sorted.
	embedders     map[string]*Embedder
	embedderNames []string
	// filterable has the rules; objects tells that some have elements of arrays indexed.
	filterable *filter.Filterable
	objects    bool
}

type field struct {
	id   uint16
	name string
	json []byte // the name as a JSON string
	// searchable, exact: spec ranking 1.9, 2.
	searchable, exact bool
	// infix: its words are indexed in a second form, too (query.AppendInfixForm).
	infix bool
	facet filter.PatternMatch
	// sameObject: its values are indexed by the objects of arrays, too.
	sameObject bool
	// tokenizer segments the field's strings (localizedAttributes). Numbers and
	// booleans use the plain one.
	tokenizer *text.Tokenizer
	reserved  bool // _geo, _geojson, _vectors and names below them
}

// NewPlan compiles the plan of settings and the fields in field-id order. dictionaries
// segment its texts. An error means that stored settings do not decode.
func NewPlan(s *settings.Settings, fields []string, dictionaries dictionary.Set) (*Plan, error) {
	configured, err := embedders(s)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		embedders: configured, embedderNames: sortedNames(s.Embedders),
		settings:     s,
		faceting:     filter.NewFaceting(s),
		weights:      query.NewWeights(s),
		exact:        filter.NewNames(s.TypoTolerance.DisableOnAttributes),
		infix:        filter.NewNames(s.TypoTolerance.InfixOnAttributes),
		byName:       make(map[string]*field, len(fields)),
		exactNumbers: s.TypoTolerance.DisableOnNumbers,
		geoJSON:      filter.GeoJSONFilterable(s),
		geo:          filter.ByPlace(s),
	}
	p.rules()
	options := TokenizerOptions(s)
	options.Dictionaries = dictionaries
	p.plain = text.New(options)
	byRule := make([]*text.Tokenizer, len(s.LocalizedAttributes))
	for i, rule := range s.LocalizedAttributes {
		o := options
		o.Locales = language.ParseLanguages(rule.Locales)
		byRule[i] = text.New(o)
	}
	p.byID = make([]*field, 0, len(fields))
	for _, name := range fields {
		p.add(name, byRule)
	}
	p.lat, p.lng = p.byName[geoLat], p.byName[geoLng]
	return p, nil
}

// NewElementPlan compiles the plan of an Extractor of which nothing but Load and Elements
// is used.
func NewElementPlan(s *settings.Settings, fields []string) *Plan {
	p := &Plan{settings: s, faceting: filter.NewFaceting(s), byName: make(map[string]*field, len(fields))}
	p.rules()
	for i, name := range fields {
		f := &field{id: uint16(i), name: name, facet: p.faceting.Match(name), reserved: reserved(name)}
		f.sameObject = p.hasElements(name)
		p.byName[name], p.byID = f, append(p.byID, f)
	}
	return p
}

// rules compiles the rules of filterableAttributes.
func (p *Plan) rules() {
	p.filterable = filter.NewFilterable(p.settings)
	p.objects = p.settings.BySameObject()
}

// hasElements tells whether filters may name a field in braces.
func (p *Plan) hasElements(name string) bool {
	if !p.objects {
		return false
	}
	rule, _ := p.filterable.Rule(name)
	return rule != nil && rule.SameObject
}

func reserved(name string) bool {
	return filter.Below(name, Geo) || filter.Below(name, GeoJSON) || filter.Below(name, Vectors)
}

// TokenizerOptions returns the options that tokenize documents of an index, without
// locales and dictionaries.
func TokenizerOptions(s *settings.Settings) text.Options {
	o := text.Options{Separators: s.SeparatorTokens, NonSeparators: s.NonSeparatorTokens, Dictionary: s.Dictionary}
	for _, w := range s.StopWords {
		o.StopWords = append(o.StopWords, text.StopWordForm(w))
	}
	return o
}

func (p *Plan) add(name string, byRule []*text.Tokenizer) {
	s := p.settings
	f := &field{
		id:        uint16(len(p.byID)),
		name:      name,
		json:      jsonvalue.AppendString(nil, name),
		facet:     p.faceting.Match(name),
		tokenizer: p.plain,
		reserved:  reserved(name),
	}
	f.sameObject = p.hasElements(name)
	f.searchable = p.weights.Searches(name)
	f.exact, f.infix = p.exact.Covers(name), p.infix.Covers(name)
	for i := range s.LocalizedAttributes {
		matches := func(pattern string) bool { return filter.MatchPattern(pattern, name) == filter.PatternWhole }
		if slices.ContainsFunc(s.LocalizedAttributes[i].AttributePatterns, matches) {
			f.tokenizer = byRule[i]
			break
		}
	}
	p.byName[name] = f
	p.byID = append(p.byID, f)
}

// isExact reports whether an occurrence of word in f is exact (spec ranking 2).
func (p *Plan) isExact(f *field, word string) bool {
	return f.exact || p.exactNumbers && numeric(word)
}

func numeric(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsNumber(r) && (r >= 0x80 || !unicode.IsPunct(r) && !strings.ContainsRune("$+<=>^`|~", r))
	}) < 0
}

// Of reports whether the plan was compiled for these fields, in field-id order.
func (p *Plan) Of(fields []string) bool {
	return slices.EqualFunc(p.byID, fields, func(f *field, name string) bool { return f.name == name })
}

// Fields returns the number of fields of the plan.
func (p *Plan) Fields() int { return len(p.byID) }

// Settings returns the settings of the plan. Do not modify them.
func (p *Plan) Settings() *settings.Settings { return p.settings }
