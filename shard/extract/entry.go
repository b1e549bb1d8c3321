package extract

import (
	"fmt"
	"math"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/shard/record"
)

// entry is one member of _vectors.
type entry struct {
	name string
	path string // of the vectors in messages
	// given: it has vectors, or says that there are none (vectors is nil then).
	given      bool
	vectors    *jsonvalue.Value
	regenerate bool
}

// readEntries parses _vectors, whatever the embedders (spec write-api 8.3). Errors:
// *apierr.Error and *jsonvalue.SyntaxError.
func readEntries(raw []byte, id string) ([]entry, error) {
	object, err := parseMap(raw)
	if err != nil {
		return nil, err
	}
	texts := make(map[string][]byte, object.Len()) // the last of a name counts, as in object
	if err := Members(raw, func(name string, value []byte) { texts[name] = value }); err != nil {
		return nil, err
	}
	out := make([]entry, 0, object.Len())
	for i := range object.Members() {
		m := &object.Members()[i]
		e, refused := readEntry(m.Name, &m.Value, texts[m.Name], id)
		if refused != nil {
			return out, refused
		}
		out = append(out, e)
	}
	return out, nil
}

func badEmbedder(id, text string) *apierr.Error {
	return apierr.New(apierr.CodeInvalidVectorsType, "Bad embedder configuration in the document with id: `"+id+"`. "+text)
}

func readEntry(name string, v *jsonvalue.Value, raw []byte, id string) (entry, *apierr.Error) {
	path := "._vectors." + name
	switch v.Kind() {
	case jsonvalue.KindNull:
		return entry{name: name, given: true}, nil
	case jsonvalue.KindArray:
		return entry{name: name, path: path, given: true, vectors: v}, nil
	case jsonvalue.KindObject:
		return readExplicit(name, path, v, raw, id)
	}
	kind, shown := "number", v.JSON()
	switch v.Kind() {
	case jsonvalue.KindString:
		kind, shown = "string", v.String()
	case jsonvalue.KindFloat:
		shown = strconv.FormatFloat(v.Float(), 'f', -1, 64) // as Rust displays it: without needless decimals
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		kind = "integer"
	case jsonvalue.KindBool:
		kind = "boolean"
	}
	return entry{}, badEmbedder(id, "Expected `"+path+"` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the "+kind+" `"+shown+"`")
}

// readExplicit parses {regenerate, embeddings}. The first fault in text order counts.
// The reference's parser stumbles over the text after a fault, so a fault that is not
// in the last member is reported differently.
func readExplicit(name, path string, v *jsonvalue.Value, raw []byte, id string) (entry, *apierr.Error) {
	e := entry{name: name, path: path + ".embeddings"}
	var failure *apierr.Error
	known := false
	err := membersAt(raw, func(key string, start, end int) {
		if failure != nil {
			return
		}
		switch key {
		case "regenerate":
			value, err := jsonvalue.Parse(raw[start:end]) // each one of several must be a boolean
			if err != nil || value.Kind() != jsonvalue.KindBool {
				failure = badRegenerate(path, &value, raw, start, end, id)
			}
			e.regenerate, known = value.Bool(), true
		case "embeddings":
			value := v.Get(key)
			if e.given = !value.IsNull(); e.given {
				e.vectors = value
			} // null equals absent here, while a null entry means that there are none
		default:
			colon := start - 1
			for colon > 0 && raw[colon] != ':' {
				colon--
			}
			failure = unparsable(path, "trailing characters", raw, colon+1, id)
		}
	})
	switch {
	case failure != nil:
		return e, failure
	case err != nil:
		return e, badEmbedder(id, "Could not parse `"+path+"`: "+err.Error())
	case !known:
		return e, badEmbedder(id, "Missing field `"+path+".regenerate`\n  - note: `"+path+"` must be an array of floats, an array of arrays of floats, or an object with field `regenerate`")
	}
	return e, nil
}

func badRegenerate(path string, value *jsonvalue.Value, raw []byte, start, end int, id string) *apierr.Error {
	read := end
	if value.Kind() == jsonvalue.KindArray || value.Kind() == jsonvalue.KindObject {
		read = start // nothing of it was read
	}
	next := read
	for next < len(raw) && (raw[next] == ' ' || raw[next] == '\t' || raw[next] == '\n' || raw[next] == '\r') {
		next++
	}
	switch {
	case next < len(raw) && raw[next] == ',':
		return unparsable(path, "trailing comma", raw, next+1, id)
	case next < len(raw) && raw[next] != '}':
		return unparsable(path, "trailing characters", raw, next+1, id)
	}
	line, column := jsonvalue.Position(raw[:read])
	return badEmbedder(id, fmt.Sprintf("Could not parse `%s.regenerate`: invalid type: %s, expected a boolean at line %d column %d", path, serdeKind(value), line, column))
}

func unparsable(path, what string, raw []byte, at int, id string) *apierr.Error {
	line, column := jsonvalue.Position(raw[:at])
	return badEmbedder(id, fmt.Sprintf("Could not parse `%s`: %s at line %d column %d", path, what, line, column))
}

