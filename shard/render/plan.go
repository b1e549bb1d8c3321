package render

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/query/projection"
	"shoal/text"
	"shoal/text/dictionary"
	"shoal/text/language"
	"shoal/wire"
)

// Plan is what rendering needs to know about an index. Immutable; safe for concurrent
// use.
type Plan struct {
	settings *settings.Settings
	fields   []string
	ids      map[string]int // field id by name
	// displayed are the known displayed fields, by id; shown is the same as a set. A
	// name displays the whole field, but not the names of the fields below it.
	displayed []string
	shown     map[string]struct{}
	// around are the displayed fields as names, and members what they select of a
	// document, if not all fields are displayed.
	around  *filter.Names
	members projection.Selectors
	// plain tokenizes texts as the index does, without stop words. rules are the same
	// with the locales of each rule of localizedAttributes.
	plain *text.Tokenizer
	rules []*text.Tokenizer
}

// NewPlan compiles the plan of settings and the fields in field-id order. dictionaries
// segment the index's texts.
func NewPlan(s *settings.Settings, fields []string, dictionaries dictionary.Set) *Plan {
	p := &Plan{settings: s, fields: fields, ids: make(map[string]int, len(fields)), shown: make(map[string]struct{}, len(fields))}
	attributes := projection.NewSelectors(s.DisplayedAttributes)
	everything := s.DisplayedAttributes == nil || attributes.Has("*")
	for i, f := range fields {
		p.ids[f] = i
		if everything || attributes.Has(f) {
			p.displayed = append(p.displayed, f)
			p.shown[f] = struct{}{}
		}
	}
	if len(p.displayed) < len(fields) {
		p.around, p.members = filter.NewNames(p.displayed), projection.NewSelectors(p.displayed)
	}
	p.plain = text.New(text.Options{
		Separators: s.SeparatorTokens, NonSeparators: s.NonSeparatorTokens, Dictionary: s.Dictionary, Dictionaries: dictionaries,
	})
	for _, rule := range s.LocalizedAttributes {
		p.rules = append(p.rules, p.plain.WithLocales(language.ParseLanguages(rule.Locales)))
	}
	return p
}

// tokenizer returns the tokenizer of a field's texts: by the locales of the request, or
// else of the first matching rule.
func (v *view) tokenizer(path string) *text.Tokenizer {
	if v.requested != nil {
		return v.requested
	}
	for i, rule := range v.plan.settings.LocalizedAttributes {
		for _, pattern := range rule.AttributePatterns {
			if filter.MatchPattern(pattern, path) == filter.PatternWhole {
				return v.plan.rules[i]
			}
		}
	}
	return v.plan.plain
}

// view is a plan applied to the options of one request.
type view struct {
	plan      *Plan
	options   *wire.RenderOptions
	matcher   *matcher
	style     style
	requested *text.Tokenizer // by the locales of the request; nil without

	retrieve *projection.Selection // nil: everything
	extra    *projection.Selection // what is returned beside it; nothing unless HasExtra
	vectors  Vectors
	// formatted are the names in `_formatted`, empty without it. changing are those
	// whose texts may change.
	formatted projection.Selectors
	changing  changes
}

func (p *Plan) view(step *wire.FetchStep) *view {
	o := &step.Options
	v := &view{plan: p, options: o, matcher: newMatcher(&step.Match), style: style{o.PreTag, o.PostTag, o.CropMarker}}
	if o.HasLocales {
		v.requested = p.plain.WithLocales(language.ParseLanguages(o.Locales))
	}
	retrieved := p.displayed
	if o.HasRetrieve && !slices.Contains(o.Retrieve, "*") {
		listed := projection.NewSelectors(o.Retrieve)
		retrieved = slices.DeleteFunc(slices.Clone(p.displayed), func(f string) bool { return !listed.Has(f) })
	}
	if len(retrieved) < len(p.fields) {
		v.retrieve = projection.Of(retrieved, p.fields)
	}
	if o.HasExtra {
		v.extra = projection.Of(slices.DeleteFunc(slices.Clone(o.Extra), func(f string) bool {
			_, known := p.ids[f]
			return !known || slices.Contains(retrieved, f)
		}), p.fields)
	}
	if o.RetrieveVectors && p.showsVectors() {
		v.vectors = AllVectors
	}
	v.format(retrieved)
	return v
}

// showsVectors reports whether `_vectors` may be retrieved. With explicit displayed
// attributes the test is the reference's: once the index knows the field, it is shown
// if it is not listed (spec ranking 10.1).
func (p *Plan) showsVectors() bool {
	if p.settings.DisplayedAttributes == nil {
		return true
	}
	_, known := p.ids[vectorsField]
	return slices.Contains(p.settings.DisplayedAttributes, vectorsField) != known
}

// format determines which fields are formatted and how. Without a valid name to
// highlight or crop there is no formatted copy.
func (v *view) format(retrieved []string) {
	chosen := map[string]options{}
	for _, name := range v.options.Highlight {
		for _, f := range v.named(name) {
			o := chosen[f]
			o.highlight = true
			chosen[f] = o
		}
	}
	for _, item := range v.options.Crop {
		name, length := v.cropItem(item)
		for _, f := range v.named(name) {
			o := chosen[f]
			o.crop, o.hasCrop = length, true
			chosen[f] = o
		}
	}
	if len(chosen) == 0 {
		return
	}
	v.changing = newChanges(chosen, v.plan.ids)
	for _, f := range retrieved {
		if _, ok := chosen[f]; !ok {
			chosen[f] = options{}
		}
	}
	v.formatted = projection.NewSelectors(slices.Collect(maps.Keys(chosen)))
}

// named returns the displayed fields that an attribute stands for.
func (v *view) named(attribute string) []string {
	if attribute == "*" {
		return v.plan.displayed
	}
	if _, ok := v.plan.shown[attribute]; ok {
		return []string{attribute}
	}
	return nil
}

// cropItem splits `name:length`. If length is not a number, the request's length
// applies.
func (v *view) cropItem(item string) (name string, length int) {
	const most = 1 << 30 // more words than any text has
	length = int(min(v.options.CropLength, most))
	i := strings.LastIndexByte(item, ':')
	if i < 0 {
		return item, length
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(item[i+1:], "+"), 10, 64); err == nil {
		length = int(min(n, most))
	}
	return item[:i], length
}
