package script

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

// decode reads a JSON value. Later members win over earlier ones of that name.
func decode(data []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return value{}, err
	}
	if d.More() {
		return value{}, failed("trailing characters after the JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (value, error) {
	t, err := d.Token()
	if err != nil {
		return value{}, err
	}
	switch t := t.(type) {
	case bool:
		return boolOf(t), nil
	case string:
		return textOf(t), nil
	case json.Number:
		return numberOf(string(t)), nil
	case json.Delim:
		if depth == maxJSONDepth {
			return value{}, failed("recursion limit exceeded")
		}
		if t == '[' {
			return decodeList(d, depth+1)
		}
		return decodeDict(d, depth+1)
	}
	return value{}, nil
}

func decodeList(d *json.Decoder, depth int) (value, error) {
	var items []value
	for d.More() {
		v, err := decodeValue(d, depth)
		if err != nil {
			return value{}, err
		}
		items = append(items, v)
	}
	_, err := d.Token()
	return listOf(items), err
}

func decodeDict(d *json.Decoder, depth int) (value, error) {
	var entries []entry
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return value{}, err
		}
		v, err := decodeValue(d, depth)
		if err != nil {
			return value{}, err
		}
		name, _ := key.(string)
		entries = append(entries, entry{name, v})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	unique := entries[:0]
	for i, e := range entries {
		if i+1 == len(entries) || entries[i+1].key != e.key {
			unique = append(unique, e)
		}
	}
	_, err := d.Token()
	return dictOf(unique), err
}

// numberOf reads a JSON number. Floats remember how they were written, so that
// they leave as they came; integers beyond 64 bits are floats that do.
func numberOf(s string) value {
	if !strings.ContainsAny(s, ".eE") && s != "-0" {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return intOf(i)
		}
	}
	// Out of range yields an infinity, which keeps the text as well.
	f, _ := strconv.ParseFloat(s, 64)
	v := floatOf(f)
	v.text = s
	return v
}

// appendValue writes a value as JSON, the members of objects by name.
func appendValue(dst []byte, v *value, depth int) ([]byte, error) {
	if depth > maxJSONDepth {
		return nil, failed("recursion limit exceeded")
	}
	switch v.kind {
	case boolean:
		return strconv.AppendBool(dst, v.bool()), nil
	case integer:
		return strconv.AppendInt(dst, v.int(), 10), nil
	case float:
		return appendFloat(dst, v), nil
	case char:
		return jsonvalue.AppendString(dst, string(v.rune())), nil
	case text:
		return jsonvalue.AppendString(dst, v.text), nil
	case function:
		return jsonvalue.AppendString(dst, v.functionName()), nil
	case interval:
		var b strings.Builder
		v.span().write(&b)
		return jsonvalue.AppendString(dst, b.String()), nil
	case array:
		dst = append(dst, '[')
		for i := range v.list().items {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendValue(dst, &v.list().items[i], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case object:
		return appendEntries(dst, v.dict().entries, depth+1)
	}
	return append(dst, "null"...), nil
}

func appendFloat(dst []byte, v *value) []byte {
	f := v.float()
	switch {
	case v.text != "":
		return append(dst, v.text...)
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	}
	return jsonvalue.AppendFloat(dst, f)
}

func appendEntries(dst []byte, entries []entry, depth int) ([]byte, error) {
	dst = append(dst, '{')
	for i := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonvalue.AppendString(dst, entries[i].key), ':')
		var err error
		if dst, err = appendValue(dst, &entries[i].value, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