// read returns the embedding of an entry.
func (g *entry) read(e *Embedder, id string) (record.Embedding, *apierr.Error) {
	out := record.Embedding{Name: g.name, UserProvided: true, Regenerate: g.regenerate}
	if g.vectors == nil {
		return out, nil
	}
	if g.vectors.Kind() != jsonvalue.KindArray {
		return out, badEmbedder(id, wrongType(g.path, "null or an array", g.vectors))
	}
	items := g.vectors.Members()
	if len(items) == 0 {
		return out, nil
	}
	if items[0].Value.Kind() != jsonvalue.KindArray {
		if failure := appendRow(&out, g.vectors, g.path, true, id); failure != nil {
			return out, failure
		}
		out.Dimensions = len(items)
		return out, checkDimensions(e, id, len(items), 0)
	}
	sizes := make([]int, len(items))
	for i := range items {
		path := fmt.Sprintf("%s[%d]", g.path, i)
		row := &items[i].Value
		if row.Kind() != jsonvalue.KindArray {
			return out, badEmbedder(id, wrongType(path, "an array", row))
		}
		if failure := appendRow(&out, row, path, false, id); failure != nil {
			return out, failure
		}
		sizes[i] = row.Len()
	}
	out.Dimensions = sizes[0]
	for i, n := range sizes {
		if failure := checkDimensions(e, id, n, i); failure != nil {
			return out, failure
		}
		if n != sizes[0] {
			return out, wrongDimensions(e.Name, id, i, n, sizes[0])
		}
	}
	if out.Dimensions == 0 {
		out.Values = nil
	}
	return out, nil
}

func checkDimensions(e *Embedder, id string, n, at int) *apierr.Error {
	if e.Dimensions > 0 && n != e.Dimensions {
		return wrongDimensions(e.Name, id, at, n, e.Dimensions)
	}
	return nil
}

func wrongDimensions(embedder, id string, at, found, want int) *apierr.Error {
	return apierr.New(apierr.CodeInvalidVectorDimensions, fmt.Sprintf(
		"Invalid vector dimensions in document with id `%s` in `._vectors.%s`.\n  - note: embedding #%d has dimensions %d\n  - note: embedder `%s` requires %d",
		id, embedder, at, found, embedder, want))
}

// appendRow appends the numbers of one vector. It refuses those that would be infinite: they
// would be shown and dumped as null, which is not a number.
func appendRow(out *record.Embedding, row *jsonvalue.Value, path string, alone bool, id string) *apierr.Error {
	items := row.Members()
	for i := range items {
		v := &items[i].Value
		switch v.Kind() {
		case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
			x := float32(v.Float())
			if math.IsInf(float64(x), 0) {
				return badEmbedder(id, fmt.Sprintf("Invalid value at `%s[%d]`: expected a number in the range of 32-bit floats, but found `%s`", path, i, v.JSON()))
			}
			out.Values = append(out.Values, x)
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

func wrongType(path, accepted string, v *jsonvalue.Value) string {
	names := map[jsonvalue.Kind]string{
		jsonvalue.KindBool: "a boolean", jsonvalue.KindPositive: "a positive integer", jsonvalue.KindNegative: "a negative integer",
		jsonvalue.KindFloat: "a number", jsonvalue.KindString: "a string", jsonvalue.KindArray: "an array", jsonvalue.KindObject: "an object",
	}
	found := "null"
	if !v.IsNull() {
		found = names[v.Kind()] + ": `" + v.JSON() + "`"
	}
	return "Invalid value type at `" + path + "`: expected " + accepted + ", but found " + found
}

// serdeKind names a value as the reference's parser does.
func serdeKind(v *jsonvalue.Value) string {
	switch v.Kind() {
	case jsonvalue.KindNull:
		return "null"
	case jsonvalue.KindBool:
		return fmt.Sprintf("boolean `%v`", v.Bool())
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		return "integer `" + v.JSON() + "`"
	case jsonvalue.KindFloat:
		return "floating point `" + v.JSON() + "`"
	case jsonvalue.KindString:
		return "string " + jsonvalue.QuoteDebug(v.String())
	case jsonvalue.KindArray:
		return "sequence"
	}
	return "map"
}

// parseMap parses a value that should be an object (spec write-api 8.3). Errors:
// *apierr.Error and *jsonvalue.SyntaxError.
func parseMap(raw []byte) (v jsonvalue.Value, err error) {
	v, err = jsonvalue.Parse(raw)
	line, column := jsonvalue.Position(raw)
	switch {
	case raw[0] == '[': // the reference does not read the elements
		v, column = jsonvalue.ArrayValue(), 0
	case raw[0] == '{':
		return v, err
	case err != nil:
		return v, apierr.New(apierr.CodeInternal, err.Error())
	}
	return v, apierr.New(apierr.CodeInternal, fmt.Sprintf("invalid type: %s, expected a map at line %d column %d", serdeKind(&v), line, column))
}
