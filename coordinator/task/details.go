package task

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// zeroed returns a function that sets one counter of a details object to 0.
func zeroed(name string) func([]byte) []byte {
	return func(details []byte) []byte { return WithCount(details, name, 0) }
}

// WithCount returns details with the counter name set to n. A missing counter stays missing.
func WithCount(details []byte, name string, n uint64) []byte {
	return withRaw(details, name, strconv.AppendUint(nil, n, 10))
}

// WithJSON is WithCount for a value given as JSON text.
func WithJSON(details []byte, name string, value []byte) []byte { return withRaw(details, name, value) }

// WithText is WithCount for a string value.
func WithText(details []byte, name, value string) []byte {
	return withRaw(details, name, quoted(value))
}

func withRaw(details []byte, name string, value []byte) []byte {
	o := parseObject(details)
	for i := range o {
		if o[i].name == name {
			o[i].value = value
		}
	}
	return o.encode()
}

// member is one member of a details object; its value is JSON text.
type member struct {
	name  string
	value []byte
}

type object []member

// parseObject reads a details object that this package encoded, keeping the
// order of its members. Anything else gives an empty object.
func parseObject(data []byte) object {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	var o object
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return o
		}
		name, _ := tok.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return o
		}
		o = append(o, member{name, value})
	}
	return o
}

func (o object) encode() []byte {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quoted(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func (o object) find(name string) int {
	for i := range o {
		if o[i].name == name {
			return i
		}
	}
	return -1
}

// quoted returns the JSON text of a string, in the form of the public interface.
func quoted(s string) []byte { return jsonvalue.AppendString(nil, s) }

// nullable is quoted, with null for nil.
func nullable(s *string) []byte {
	if s == nil {
		return []byte("null")
	}
	return quoted(*s)
}

// encode returns the JSON text of v, without HTML escapes. v must be encodable.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("task: " + err.Error()) // a programming error: the types here always encode
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// detailOrder is the order of members inside details (spec tasks-auth-ops-api 2.4). Those of
// settings are in the order of their table.
var detailOrder = slices.Concat(
	strings.Fields(`receivedDocuments indexedDocuments editedDocuments primaryKey providedIds
deletedDocuments matchedTasks canceledTasks deletedTasks originalFilter dumpUid context function`),
	settingNames(),
	strings.Fields(`swaps upgradeFrom upgradeTo url apiKey payloadSize indexes oldIndexUid newIndexUid preCompactionSize
postCompactionSize movedDocuments message rule updatedRules`))

func settingNames() []string {
	var names []string
	for _, s := range settings.Table() {
		names = append(names, s.Name)
	}
	return names
}

// rank returns the position of a member name; unknown names come last.
func rank(name string) int {
	for i, n := range detailOrder {
		if n == name {
			return i
		}
	}
	return len(detailOrder)
}
