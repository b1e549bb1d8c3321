package settings

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

const maxEmbedders = 256

// Defaults of sources (spec write-api 13.5).
const (
	defaultOpenAIModel         = "text-embedding-3-small"
	defaultHuggingFaceModel    = "BAAI/bge-base-en-v1.5"
	defaultHuggingFaceRevision = "617ca489d9e86b49b8167676d8220688b99db36e"
)

// codeEmbedders is also the code of inconsistent definitions.
var codeEmbedders = apierr.Declare("invalid_settings_embedders")

// embedders define how texts become vectors, by name.
var embedders = row[[]decode.Entry[*EmbedderPatch]]{
	Name: "embedders", Path: "embedders", Verb: "PATCH", Code: codeEmbedders,
	decode: embedderMap,
	write:  writeEmbedders,
	show:   showEmbedders,
	clear:  clearEmbedders,
	parts:  checkEmbedderFeatures,
	check:  checkEmbedders,
	apply:  applyEmbedders,
	merge:  mergeEmbedderLists,
	effect: func(old, new *Settings) rewrites {
		return rewrites{vector: vectorsChange(old.Embedders, new.Embedders, SearchesOthers(old, new))}
	},
}.setting()

// applyEmbedders lays the patch over the stored definitions. Unmentioned names stay, null
// removes, an object is merged field by field. Then the definition must fit its source.
// Errors are those of the task.
func applyEmbedders(s *Settings, f decode.Field[[]decode.Entry[*EmbedderPatch]], env *Env) *apierr.Error {
	next := make(map[string]json.RawMessage, len(s.Embedders))
	if f.IsSet() {
		for name, raw := range s.Embedders {
			next[name] = raw
		}
	}
	for _, e := range f.Or(nil) {
		if e.Value == nil {
			delete(next, e.Name)
			continue
		}
		merged, err := mergeEmbedder(e.Name, next[e.Name], e.Value, env.Templates)
		if err != nil {
			return err
		}
		v := merged.asValue()
		next[e.Name] = v.AppendJSON(nil)
	}
	if len(next) > maxEmbedders {
		return apierr.New(codeEmbedders, "Too many embedders in the configuration. Found "+strconv.Itoa(len(next))+", but limited to 256.")
	}
	if len(next) == 0 {
		next = nil
	}
	s.Embedders = next
	return nil
}

// mergeEmbedderLists joins two changes. For each embedder the later one wins.
func mergeEmbedderLists(earlier, later []decode.Entry[*EmbedderPatch]) []decode.Entry[*EmbedderPatch] {
	all := append([]decode.Entry[*EmbedderPatch](nil), later...)
	for _, e := range earlier {
		if !slices.ContainsFunc(all, func(x decode.Entry[*EmbedderPatch]) bool { return x.Name == e.Name }) {
			all = append(all, e)
		}
	}
	return decode.SortEntries(all)
}

func clearEmbedders(dst []byte, s *Settings) []byte {
	return decode.WriteMap(dst, decode.EntriesOf(s.Embedders), func(dst []byte, raw json.RawMessage) []byte { return append(dst, raw...) })
}

// mergeEmbedder lays change over the stored definition raw (nil for a new one).
func mergeEmbedder(name string, raw json.RawMessage, change *EmbedderPatch, t Templates) (*EmbedderPatch, *apierr.Error) {
	merged := *change
	source := merged.text(embSource)
	if raw != nil {
		stored, err := storedEmbedder(raw)
		if err != nil {
			return nil, apierr.New(apierr.CodeInternal, "internal: "+err.Error()+".")
		}
		if v := stored.value(embBinaryQuantized); v != nil && v.Bool() && change.fields[embBinaryQuantized].Given() {
			if v := change.value(embBinaryQuantized); v == nil || !v.Bool() {
				return nil, embedderError(name+".binaryQuantized", "Cannot disable the binary quantization.\n - Note: Binary quantization is a lossy operation that cannot be reverted.\n - Hint: Add a new embedder that is non-quantized and regenerate the vectors.")
			}
		}
		if !change.fields[embSource].Given() {
			source = stored.text(embSource)
		}
		merged = *stored
	}
	source = cmp.Or(source, "openAi")
	if raw != nil {
		merged.become(source, change, notNested)
	}
	merged.fields[embSource] = decode.Set(jsonvalue.StringValue(source))
	if raw == nil && source == "openAi" && merged.value(embModel) == nil {
		merged.fields[embModel] = decode.Set(jsonvalue.StringValue(defaultOpenAIModel))
	}
	if err := merged.validate(name, t, true); err != nil {
		return nil, err
	}
	for _, f := range nestedFields {
		if err := merged.checkNestedTemplates(f, t); err != nil {
			return nil, err
		}
	}
	merged.normalize(notNested)
	return &merged, merged.checkFragmentCount()
}

// become lays change over a definition, of which members of a former source are dropped.
func (e *EmbedderPatch) become(source string, change *EmbedderPatch, n nesting) {
	if source != e.text(embSource) {
		e.keepFor(source, n)
	}
	e.lay(change)
}

// keepFor drops members of a former source. It keeps only the key, the template and the
// members that every source has, where they fit.
func (e *EmbedderPatch) keepFor(source string, n nesting) {
	for f := range embFields {
		switch f {
		case embAPIKey, embTemplate, embTemplateMaxBytes, embBinaryQuantized, embDistribution:
			if embedderUses[f].fits(source, n) {
				continue
			}
		}
		e.fields[f] = decode.Field[jsonvalue.Value]{}
	}
}

