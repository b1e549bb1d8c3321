package settings

import (
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
)

// embedderSources are the sources in the order of messages.
var embedderSources = [...]string{"openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"}

// fieldUse says for which sources a member is allowed or mandatory (spec write-api 13.2).
type fieldUse struct {
	allowed   []string // sources; nil: all
	mandatory []string
	// notSearch and notIndexing forbid the member inside that nested embedder.
	notSearch, notIndexing bool
}

var templateSources = []string{"openAi", "huggingFace", "ollama", "rest"}

var embedderUses = [embFields]fieldUse{
	embModel:             {allowed: []string{"openAi", "huggingFace", "ollama"}, mandatory: []string{"ollama"}},
	embRevision:          {allowed: []string{"huggingFace"}},
	embPooling:           {allowed: []string{"huggingFace"}},
	embAPIKey:            {allowed: []string{"openAi", "ollama", "rest"}},
	embDimensions:        {allowed: []string{"openAi", "ollama", "userProvided", "rest"}, mandatory: []string{"userProvided"}},
	embBinaryQuantized:   {notSearch: true, notIndexing: true},
	embTemplate:          {allowed: templateSources, notSearch: true},
	embTemplateMaxBytes:  {allowed: templateSources, notSearch: true},
	embURL:               {allowed: []string{"openAi", "ollama", "rest"}, mandatory: []string{"rest"}},
	embIndexingFragments: {allowed: []string{"rest"}, notSearch: true},
	embSearchFragments:   {allowed: []string{"rest"}, notIndexing: true},
	embRequest:           {allowed: []string{"rest"}, mandatory: []string{"rest"}},
	embResponse:          {allowed: []string{"rest"}, mandatory: []string{"rest"}},
	embHeaders:           {allowed: []string{"rest"}},
	embSearchEmbedder:    {allowed: []string{"composite"}, mandatory: []string{"composite"}, notSearch: true, notIndexing: true},
	embIndexingEmbedder:  {allowed: []string{"composite"}, mandatory: []string{"composite"}, notSearch: true, notIndexing: true},
	embDistribution:      {notSearch: true, notIndexing: true},
}

// embedderCheckOrder is the order in which members are checked.
var embedderCheckOrder = []embedderField{
	embModel, embRevision, embPooling, embDimensions, embAPIKey, embURL, embIndexingFragments, embSearchFragments, embRequest,
	embResponse, embTemplate, embTemplateMaxBytes, embHeaders, embSearchEmbedder, embIndexingEmbedder, embBinaryQuantized,
	embDistribution,
}

// embedderTellOrder is the order in which messages list the members of a source.
var embedderTellOrder = []embedderField{
	embSource, embModel, embRevision, embPooling, embAPIKey, embDimensions, embTemplate, embTemplateMaxBytes, embURL, embIndexingFragments,
	embSearchFragments, embRequest, embResponse, embHeaders, embSearchEmbedder, embIndexingEmbedder, embDistribution, embBinaryQuantized,
}

// nesting is the position of a definition.
type nesting uint8

const (
	notNested nesting = iota
	nestedSearch
	nestedIndexing
)

// words names the nesting in messages.
func (n nesting) words() string {
	return [...]string{"", " for the search embedder", " for the indexing embedder"}[n]
}

func (u *fieldUse) fits(source string, n nesting) bool {
	if n == nestedSearch && u.notSearch || n == nestedIndexing && u.notIndexing {
		return false
	}
	return u.allowed == nil || slices.Contains(u.allowed, source)
}

func embedderError(path, text string) *apierr.Error {
	return apierr.New(codeEmbedders, "`.embedders."+path+"`: "+text)
}

// checkUses checks which members are given for the source. path names the embedder ("a",
// "a.searchEmbedder").
func (e *EmbedderPatch) checkUses(path, source string, n nesting) *apierr.Error {
	for _, f := range embedderCheckOrder {
		use := &embedderUses[f]
		if !use.fits(source, n) {
			if e.fields[f].Given() {
				return embedderError(path, unavailable(f, source, n))
			}
			continue
		}
		if slices.Contains(use.mandatory, source) && !e.fields[f].IsSet() {
			return embedderError(path, "Missing field `"+embedderFieldNames[f]+"` (note: this field is mandatory for source `"+source+"`)")
		}
	}
	return nil
}

// unavailable is the text about a forbidden member, with the alternatives.
func unavailable(f embedderField, source string, n nesting) string {
	name, use := embedderFieldNames[f], &embedderUses[f]
	var b strings.Builder
	b.WriteString("Field `" + name + "` unavailable for source `" + source + "`" + n.words() + ".")
	var sources []string
	for _, s := range embedderSources {
		if (n == notNested || nestable(s)) && use.fits(s, n) {
			sources = append(sources, s)
		}
	}
	if len(sources) > 0 {
		b.WriteString("\n  - note: `" + name + "` is available for sources: " + apierr.QuotedList(sources))
	}
	var available []string
	for _, other := range embedderTellOrder {
		if embedderUses[other].fits(source, n) {
			available = append(available, embedderFieldNames[other])
		}
	}
	b.WriteString("\n  - note: available fields for source `" + source + "`" + n.words() + ": " + apierr.QuotedList(available))
	if n != notNested && use.fits(source, notNested) {
		b.WriteString("\n  - note: `" + name + "` is available when source `" + source + "` is not" + n.words())
	}
	return b.String()
}

// nestable tells whether a nested embedder may have the source.
func nestable(source string) bool { return source != "userProvided" && source != "composite" }

// checkNested checks the two nested definitions of a composite embedder.
func (e *EmbedderPatch) checkNested(name string) *apierr.Error {
	if err := e.checkNestedAt(name, embSearchEmbedder, nestedSearch); err != nil {
		return err
	}
	return e.checkNestedAt(name, embIndexingEmbedder, nestedIndexing)
}

func (e *EmbedderPatch) checkNestedAt(name string, f embedderField, n nesting) *apierr.Error {
	v := e.value(f)
	if v == nil {
		return nil
	}
	path := name + "." + embedderFieldNames[f]
	nested, err := decodeEmbedder(decode.BodyRoot(codeEmbedders), v)
	if err != nil {
		return err
	}
	source := nested.text(embSource)
	if source == "" {
		return embedderError(path, "Missing field `source`.\n  - note: this field is mandatory for nested embedders")
	}
	if !nestable(source) {
		return embedderError(path+".source", "Source `"+source+"` is not available in a nested embedder")
	}
	return nested.checkUses(path, source, n)
}
