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
	embSearchEmbedder:    {allowed: []string{"composite"}, mandatory: []string{"composite"}},
	embIndexingEmbedder:  {allowed: []string{"composite"}, mandatory: []string{"composite"}},
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

// nestedFields are the two definitions of a composite embedder, neverNested the members that
// neither of them may have, and nestedOrder is the order of all members in both.
var (
	nestedFields = []embedderField{embSearchEmbedder, embIndexingEmbedder}
	neverNested  = []embedderField{embDistribution, embBinaryQuantized, embSearchEmbedder, embIndexingEmbedder}
	nestedOrder  = append(slices.Clone(embedderTellOrder[:slices.Index(embedderTellOrder, embSearchEmbedder)]), neverNested...)
)

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

// path names a definition of the embedder in messages.
func (n nesting) path(embedder string) string {
	return embedder + [...]string{"", ".searchEmbedder", ".indexingEmbedder"}[n]
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

// checkUses checks which members are given for the source, even as null. A missing member is
// reported for the embedder as a whole.
func (e *EmbedderPatch) checkUses(name, source string, n nesting) *apierr.Error {
	for _, f := range embedderCheckOrder {
		use := &embedderUses[f]
		if !use.fits(source, n) {
			if e.fields[f].Given() {
				return embedderError(n.path(name), unavailable(f, source, n))
			}
			continue
		}
		if slices.Contains(use.mandatory, source) && !e.fields[f].IsSet() {
			return embedderError(name, "Missing field `"+embedderFieldNames[f]+"` (note: this field is mandatory for source `"+source+"`)")
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
		if use.fits(s, n) {
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

// checkNested checks the two nested definitions of a composite embedder.
func (e *EmbedderPatch) checkNested(name string, t Templates) *apierr.Error {
	if err := e.checkNestedAt(name, embSearchEmbedder, nestedSearch, t); err != nil {
		return err
	}
	return e.checkNestedAt(name, embIndexingEmbedder, nestedIndexing, t)
}

func (e *EmbedderPatch) checkNestedAt(name string, f embedderField, n nesting, t Templates) *apierr.Error {
	v := e.value(f)
	if v == nil {
		return nil
	}
	var nested EmbedderPatch
	if err := nestedObject.Decode(decode.BodyRoot(codeEmbedders), v, &nested); err != nil {
		return err
	}
	if n == nestedIndexing {
		if err := nested.checkPrompt(name, t); err != nil {
			return err
		}
	}
	source := nested.text(embSource)
	if source == "" {
		return embedderError(n.path(name), "Missing field `source`.\n  - note: this field is mandatory for nested embedders")
	}
	for _, inner := range nestedFields {
		if v := nested.value(inner); v != nil {
			if err := nestedObject.Decode(decode.BodyRoot(codeEmbedders), v, &EmbedderPatch{}); err != nil {
				return embedderError(n.path(name), err.Message+"\n  - note: nesting embedders in `"+embedderFieldNames[f]+"` is not allowed")
			}
		}
	}
	if source == "userProvided" || source == "composite" {
		return embedderError(n.path(name)+".source", "Source `"+source+"` is not available in a nested embedder")
	}
	return nested.checkUses(name, source, n)
}

// checkNestedTemplates checks request, fragments and response of a nested definition. They are no
// error of a change by itself.
func (e *EmbedderPatch) checkNestedTemplates(f embedderField, t Templates) *apierr.Error {
	v := e.value(f)
	if v == nil {
		return nil
	}
	var nested EmbedderPatch
	if err := nestedObject.Decode(decode.BodyRoot(codeEmbedders), v, &nested); err != nil {
		return err
	}
	return nested.checkTemplates(t, true)
}
