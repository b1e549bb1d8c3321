package httpfront

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/httpfront/openapi"
)

// TestOpenAPIIsThatOfTheGoldenFile: a change in what clients are told about a route shows
// in the diff of the file (renew it with -rewrite).
func TestOpenAPIIsThatOfTheGoldenFile(t *testing.T) {
	whole := membersOf(t, openapi.Describe(table()))
	paths := membersOf(t, find(whole, "paths"))
	schemas := membersOf(t, find(membersOf(t, find(whole, "components")), "schemas"))
	seen := map[string]bool{}
	datadriven.RunTest(t, "testdata/openapi.txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "order" { // of paths, as they are written
			var b strings.Builder
			for _, m := range paths {
				b.WriteString(m.name + "\n")
			}
			return b.String()
		}
		name := d.CmdArgs[0].Key
		raw := map[string]json.RawMessage{"path": find(paths, name), "schema": find(schemas, name), "member": find(whole, name)}[d.Cmd]
		if raw == nil {
			return "no such thing\n"
		}
		seen[name] = true
		return layout(t, raw, "") + "\n"
	})
	for _, m := range paths {
		if !seen[m.name] {
			t.Errorf("testdata/openapi.txt has no path %s", m.name)
		}
	}
}

type namedValue struct {
	name  string // "" in a list
	value json.RawMessage
}

func find(list []namedValue, name string) json.RawMessage {
	for _, m := range list {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// membersOf lists the members of an object, or the elements of a list, in the order
// in which they are written.
func membersOf(t *testing.T, raw json.RawMessage) []namedValue {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	var out []namedValue
	for dec.More() {
		var m namedValue
		if open == json.Delim('{') {
			name, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			m.name = name.(string)
		}
		if err := dec.Decode(&m.value); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// layout writes what fits on one line of 120 bytes, the rest one member a line.
func layout(t *testing.T, raw json.RawMessage, indent string) string {
	t.Helper()
	if raw[0] != '{' && raw[0] != '[' || len(indent)+len(raw) <= 120 {
		return string(raw)
	}
	var b strings.Builder
	b.WriteByte(raw[0])
	for i, m := range membersOf(t, raw) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + " ")
		if raw[0] == '{' {
			b.WriteString(`"` + m.name + `": `)
		}
		b.WriteString(layout(t, m.value, indent+" "))
	}
	b.WriteString("\n" + indent + string(raw[len(raw)-1]))
	return b.String()
}
