package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"shoal/api"
	"shoal/shard/record"
)

// embedders are the configured embedders by name.
func embedders(s *api.Settings) (map[string]*api.Embedder, error) {
	out := make(map[string]*api.Embedder, len(s.Embedders))
	for name, raw := range s.Embedders {
		e, err := api.ParseEmbedder(raw)
		if err != nil {
			return nil, fmt.Errorf("extract: stored embedder %q: %w", name, err)
		}
		out[name] = e
	}
	return out, nil
}

// HasEmbedders tells whether documents have vectors to keep.
func (p *Plan) HasEmbedders() bool { return len(p.embedders) > 0 }

// Vectors applies a document's raw _vectors (nil: it has none) to the embeddings
// that the document has so far, and returns those it has then; have is not
// changed. Every entry is checked, entries of unknown embedders are not kept
// (spec write-api 8.3, 8.4). Errors: *api.Error and *api.SyntaxError.
func (x *Extractor) Vectors(have []record.Embedding, raw []byte, id string) ([]record.Embedding, error) {
	if raw == nil {
		return have, nil
	}
	object, err := api.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	if object.Kind() != api.KindObject {
		return nil, notAMap(&object, raw)
	}
	list := slices.Clone(have)
	for _, m := range object.Members() {
		given, failure := readEntry(m.Name, &m.Value, id)
		if failure != nil {
			return nil, failure
		}
		embedder := x.plan.embedders[m.Name]
		if embedder == nil {
			continue
		}
		at := slices.IndexFunc(list, func(e record.Embedding) bool { return e.Name == m.Name })
		e, failure := given.apply(m.Name, embedder, id)
		switch {
		case failure != nil:
			return nil, failure
		case e == nil && at >= 0 && !given.regenerate:
			continue // keeps what it has
		case e == nil && given.regenerate:
			// Asks for generation: what was there does not count as given.
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
		case e == nil:
			list = append(list, record.Embedding{Name: m.Name})
		case at >= 0:
			list[at] = *e
		default:
			list = append(list, *e)
		}
	}
	return list, nil
}

// Lacking returns the first embedder, by name, for which the document has to
// bring its own vectors and has said nothing.
func (x *Extractor) Lacking(have []record.Embedding) (name string, lacks bool) {
	for _, name := range x.plan.embedderNames {
		if x.plan.embedders[name].Source != "userProvided" {
			continue
		}
		if !slices.ContainsFunc(have, func(e record.Embedding) bool { return e.Name == name }) {
			return name, true
		}
	}
	return "", false
}

// NoVectors is the error of a batch in which documents bring no vectors: id is
// the first of them, others how many more there are at least.
func NoVectors(embedder, id string, others int) *api.Error {
	more := ""
	if others > 0 {
		more = fmt.Sprintf(" and at least %d other document(s)", others)
	}
	return api.NewError(api.CodeVectorEmbeddingError, "While embedding documents for embedder `"+embedder+"`: no vectors provided for document `"+id+"`"+more+
		"\n- Note: `"+embedder+"` has `source: userProvided`, so documents must provide embeddings as an array in `_vectors."+embedder+"`."+
		"\n- Hint: opt-out for a document with `_vectors."+embedder+": null`")
}

// Reconfigure carries a stored document and its embeddings over to another set
// of embedders: embeddings of removed embedders that the user gave go back into
// _vectors, entries of _vectors that now belong to an embedder leave it (spec
// write-api 8.4). It returns the document's new stored form, appended to dst,
// and its embeddings.
func (x *Extractor) Reconfigure(dst, stored []byte, have []record.Embedding, id string) (doc []byte, list []record.Embedding, err error) {
	var raw []byte
	if err := Members(stored, func(name string, value []byte) {
		if name == Vectors {
			raw = value
		}
	}); err != nil {
		return dst, nil, err
	}
	var back []api.Member
	for i := range have {
		switch e := &have[i]; {
		case x.plan.embedders[e.Name] != nil:
			list = append(list, *e)
		case !e.Regenerate && e.Len() > 0:
			back = append(back, api.Member{Name: e.Name, Value: givenBack(e)})
		}
	}
	if list, err = x.Vectors(list, raw, id); err != nil {
		return dst, nil, err
	}
	frame := append([]byte(`{"_vectors":`), objectJSON(back)...)
	doc, _, err = x.Store(dst, stored, append(frame, '}'))
	return doc, list, err
}

func objectJSON(members []api.Member) []byte {
	v := api.ObjectValue(members...)
	return v.AppendJSON(nil)
}

// givenBack is an embedding as a user would give it.
func givenBack(e *record.Embedding) api.Value {
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
			out = api.AppendFloat(out, float64(f))
		}
		out = append(out, ']')
	}
	v, err := api.ParseJSON(append(out, "]}"...))
	if err != nil {
		return api.Value{} // not reached: the text is ours and floats are finite
	}
	return v
}

// entry is one member of _vectors.
type entry struct {
	path       string     // of the vectors in messages
	vectors    *api.Value // nil: none given
	regenerate bool
	none       bool // null: no vectors
}

func badEmbedder(id, text string) *api.Error {
	return api.NewError(api.CodeInvalidVectorsType, "Bad embedder configuration in the document with id: `"+id+"`. "+text)
}

// readEntry reads the form of an entry, whatever its embedder.
func readEntry(name string, v *api.Value, id string) (entry, *api.Error) {
	path := "._vectors." + name
	switch v.Kind() {
	case api.KindNull:
		return entry{none: true}, nil
	case api.KindArray:
		return entry{path: path, vectors: v}, nil
	case api.KindObject:
		return readRegenerate(path, v, id)
	}
	kind, shown := "number", v.JSON()
	switch v.Kind() {
	case api.KindString:
		kind, shown = "string", v.String()
	case api.KindPositive, api.KindNegative:
		kind = "integer"
	case api.KindBool:
		kind = "boolean"
	}
	return entry{}, badEmbedder(id, "Expected `"+path+"` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the "+kind+" `"+shown+"`")
}

