package dump

import (
	"bytes"
	"encoding/json"
	"strconv"

	"shoal/api/jsonvalue"
)

// member is one member of an object, its value JSON text.
type member struct {
	name  string
	value json.RawMessage
}

// object is written in its order.
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

// tagged is {"tag": value}.
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

// orNull is raw, or null when there is none.
func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return null
	}
	return raw
}

// encode is the JSON text of v without HTML escapes.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// decodeObject reads an object's members; null and absence are an empty one.
func decodeObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var m map[string]json.RawMessage
	err := json.Unmarshal(raw, &m)
	return m, err
}

// variant reads an externally tagged value: "tag" or {"tag": content}. Null and
// absence give no tag.
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
