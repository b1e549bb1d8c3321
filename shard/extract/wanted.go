package extract

import (
	"context"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/shard/record"
)

// Wanted are vectors that an embedder must compute for a document. Fill then completes
// the embedding in the document's list.
type Wanted struct {
	Embedder *Embedder
	// Inputs are texts, or values of fragments.
	Inputs []jsonvalue.Value

	at    int // in the list
	parts []part
}

// part is one vector of the embedding: kept, or computed from an input.
type part struct {
	input
	kept []float32
}

// Wanted returns the vectors to compute for a document in its new stored form: those of
// embedders without any, and generated ones whose input changed (spec write-api 8.4,
// 13.6). changes is nil if the settings stay. changed, whether the document itself
// changed, decides about the others. Errors: *apierr.Error, *jsonvalue.SyntaxError.
func (x *Extractor) Wanted(ctx context.Context, v *Embedded, stored []byte, changed bool, changes map[string]Change, id string) ([]Wanted, error) {
	var out []Wanted
	var doc *jsonvalue.Value
	document := func() (*jsonvalue.Value, error) {
		if doc == nil {
			parsed, err := jsonvalue.Parse(stored)
			if err != nil {
				return nil, err
			}
			doc = &parsed
		}
		return doc, nil
	}
	for _, name := range x.plan.embedderNames {
		e, at := x.plan.embedders[name], v.find(name)
		asked := slices.Contains(v.asked, name)
		if at >= 0 && !asked {
			cur := &v.List[at]
			justGiven := cur.UserProvided && cur.Regenerate && cur.Inputs == nil && (changes == nil || changes[name] == Added)
			// A userProvided embedder generates nothing for other settings, such as
			// searchableAttributes, but what comes later is compared with the input under them.
			newSettings := cur.Regenerate && changes != nil && (changes[name] == Kept || changes[name] == Rendered) && e.Source == "userProvided"
			if justGiven || newSettings {
				parsed, err := document()
				if err != nil {
					return nil, err
				}
				n := len(cur.Inputs) // one for each generated vector, one for all given ones
				if cur.UserProvided {
					n = 1
				}
				cur.Inputs = slices.Repeat(x.givenInput(ctx, e, parsed, id), n)
			}
			if justGiven || newSettings || !cur.Regenerate || !changed && changes[name] == Kept {
				x.quantize(cur, e)
				continue
			}
		}
		parsed, err := document()
		if err != nil {
			return nil, err
		}
		list, failure := x.inputs(ctx, e, parsed, id)
		if failure != nil {
			return nil, failure
		}
		if at < 0 {
			at = len(v.List)
			v.List = append(v.List, record.Embedding{Name: name})
		}
		w := compareInputs(&v.List[at], e, list, changes[name] == Remade)
		w.at = at
		if len(w.Inputs) > 0 {
			out = append(out, *w)
		} else {
			x.Fill(v, w, nil)
		}
	}
	return out, nil
}

// givenInput returns the hash of the input that would generate the vectors that the
// user gave. When the input changes, they are generated.
func (x *Extractor) givenInput(ctx context.Context, e *Embedder, doc *jsonvalue.Value, id string) []uint64 {
	list, failure := x.inputs(ctx, e, doc, id)
	if failure != nil || len(list) != 1 || len(e.fragments) > 0 {
		return []uint64{0}
	}
	return []uint64{list[0].hash}
}

// compareInputs keeps the vectors with unchanged inputs.
func compareInputs(cur *record.Embedding, e *Embedder, list []input, remake bool) *Wanted {
	w := &Wanted{Embedder: e}
	if cur.UserProvided && cur.Regenerate && !remake && len(e.fragments) == 0 && len(list) == 1 && cur.Input(0) == list[0].hash {
		// The given vectors stay unchanged and count as generated from now on.
		for i := range cur.Len() {
			w.parts = append(w.parts, part{input: input{store: i, hash: list[0].hash}, kept: cur.Vector(i)})
		}
		return w
	}
	for _, in := range list {
		p := part{input: in}
		if !remake && cur.Regenerate && !cur.UserProvided && cur.Input(in.store) == in.hash {
			for i := range cur.Len() {
				if cur.Store(i) == in.store {
					p.kept = cur.Vector(i)
				}
			}
		}
		if p.kept == nil {
			w.Inputs = append(w.Inputs, in.value)
		}
		w.parts = append(w.parts, p)
	}
	return w
}

// Fill completes the embedding of a document with the vectors computed from w.Inputs.
func (x *Extractor) Fill(v *Embedded, w *Wanted, made [][]float32) {
	out := record.Embedding{Name: w.Embedder.Name, Regenerate: true, Inputs: []uint64{}}
	if len(w.Embedder.fragments) > 0 {
		out.Stores = []uint16{}
	}
	for _, p := range w.parts {
		vector := p.kept
		if vector == nil {
			vector, made = made[0], made[1:]
		}
		if len(vector) == 0 {
			continue
		}
		out.Dimensions = len(vector)
		out.Values = append(out.Values, vector...)
		out.Inputs = append(out.Inputs, p.hash)
		if out.Stores != nil {
			out.Stores = append(out.Stores, uint16(p.store))
		}
	}
	x.quantize(&out, w.Embedder)
	v.List[w.at] = out
}

// quantize converts an embedding to the form of its embedder.
func (x *Extractor) quantize(cur *record.Embedding, e *Embedder) {
	if e.BinaryQuantized && !cur.Quantized {
		cur.Values = slices.Clone(cur.Values)
		cur.Quantize()
	}
}