func readRegenerate(path string, v *api.Value, id string) (entry, *api.Error) {
	e := entry{path: path + ".embeddings"}
	for _, m := range v.Members() {
		switch m.Name {
		case "regenerate":
			if m.Value.Kind() != api.KindBool {
				raw := m.Value.JSON()
				return e, badEmbedder(id, fmt.Sprintf("Could not parse `%s.regenerate`: invalid type: %s, expected a boolean at line 1 column %d", path, serdeKind(&m.Value), len(raw)))
			}
			e.regenerate = m.Value.Bool()
		case "embeddings":
			if !m.Value.IsNull() {
				value := m.Value
				e.vectors = &value
			}
		default:
			return e, badEmbedder(id, fmt.Sprintf("Could not parse `%s`: trailing characters at line 1 column %d", path, len(v.JSON())))
		}
	}
	if v.Get("regenerate") == nil {
		return e, badEmbedder(id, "Missing field `"+path+".regenerate`\n  - note: `"+path+"` must be an array of floats, an array of arrays of floats, or an object with field `regenerate`")
	}
	return e, nil
}

// apply returns the embedding that an entry makes; nil when it gives no vectors
// and does not say that there are none.
func (g *entry) apply(name string, embedder *api.Embedder, id string) (*record.Embedding, *api.Error) {
	out := &record.Embedding{Name: name, Regenerate: g.regenerate}
	if g.none {
		return out, nil
	}
	if g.vectors == nil {
		return nil, nil
	}
	if g.vectors.Kind() != api.KindArray {
		return nil, badEmbedder(id, wrongType(g.path, "null or an array", g.vectors))
	}
	items := g.vectors.Members()
	if len(items) == 0 {
		return out, nil
	}
	rows := make([]*api.Value, 0, len(items))
	if items[0].Value.Kind() == api.KindArray {
		for i := range items {
			if items[i].Value.Kind() != api.KindArray {
				return nil, badEmbedder(id, wrongType(fmt.Sprintf("%s[%d]", g.path, i), "an array", &items[i].Value))
			}
			rows = append(rows, &items[i].Value)
		}
	} else {
		rows = append(rows, g.vectors)
	}
	for n, row := range rows {
		path := g.path
		if row != g.vectors {
			path = fmt.Sprintf("%s[%d]", path, n)
		}
		if failure := appendRow(out, row, path, row == g.vectors, id); failure != nil {
			return nil, failure
		}
		got := row.Len()
		if want := embedder.Dimensions; want > 0 && got != want || out.Dimensions > 0 && got != out.Dimensions {
			return nil, api.NewError(api.CodeInvalidVectorDimensions, fmt.Sprintf("Invalid vector dimensions in document with id `%s` in `._vectors.%s`.\n  - note: embedding #%d has dimensions %d\n  - note: embedder `%s` requires %d", id, name, n, got, name, max(want, out.Dimensions)))
		}
		out.Dimensions = got
	}
	if embedder.BinaryQuantized {
		quantize(out.Values)
	}
	return out, nil
}

// appendRow adds the numbers of one vector.
func appendRow(out *record.Embedding, row *api.Value, path string, alone bool, id string) *api.Error {
	items := row.Members()
	for i := range items {
		v := &items[i].Value
		switch v.Kind() {
		case api.KindPositive, api.KindNegative, api.KindFloat:
			out.Values = append(out.Values, float32(v.Float()))
		default:
			accepted := "a number"
			if alone && i == 0 {
				accepted = "a number or an array"
			}
			return badEmbedder(id, wrongType(fmt.Sprintf("%s[%d]", path, i), accepted, v))
		}
	}
	return nil
}

// quantize keeps the sign of each number only.
func quantize(values []float32) {
	for i, x := range values {
		values[i] = -1
		if x > 0 {
			values[i] = 1
		}
	}
}

func wrongType(path, accepted string, v *api.Value) string {
	names := map[api.Kind]string{
		api.KindBool: "a boolean", api.KindPositive: "a positive integer", api.KindNegative: "a negative integer",
		api.KindFloat: "a number", api.KindString: "a string", api.KindArray: "an array", api.KindObject: "an object",
	}
	found := "null"
	if !v.IsNull() {
		found = names[v.Kind()] + ": `" + v.JSON() + "`"
	}
	return "Invalid value type at `" + path + "`: expected " + accepted + ", but found " + found
}

// serdeKind names a value the way the reference's parser does.
func serdeKind(v *api.Value) string {
	switch v.Kind() {
	case api.KindNull:
		return "null"
	case api.KindBool:
		return fmt.Sprintf("boolean `%v`", v.Bool())
	case api.KindPositive, api.KindNegative:
		return "integer `" + v.JSON() + "`"
	case api.KindFloat:
		return "floating point `" + v.JSON() + "`"
	case api.KindString:
		return "string " + v.JSON()
	case api.KindArray:
		return "sequence"
	}
	return "map"
}

// notAMap is the reference's text for a value that should be an object (spec
// write-api 8.3).
func notAMap(v *api.Value, raw []byte) error {
	line, column := api.Position(raw)
	if v.Kind() == api.KindArray || v.Kind() == api.KindNull {
		column = 0
	}
	return api.NewError(api.CodeInternal, fmt.Sprintf("invalid type: %s, expected a map at line %d column %d", serdeKind(v), line, column))
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
