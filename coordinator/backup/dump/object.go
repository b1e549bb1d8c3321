package dump

import (
	"bytes"
	"encoding/json"
	"strconv"

	"shoal/api/jsonvalue"
)

// member is one member of an object; its value is JSON text.
type member struct {
	name  string
	value json.RawMessage
}

// object is a JSON object that keeps the order of its members.
type object []member

func (o object) encode() json.RawMessage {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(jsonvalue.AppendString(out, m.name), ':'), m.value...)
	}
	return append(out, '}')
}

// tagged returns {"tag": value}.
func tagged(tag string, value json.RawMessage) json.RawMessage {
	return object{{tag, value}}.encode()
}

var null = json.RawMessage("null")

func quoted(s string) json.RawMessage { return jsonvalue.AppendString(nil, s) }

func optionalText(s *string) json.RawMessage {
	if s == nil {
		return null
	}
	return quoted(*s)
}

func count(n uint64) json.RawMessage { return strconv.AppendUint(nil, n, 10) }

func flag(b bool) json.RawMessage { return strconv.AppendBool(nil, b) }

// orNull returns raw, or null for no JSON.
func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return null
	}
	return raw
}

// encode returns the JSON text of v without HTML escapes.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// decodeObject reads an object's members. Null and absence count as an empty object.
func decodeObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var m map[string]json.RawMessage
	err := json.Unmarshal(raw, &m)
	return m, err
}

// variant reads an externally tagged value: "tag" or {"tag": content}. Null and absence give no
// tag.
func variant(raw json.RawMessage) (tag string, content json.RawMessage, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &tag)
		return tag, nil, err
	}
	m, err := decodeObject(raw)
	if err != nil {
		return "", nil, err
	}
	if len(m) != 1 {
		return "", nil, damaged("a variant with %d names", len(m))
	}
	for tag, content = range m {
	}
	return tag, content, nil
}
