package value

import (
	"bytes"
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
)

// maxJSONDepth bounds nested arrays and objects of documents, both ways.
const maxJSONDepth = 256

// Decode reads a JSON value. Of members with the same name the last one wins.
func Decode(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return Value{}, err
	}
	if d.More() {
		return Value{}, Failed("trailing characters after the JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (Value, error) {
	t, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := t.(type) {
	case bool:
		return Bool(t), nil
	case string:
		return String(t), nil
	case json.Number:
		return numberOf(string(t)), nil
	case json.Delim:
		if depth == maxJSONDepth {
			return Value{}, Failed("recursion limit exceeded")
		}
		if t == '[' {
			return decodeList(d, depth+1)
		}
		return decodeDict(d, depth+1)
	}
	return Value{}, nil
}

func decodeList(d *json.Decoder, depth int) (Value, error) {
	var items []Value
	for d.More() {
		v, err := decodeValue(d, depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	_, err := d.Token()
	return Array(items), err
}

func decodeDict(d *json.Decoder, depth int) (Value, error) {
	var entries []Entry
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Value{}, err
		}
		v, err := decodeValue(d, depth)
		if err != nil {
			return Value{}, err
		}
		name, _ := key.(string)
		entries = append(entries, Entry{name, v})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Key < entries[j].Key })
	unique := entries[:0]
	for i, e := range entries {
		if i+1 == len(entries) || entries[i+1].Key != e.Key {
			unique = append(unique, e)
		}
	}
	_, err := d.Token()
	return Object(unique), err
}

// numberOf reads a JSON number. A float keeps its text, so that it is written unchanged. An
// integer beyond 64 bits with a sign becomes a float, as in the reference.
func numberOf(s string) Value {
	whole := !strings.ContainsAny(s, ".eE") && s != "-0"
	if whole {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return Int(i)
		}
	}
	f, ok := jsonvalue.ParseFloat(s)
	if !ok { // an infinity keeps its text as well
		f = math.Inf(1)
		if s[0] == '-' {
			f = math.Inf(-1)
		}
	}
	v := Float(f)
	if !whole || math.IsInf(f, 0) {
		v.Text = s
	}
	return v
}

// AppendValue writes a value as JSON, the members of objects by name.
func AppendValue(dst []byte, v *Value, depth int) ([]byte, error) {
	if depth > maxJSONDepth {
		return nil, Failed("recursion limit exceeded")
	}
	switch v.Kind {
	case KindBool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case KindInt:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case KindFloat:
		return appendFloat(dst, v), nil
	case KindChar:
		return jsonvalue.AppendString(dst, string(v.Rune())), nil
	case KindString:
		return jsonvalue.AppendString(dst, v.Text), nil
	case KindFunction:
		return jsonvalue.AppendString(dst, v.functionName()), nil
	case KindRange:
		return jsonvalue.AppendString(dst, v.Range().implementation()), nil
	case KindIterator:
		return jsonvalue.AppendString(dst, v.Iterator().Source), nil
	case KindArray:
		dst = append(dst, '[')
		for i := range v.List().Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = AppendValue(dst, &v.List().Items[i], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case KindObject:
		return AppendEntries(dst, v.Dict().Entries, depth+1)
	}
	return append(dst, "null"...), nil
}

func appendFloat(dst []byte, v *Value) []byte {
	f := v.Float()
	switch {
	case v.Text != "":
		return append(dst, v.Text...)
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	}
	return jsonvalue.AppendFloat(dst, f)
}

// AppendEntries writes members as a JSON object. depth is its depth of nesting.
func AppendEntries(dst []byte, entries []Entry, depth int) ([]byte, error) {
	dst = append(dst, '{')
	for i := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonvalue.AppendString(dst, entries[i].Key), ':')
		var err error
		if dst, err = AppendValue(dst, &entries[i].Value, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
