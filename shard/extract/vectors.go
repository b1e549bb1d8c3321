package extract

import (
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/shard/record"
)

// embedders returns the configured embedders by name.
func embedders(s *settings.Settings) (map[string]*Embedder, error) {
	out := make(map[string]*Embedder, len(s.Embedders))
	for name := range s.Embedders {
		e, err := newEmbedder(s, name)
		if err != nil {
			return nil, err
		}
		out[name] = e
	}
	return out, nil
}

// HasEmbedders reports whether documents have vectors to store.
func (p *Plan) HasEmbedders() bool { return len(p.embedders) > 0 }

// Embedded is the embeddings of a document while operations change it.
type Embedded struct {
	List []record.Embedding
	// asked are embedders whose vectors must be recomputed although the document has
	// some. Unknown are names in _vectors without embedder.
	asked   []string
	Unknown []string
	// faults are the given vectors that were refused.
	faults []vectorFault
}

// vectorFault says why the vectors that were given for an embedder are wrong.
type vectorFault struct {
	embedder string
	why      *apierr.Error
}

// Fault returns the error of the first given vectors that are wrong, nil if none are. The
// checks of the document itself come before it.
func (v *Embedded) Fault() error {
	if len(v.faults) == 0 {
		return nil
	}
	return v.faults[0].why
}

func (v *Embedded) find(name string) int {
	return slices.IndexFunc(v.List, func(e record.Embedding) bool { return e.Name == name })
}

func (v *Embedded) set(e record.Embedding) {
	if at := v.find(e.Name); at >= 0 {
		v.List[at] = e
	} else {
		v.List = append(v.List, e)
	}
}

// Vectors applies a document's raw _vectors (nil if it has none) to its embeddings.
// Every entry is checked; those of unknown embedders are not stored (spec write-api
// 8.3, 8.4). Wrong vectors of an embedder are a Fault of v. Errors: *apierr.Error and
// *jsonvalue.SyntaxError.
func (x *Extractor) Vectors(v *Embedded, raw []byte, id string) error {
	if raw == nil {
		return nil
	}
	entries, err := readEntries(raw, id)
	if err != nil {
		return err
	}
	for i := range entries {
		given := &entries[i]
		embedder := x.plan.embedders[given.name]
		v.faults = slices.DeleteFunc(v.faults, func(f vectorFault) bool { return f.embedder == given.name })
		switch {
		case embedder == nil:
			v.Unknown = append(v.Unknown, given.name)
		case given.given:
			e, failure := given.read(embedder, id)
			if failure != nil {
				v.faults = append(v.faults, vectorFault{given.name, failure})
				continue
			}
			v.asked = slices.DeleteFunc(v.asked, func(n string) bool { return n == given.name })
			v.set(e)
		case given.regenerate:
			v.asked = append(v.asked, given.name)
		case v.find(given.name) < 0:
			v.set(record.Embedding{Name: given.name})
		}
	}
	return nil
}

// Reconfigure converts a stored document and its embeddings to another set of
// embedders. What the user gave for removed embedders returns to _vectors, unless vectors
// were to be generated again; entries of _vectors that now belong to an embedder leave
// it (spec write-api 8.4). Vectors given for an embedder that stays are kept even if it now
// has other dimensions (13.6): they are shown, but never near anything. It returns the
// document's new stored form, appended to dst; a document for which _vectors stays as it is
// keeps the order of its members. old is the plan before.
func (x *Extractor) Reconfigure(dst, stored []byte, v *Embedded, old *Plan, id string) (doc []byte, err error) {
	var raw []byte
	if err := Members(stored, func(name string, value []byte) {
		if name == Vectors {
			raw = value
		}
	}); err != nil {
		return dst, err
	}
	var back []jsonvalue.Member
	kept := v.List[:0:0]
	for i := range v.List {
		e := v.List[i]
		switch embedder := x.plan.embedders[e.Name]; {
		case embedder != nil:
			renumber(&e, old.embedders[e.Name], embedder)
			kept = append(kept, e)
		case !e.Regenerate:
			back = append(back, jsonvalue.Member{Name: e.Name, Value: givenBack(&e)})
		}
	}
	v.List = kept
	if err = x.Vectors(v, raw, id); err != nil {
		return dst, err
	}
	if taken, err := x.takes(raw); err != nil || len(back) == 0 && !taken {
		return append(dst, stored...), err
	}
	frame := append([]byte(`{"_vectors":`), objectJSON(back)...)
	doc, _, err = x.Store(dst, stored, append(frame, '}'))
	return doc, err
}

// takes tells whether a stored _vectors has an entry that belongs to an embedder now.
func (x *Extractor) takes(raw []byte) (taken bool, err error) {
	if len(raw) == 0 || raw[0] != '{' {
		return false, nil
	}
	err = Members(raw, func(name string, _ []byte) { taken = taken || x.plan.embedders[name] != nil })
	return taken, err
}

// renumber moves the vectors of fragments to the stores of their names. It drops those
// of removed fragments.
func renumber(e *record.Embedding, old, fresh *Embedder) {
	if old == nil || e.UserProvided || e.Stores == nil {
		return
	}
	was, is := old.Fragments(), fresh.Fragments()
	next := *e
	next.Values, next.Stores, next.Inputs = nil, []uint16{}, []uint64{}
	for i := range e.Len() {
		store := e.Store(i)
		if store >= len(was) {
			continue
		}
		if at := slices.Index(is, was[store]); at >= 0 {
			next.Values = append(next.Values, e.Vector(i)...)
			next.Stores = append(next.Stores, uint16(at))
			next.Inputs = append(next.Inputs, e.Input(store))
		}
	}
	*e = next
}

func objectJSON(members []jsonvalue.Member) []byte {
	v := jsonvalue.ObjectValue(members...)
	return v.AppendJSON(nil)
}

// givenBack returns an embedding that is not generated as a user would give it.
func givenBack(e *record.Embedding) jsonvalue.Value {
	out := []byte(`{"regenerate":false,"embeddings":[`)
	for i := range e.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '[')
		for j, f := range e.Vector(i) {
			if j > 0 {
				out = append(out, ',')
			}
			out = jsonvalue.AppendFloat(out, float64(f))
		}
		out = append(out, ']')
	}
	v, err := jsonvalue.Parse(append(out, "]}"...))
	if err != nil {
		return jsonvalue.Value{} // unreachable: the text is ours and floats are finite
	}
	return v
}

// sortedNames lists the embedders by name.
func sortedNames(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