// lay sets what change sets, and nulls what it nulls. An equal value stays as it was written first,
// so that the order of its members is no change. Fragments are merged by name. The
// definition for indexing is merged member by member, and null leaves it as it is. That for
// searching is replaced.
func (e *EmbedderPatch) lay(change *EmbedderPatch) {
	for f := range embFields {
		c, old := change.fields[f], e.value(f)
		switch {
		case !c.Given() || f == embIndexingEmbedder && c.IsNull() || c.IsSet() && old != nil && old.Equal(&c.Value):
		case c.IsSet() && old != nil && (f == embIndexingFragments || f == embSearchFragments):
			e.fields[f] = decode.Set(mergeFragments(old, &c.Value))
		case c.IsSet() && old != nil && f == embIndexingEmbedder:
			e.fields[f] = decode.Set(mergeNested(old, &c.Value))
		default:
			e.fields[f] = c
		}
	}
	if change.fields[embModel].IsSet() && !change.fields[embRevision].IsSet() {
		e.fields[embRevision] = decode.Field[jsonvalue.Value]{}
	}
}

// mergeNested lays a change over a nested definition.
func mergeNested(old, change *jsonvalue.Value) jsonvalue.Value {
	e, errOld := nestedPatch(old)
	c, errNew := nestedPatch(change)
	if errOld != nil || errNew != nil {
		return *change // unreachable: both were decoded before
	}
	source := e.text(embSource)
	if c.fields[embSource].Given() {
		source = c.text(embSource)
	}
	e.become(source, c, nestedIndexing)
	return e.asValue()
}

// mergeFragments lays a change over fragments. What it removes is null.
func mergeFragments(old, change *jsonvalue.Value) jsonvalue.Value {
	byName := map[string]jsonvalue.Value{}
	for _, side := range []*jsonvalue.Value{old, change} {
		for _, m := range side.Members() {
			if known, ok := byName[m.Name]; !ok || !known.Equal(&m.Value) {
				byName[m.Name] = m.Value
			}
		}
	}
	out := make([]jsonvalue.Member, 0, len(byName))
	for _, e := range decode.EntriesOf(byName) {
		out = append(out, jsonvalue.Member{Name: e.Name, Value: e.Value})
	}
	return jsonvalue.ObjectValue(out...)
}

// normalize brings a definition into its stored form. It drops nulls, and it sets the members that
// answers show even if no client set them.
func (e *EmbedderPatch) normalize(n nesting) {
	e.dropNulls()
	set := func(f embedderField, v jsonvalue.Value) {
		if !e.fields[f].IsSet() {
			e.fields[f] = decode.Set(v)
		}
	}
	source := e.text(embSource)
	switch source {
	case "openAi":
		if n != notNested && !knownOpenAI(e.text(embModel)) {
			e.fields[embModel] = decode.Field[jsonvalue.Value]{}
		}
		set(embModel, jsonvalue.StringValue(defaultOpenAIModel))
	case "huggingFace":
		if e.value(embModel) == nil {
			set(embRevision, jsonvalue.StringValue(defaultHuggingFaceRevision))
		}
		set(embModel, jsonvalue.StringValue(defaultHuggingFaceModel))
		set(embPooling, jsonvalue.StringValue("useModel"))
	case "rest":
		set(embHeaders, jsonvalue.ObjectValue())
	case "composite":
		e.normalizeNested(embSearchEmbedder, nestedSearch)
		e.normalizeNested(embIndexingEmbedder, nestedIndexing)
	}
	if e.value(embTemplate) == nil || e.hasFragments() {
		// The limit is stored only together with a template, which fragments replace.
		e.fields[embTemplate], e.fields[embTemplateMaxBytes] = decode.Field[jsonvalue.Value]{}, decode.Field[jsonvalue.Value]{}
	}
	if embedderUses[embTemplate].fits(source, n) && !e.hasFragments() {
		set(embTemplate, jsonvalue.StringValue(DefaultDocumentTemplate))
		set(embTemplateMaxBytes, jsonvalue.UintValue(DefaultTemplateMaxBytes))
	}
}

// dropNulls drops members that are null, and fragments that are removed.
func (e *EmbedderPatch) dropNulls() {
	for f := range embFields {
		v := e.value(f)
		switch {
		case v == nil:
			e.fields[f] = decode.Field[jsonvalue.Value]{}
		case f == embIndexingFragments || f == embSearchFragments:
			kept := slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonvalue.Member) bool { return m.Value.IsNull() })
			if e.fields[f] = decode.Set(jsonvalue.ObjectValue(kept...)); len(kept) == 0 {
				e.fields[f] = decode.Field[jsonvalue.Value]{}
			}
		}
	}
}

func (e *EmbedderPatch) normalizeNested(f embedderField, n nesting) {
	if nested, err := nestedPatch(e.value(f)); err == nil { // it was decoded before
		nested.normalize(n)
		e.fields[f] = decode.Set(nested.asValue())
	}
}

// vectorsChange tells whether stored vectors change because embedders come or go or their
// texts or models change (spec write-api 13.6).
func vectorsChange(old, new map[string]json.RawMessage, searchable bool) bool {
	if !slices.Equal(slices.Sorted(maps.Keys(old)), slices.Sorted(maps.Keys(new))) {
		return true
	}
	for name, raw := range new {
		a, errA := storedEmbedder(old[name])
		b, errB := storedEmbedder(raw)
		if errA != nil || errB != nil {
			return true // rebuilding is always right
		}
		for f := range embFields {
			switch f {
			case embAPIKey, embHeaders, embDistribution, embSearchEmbedder:
				continue
			}
			if fieldText(a, f) != fieldText(b, f) {
				return true
			}
		}
		if searchable && b.text(embSource) != "userProvided" {
			return true
		}
	}
	return false
}

func fieldText(e *EmbedderPatch, f embedderField) string {
	if v := e.value(f); v != nil {
		return v.JSON()
	}
	return ""
}
