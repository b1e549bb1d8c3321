package settings

import (
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
		return rewrites{vector: vectorsChange(old.Embedders, new.Embedders, searchesOthers(old, new))}
	},
}.setting()

// applyEmbedders lays the patch over the stored definitions. Unmentioned names stay, null
// removes, an object is merged field by field. Then the definition must fit its source.
// Errors are those of the task.
func applyEmbedders(s *Settings, f decode.Field[[]decode.Entry[*EmbedderPatch]], _ *Env) *apierr.Error {
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
		merged, err := mergeEmbedder(e.Name, next[e.Name], e.Value)
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
func mergeEmbedder(name string, raw json.RawMessage, change *EmbedderPatch) (*EmbedderPatch, *apierr.Error) {
	merged := &EmbedderPatch{}
	if raw != nil {
		stored, err := storedEmbedder(raw)
		if err != nil {
			return nil, apierr.New(apierr.CodeInternal, "internal: "+err.Error()+".")
		}
		merged = stored
	}
	quantized := merged.value(embBinaryQuantized)
	if quantized != nil && quantized.Bool() && change.fields[embBinaryQuantized].Given() {
		if v := change.value(embBinaryQuantized); v == nil || !v.Bool() {
			return nil, embedderError(name+".binaryQuantized", "Cannot disable the binary quantization.\n - Note: Binary quantization is a lossy operation that cannot be reverted.\n - Hint: Add a new embedder that is non-quantized and regenerate the vectors.")
		}
	}
	source := merged.text(embSource)
	if change.fields[embSource].Given() || source == "" {
		fresh := "openAi"
		if v := change.value(embSource); v != nil {
			fresh = v.String()
		}
		if raw != nil && fresh != source {
			merged.keepFor(fresh)
		}
		source = fresh
	}
	merged.lay(change)
	merged.fields[embSource] = decode.Set(jsonvalue.StringValue(source))
	// Forbidden members count even as null, or as fragments of which none is left, so the result
	// is checked together with them before they disappear.
	judged := *merged
	for f := range embFields {
		if f != embSource && change.fields[f].Given() && !merged.fields[f].IsSet() {
			judged.fields[f] = decode.Null[jsonvalue.Value]()
		}
	}
	if err := merged.checkConsistent(); err != nil {
		return nil, err
	}
	if err := merged.checkTemplates(true); err != nil {
		return nil, err
	}
	if err := judged.checkUses(name, source, notNested); err != nil {
		return nil, err
	}
	if err := merged.checkNested(name); err != nil {
		return nil, err
	}
	merged.fillDefaults(source, change)
	if err := merged.checkModel(name, source); err != nil {
		return nil, err
	}
	return merged, merged.checkFragmentCount()
}

// keepFor drops members of a former source. It keeps only the key, the template and the
// members that every source has, where they fit.
func (e *EmbedderPatch) keepFor(source string) {
	for f := range embFields {
		switch f {
		case embAPIKey, embTemplate, embTemplateMaxBytes, embBinaryQuantized, embDistribution:
			if embedderUses[f].fits(source, notNested) {
				continue
			}
		}
		e.fields[f] = decode.Field[jsonvalue.Value]{}
	}
}

// lay sets what change sets and removes what it nulls. Fragments are merged by name.
func (e *EmbedderPatch) lay(change *EmbedderPatch) {
	for f := range embFields {
		c := change.fields[f]
		switch {
		case c.IsNull():
			e.fields[f] = decode.Field[jsonvalue.Value]{}
		case !c.IsSet():
		case f == embIndexingFragments || f == embSearchFragments:
			merged := mergeFragments(e.value(f), &c.Value)
			if e.fields[f] = decode.Set(merged); merged.Len() == 0 {
				e.fields[f] = decode.Field[jsonvalue.Value]{}
			}
		default:
			e.fields[f] = c
		}
	}
	if change.fields[embModel].IsSet() && !change.fields[embRevision].IsSet() {
		e.fields[embRevision] = decode.Field[jsonvalue.Value]{}
	}
}

func mergeFragments(old, change *jsonvalue.Value) jsonvalue.Value {
	byName := map[string]jsonvalue.Value{}
	if old != nil {
		for _, m := range old.Members() {
			byName[m.Name] = m.Value
		}
	}
	for _, m := range change.Members() {
		if m.Value.IsNull() {
			delete(byName, m.Name)
			continue
		}
		byName[m.Name] = m.Value
	}
	out := make([]jsonvalue.Member, 0, len(byName))
	for _, e := range decode.EntriesOf(byName) {
		out = append(out, jsonvalue.Member{Name: e.Name, Value: e.Value})
	}
	return jsonvalue.ObjectValue(out...)
}

// fillDefaults sets the members that answers show even if no client set them.
func (e *EmbedderPatch) fillDefaults(source string, change *EmbedderPatch) {
	set := func(f embedderField, v jsonvalue.Value) {
		if !e.fields[f].IsSet() {
			e.fields[f] = decode.Set(v)
		}
	}
	switch source {
	case "openAi":
		set(embModel, jsonvalue.StringValue(defaultOpenAIModel))
	case "huggingFace":
		if e.value(embModel) == nil {
			set(embRevision, jsonvalue.StringValue(defaultHuggingFaceRevision))
		}
		set(embModel, jsonvalue.StringValue(defaultHuggingFaceModel))
		set(embPooling, jsonvalue.StringValue("useModel"))
	case "rest":
		set(embHeaders, jsonvalue.ObjectValue())
	}
	if !embedderUses[embTemplate].fits(source, notNested) {
		return
	}
	if f := e.value(embIndexingFragments); f != nil && f.Len() > 0 {
		return
	}
	if e.value(embTemplate) == nil {
		// The limit is stored only together with a template.
		e.fields[embTemplateMaxBytes] = decode.Field[jsonvalue.Value]{}
	}
	set(embTemplate, jsonvalue.StringValue(DefaultDocumentTemplate))
	set(embTemplateMaxBytes, jsonvalue.UintValue(DefaultTemplateMaxBytes))
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
		if searchable && b.value(embTemplate) != nil {
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
