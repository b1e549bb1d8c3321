package settings

import (
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// openAIModel is a supported model with its native dimensions and the typical distribution
// of its similarities.
type openAIModel struct {
	name        string
	dimensions  uint64
	fixed       bool // the dimensions cannot be overridden
	mean, sigma float64
}

var openAIModels = []openAIModel{
	{"text-embedding-ada-002", 1536, true, 0.90, 0.08},
	{"text-embedding-3-small", 1536, false, 0.75, 0.1},
	{"text-embedding-3-large", 3072, false, 0.70, 0.1},
}

// checkEmbedderFeatures: composite embedders and fragments are experimental.
func checkEmbedderFeatures(list []decode.Entry[*EmbedderPatch], f Features) *apierr.Error {
	for _, e := range list {
		if e.Value == nil {
			continue
		}
		if !f.CompositeEmbedders {
			if e.Value.text(embSource) == "composite" {
				return apierr.FeatureNotEnabled("using `\"composite\"` as source", "composite embedders", 816)
			}
			for _, field := range []embedderField{embSearchEmbedder, embIndexingEmbedder} {
				if e.Value.value(field) != nil {
					return apierr.FeatureNotEnabled("setting `"+embedderFieldNames[field]+"`", "composite embedders", 816)
				}
			}
		}
		if f.Multimodal {
			continue
		}
		for _, field := range []embedderField{embIndexingFragments, embSearchFragments} {
			if e.Value.value(field) != nil {
				return apierr.FeatureNotEnabled("setting `"+embedderFieldNames[field]+"`", "multimodal", 846)
			}
		}
	}
	return nil
}

// checkEmbedders validates each definition by itself, before there is a task.
func checkEmbedders(list []decode.Entry[*EmbedderPatch], t Templates) *apierr.Error {
	for _, e := range list {
		if e.Value == nil {
			continue
		}
		if err := e.Value.validate(e.Name, t, false); err != nil {
			return err
		}
	}
	return nil
}

// validate checks a change by itself, or, if whole is set, the definition that results from it. A
// change that names no source is checked only as far as the source does not matter.
func (e *EmbedderPatch) validate(name string, t Templates, whole bool) *apierr.Error {
	if err := e.checkPrompt(name, t); err != nil {
		return err
	}
	if d := e.value(embDimensions); d != nil && d.Uint() == 0 {
		return embedderError(name+".dimensions", "`dimensions` cannot be zero")
	}
	if u := e.value(embURL); u != nil {
		if text := urlFault(u.String()); text != "" {
			return embedderError(name+".url", "could not parse `"+u.String()+"`: "+text)
		}
	}
	if err := e.checkFragments(whole); err != nil {
		return err
	}
	if err := e.checkTemplates(t, whole); err != nil {
		return err
	}
	source := e.text(embSource)
	if source == "" {
		return nil
	}
	if err := e.checkUses(name, source, notNested); err != nil {
		return err
	}
	switch source {
	case "openAi":
		return e.checkModel(name)
	case "composite":
		return e.checkNested(name, t)
	}
	return nil
}

// checkPrompt checks the template of documents and its limit, which counts only beside it.
func (e *EmbedderPatch) checkPrompt(name string, t Templates) *apierr.Error {
	v := e.value(embTemplate)
	if v == nil {
		return nil
	}
	if limit := e.value(embTemplateMaxBytes); limit != nil && limit.Uint() == 0 {
		return embedderError(name+".documentTemplateMaxBytes", "`documentTemplateMaxBytes` cannot be zero")
	}
	if err := t.check(v.String()); err != nil {
		return embedderError(name+".documentTemplate", "Invalid template: user error: cannot parse template: "+err.Error()+".")
	}
	return nil
}

// checkModel checks model and dimensions of the source openAi, if the model is named.
func (e *EmbedderPatch) checkModel(name string) *apierr.Error {
	v := e.value(embModel)
	if v == nil {
		return nil
	}
	model := v.String()
	var names []string
	for _, m := range openAIModels {
		names = append(names, m.name)
		if m.name != model {
			continue
		}
		d := e.value(embDimensions)
		at := name + ".dimensions"
		native := strconv.FormatUint(m.dimensions, 10)
		switch {
		case d == nil:
		case m.fixed && d.Uint() != m.dimensions:
			return embedderError(at, "Model `"+model+"` does not support overriding its native dimensions of "+native+". Found "+d.JSON())
		case d.Uint() > m.dimensions:
			return embedderError(at, "Model `"+model+"` does not support overriding its dimensions to a value higher than "+native+". Found "+d.JSON())
		}
		return nil
	}
	return embedderError(name+".model", "Invalid model `"+model+"` for OpenAI. Supported models: [\""+strings.Join(names, `", "`)+`"]`)
}

// vectorError is an error with code vector_embedding_error that the client caused.
func vectorError(text string) *apierr.Error {
	return apierr.New(apierr.CodeVectorEmbeddingError, "Error while generating embeddings: user error: "+text)
}

// checkFragments: a definition has fragments for indexing and for searching, or none. A change
// must not bring a document template beside them.
func (e *EmbedderPatch) checkFragments(whole bool) *apierr.Error {
	one, other := namesOf(e.value(embIndexingFragments)), namesOf(e.value(embSearchFragments))
	switch {
	case !whole && len(one)+len(other) > 0 && e.value(embTemplate) != nil:
		return vectorError("cannot pass both fragments and a document template.\n  - Note: " + strconv.Itoa(len(one)) +
			" fragments declared in `indexingFragments` and " + strconv.Itoa(len(other)) +
			" fragments declared in `search_fragments_len`.\n  - Hint: remove the declared fragments or remove the `documentTemplate`")
	case whole && len(one) > 0 && len(other) == 0:
		return vectorError("inconsistent fragments: `searchFragments` is empty, but `indexingFragments` declares " + counted(one) +
			"\n - Hint: declare at least one fragment in `searchFragments` or remove fragments from `indexingFragments` by setting them to `null`")
	case whole && len(one) == 0 && len(other) > 0:
		return vectorError("inconsistent fragments: `indexingFragments` is empty, but `searchFragments` declares " + counted(other) +
			"\n  - Hint: declare at least one fragment in `indexingFragments` or remove fragments from `searchFragments` by setting them to `null`")
	}
	return nil
}

// namesOf are the names of fragments, without those that are removed.
func namesOf(fragments *jsonvalue.Value) (names []string) {
	if fragments != nil {
		for _, m := range fragments.Members() {
			if !m.Value.IsNull() {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// counted returns the number of the names, and the first ones.
func counted(names []string) string {
	const shown = 3
	text := strconv.Itoa(len(names)) + " fragments: " + strings.Join(names[:min(shown, len(names))], ", ")
	if len(names) > shown {
		text += ", ..."
	}
	return text
}
