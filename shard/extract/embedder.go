package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
)

// Embedder is a configured embedder with its compiled templates. Immutable.
type Embedder struct {
	*settings.Embedder
	Name string
	// template renders a document's text, fragments its values by store. Only one of
	// them is used.
	template  *prompt.Template
	fragments []fragment
}

type fragment struct {
	name string
	json *prompt.JSON
}

// newEmbedder compiles the templates of an embedder. The settings refuse templates that
// do not compile; if there are any, the documents that need them fail.
func newEmbedder(s *settings.Settings, name string) (*Embedder, error) {
	e, _, err := s.Embedder(name)
	if err != nil {
		return nil, fmt.Errorf("extract: stored embedder %q: %w", name, err)
	}
	out := &Embedder{Embedder: e, Name: name}
	source := indexing(e)
	for i := range source.IndexingFragments {
		f := &source.IndexingFragments[i]
		compiled, err := prompt.ParseJSON(&f.Value)
		if err != nil {
			compiled = nil // no document has it
		}
		out.fragments = append(out.fragments, fragment{f.Name, compiled})
	}
	if out.template, err = prompt.Parse(source.DocumentTemplate); err != nil {
		out.template = nil
	}
	return out, nil
}

// Fragments returns the names of the stores of vectors computed from fragments.
func (e *Embedder) Fragments() []string {
	names := make([]string, len(e.fragments))
	for i := range e.fragments {
		names[i] = e.fragments[i].name
	}
	return names
}

// input is the input of one vector.
type input struct {
	store int
	value jsonvalue.Value
	hash  uint64
}

// inputs renders a document for the embedder. A fragment with missing parts is left
// out, but for a text this is an error (spec write-api 13.5).
func (x *Extractor) inputs(ctx context.Context, e *Embedder, doc *jsonvalue.Value, id string) ([]input, error) {
	if len(e.fragments) > 0 {
		var out []input
		for i := range e.fragments {
			if e.fragments[i].json == nil {
				continue
			}
			v, err := e.fragments[i].json.Document(ctx, doc)
			switch {
			case err == nil:
				out = append(out, newInput(i, v))
			case errors.Is(err, prompt.ErrBudget):
				return nil, tooExpensive("fragment `"+e.fragments[i].name+"`", e, id, err)
			case ctx.Err() != nil:
				return nil, ctx.Err()
			}
		}
		return out, nil
	}
	if e.template == nil {
		return nil, apierr.New(apierr.CodeInvalidDocumentFields, "user error: the document template of embedder `"+e.Name+"` does not compile")
	}
	text, err := e.template.Document(ctx, doc, x.searchable)
	switch {
	case errors.Is(err, prompt.ErrBudget):
		return nil, tooExpensive("the document template", e, id, err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, apierr.New(apierr.CodeInvalidDocumentFields, "user error: missing field in document `"+id+"`: "+err.Error())
	}
	return []input{newInput(0, jsonvalue.StringValue(text))}, nil
}

// tooExpensive reports a template that exceeds its budget.
func tooExpensive(what string, e *Embedder, id string, err error) *apierr.Error {
	return apierr.New(apierr.CodeInvalidDocumentFields, "user error: "+what+" of embedder `"+e.Name+"` cannot be rendered for document `"+id+"`: "+err.Error())
}

func newInput(store int, v jsonvalue.Value) input {
	hash := xxhash.Sum64(v.AppendJSON(nil))
	return input{store: store, value: v, hash: max(hash, 1)} // 0 means unknown
}

// searchable reports whether words of a field are searched.
func (x *Extractor) searchable(name string) bool {
	f := x.plan.byName[name]
	return f != nil && f.searchable
}

// Change is the effect of a change of settings on the vectors of an embedder (spec
// write-api 13.6).
type Change uint8

// The changes. Kept leaves vectors alone, Rendered recomputes those whose inputs
// differ, Remade all generated ones. Added is a new embedder.
const (
	Kept Change = iota
	Rendered
	Remade
	Added
)

// Changes compares the embedders of two settings. The result is by name of the new
// ones.
func Changes(old, fresh *settings.Settings) (map[string]Change, error) {
	searchable := settings.SearchesOthers(old, fresh)
	out := make(map[string]Change, len(fresh.Embedders))
	for name := range fresh.Embedders {
		was, ok, err := old.Embedder(name)
		if err != nil {
			return nil, err
		}
		is, _, err := fresh.Embedder(name)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
			out[name] = Added
		case was.Source != is.Source:
			out[name] = Remade
		default:
			out[name] = changed(indexing(was), indexing(is), searchable)
		}
	}
	return out, nil
}

// indexing returns the definition that documents are embedded by.
func indexing(e *settings.Embedder) *settings.Embedder {
	if e.Source == "composite" && e.IndexingEmbedder != nil {
		return e.IndexingEmbedder
	}
	return e
}

func changed(was, is *settings.Embedder, searchable bool) Change {
	switch {
	case was.Source != is.Source || was.Model != is.Model || was.Revision != is.Revision || was.Pooling != is.Pooling,
		!sameValue(was.Request, is.Request) || !sameValue(was.Response, is.Response),
		is.Source != "openAi" && was.URL != is.URL || is.Source == "openAi" && was.SetDimensions != is.SetDimensions,
		(len(was.IndexingFragments) == 0) != (len(is.IndexingFragments) == 0):
		return Remade
	case searchable || was.DocumentTemplate != is.DocumentTemplate || !sameEntries(was.IndexingFragments, is.IndexingFragments):
		return Rendered
	}
	return Kept
}

func sameValue(a, b *jsonvalue.Value) bool {
	return a == b || a != nil && b != nil && a.Equal(b)
}

func sameEntries(a, b []decode.Entry[jsonvalue.Value]) bool {
	return slices.EqualFunc(a, b, func(x, y decode.Entry[jsonvalue.Value]) bool {
		return x.Name == y.Name && x.Value.Equal(&y.Value)
	})
}
