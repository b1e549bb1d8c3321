package projection

import (
	"strings"
	"testing"

	"shoal/api/jsonvalue"
)

func TestSelection(t *testing.T) {
	const document = `{"id":1,"n":{"y":1e2,"x":{"z":2,"w":3}},"arr":[{"k":1,"l":2},{"l":3},7,[{"k":[4]}]],"a.b":5,"a":{"b":6,"c":7},"_vectors":{"m":[1]},"s":"\u00e9\/"}`
	fields := []string{"id", "n", "n.y", "n.x", "n.x.z", "arr", "arr.k", "a.b", "a", "a.c", "_vectors", "s", "id.x"}
	doc, err := jsonvalue.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"n"}, `{"n":{"y":100.0,"x":{"z":2,"w":3}}}`},
		{[]string{"n.x.z", "id"}, `{"id":1,"n":{"x":{"z":2}}}`},
		{[]string{"n.y", "n"}, `{"n":{"y":100.0,"x":{"z":2,"w":3}}}`},
		{[]string{"arr.k"}, `{"arr":[{"k":1},{},7,[{"k":[4]}]]}`},
		{[]string{"a.b"}, `{"a.b":5,"a":{"b":6}}`},
		{[]string{"a.c"}, `{"a":{"c":7}}`},
		{[]string{"id.x"}, `{"id":1}`},
		{[]string{"n.nope", "zz"}, `{}`},
		{[]string{}, `{}`},
		{[]string{"s"}, `{"s":"é/"}`},
	} {
		if got := string(Of(c.names, fields).Append(nil, &doc)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.names, got, c.want)
		}
	}
	var all *Selection
	if got := string(all.Append(nil, &doc)); got != doc.JSON() {
		t.Error(got)
	}
	if got := string(all.Without("_vectors").Append(nil, &doc)); got != `{"id":1,"n":{"y":100.0,"x":{"z":2,"w":3}},"arr":[{"k":1,"l":2},{"l":3},7,[{"k":[4]}]],"a.b":5,"a":{"b":6,"c":7},"s":"é/"}` {
		t.Error(got)
	}
	if got := string(Of([]string{"_vectors", "id"}, fields).Without("_vectors").Append(nil, &doc)); got != `{"id":1}` {
		t.Error(got)
	}
	if got := string(Of(nil, fields).Without("_vectors").Append(nil, &doc)); got != `{}` {
		t.Error(got)
	}
}

// A selector for a field below a member leaves values that are not objects unchanged.
func TestValuesBesideObjects(t *testing.T) {
	fields := []string{"a", "a.b", "a.b.c", "b", "a.d"}
	for _, c := range []struct{ document, name, want string }{
		{`{"a":"x","b":1}`, "a.b", `{"a":"x"}`},
		{`{"a":null}`, "a.b", `{"a":null}`},
		{`{"a":["x",null,{"b":1,"c":2},{"c":3},[4,{"c":5}],[]]}`, "a.b", `{"a":["x",null,{"b":1},{},[4,{}],[]]}`},
		{`{"a":{"b":["x",{"c":1,"d":2}],"c":3}}`, "a.b.c", `{"a":{"b":["x",{"c":1}]}}`},
		{`{"a":{"b":true,"c":3}}`, "a.b.c", `{"a":{"b":true}}`},
		{`{"a.b":"x","a":{}}`, "a.b.c", `{"a.b":"x","a":{}}`},
		{`{"a":{"b.c":1,"bc":2,"b":3}}`, "a.b", `{"a":{"b.c":1,"b":3}}`},
		{`{"a.b":1,"a":2}`, "a", `{"a":2}`},
		{`{"ab":1,"b":2}`, "a.b", `{}`},
		{`{"a.b":{"c":1,"d":2}}`, "a", `{}`},
	} {
		doc, err := jsonvalue.Parse([]byte(c.document))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Of([]string{c.name}, fields).Append(nil, &doc)); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.name, c.document, got, c.want)
		}
	}
}

// TestTheLastSelectedMemberTakesThePlaceOfARemovedOne, if the document has that.
func TestTheLastSelectedMemberTakesThePlaceOfARemovedOne(t *testing.T) {
	for _, c := range []struct{ document, names, want string }{
		{`{"v":1,"a":2,"b":3,"c":4}`, "a b c", `{"c":4,"a":2,"b":3}`},
		{`{"a":1,"v":2,"b":3,"c":4}`, "a b", `{"a":1,"b":3}`},
		{`{"a":1,"v":2,"b":3,"c":4}`, "a v c", `{"a":1,"c":4}`},
		{`{"v":1,"a":{"x":1,"y":2},"b":3,"c":4}`, "a.x b", `{"b":3,"a":{"x":1}}`},
		{`{"v":1,"a":2}`, "v", `{}`},
		{`{"a":1,"b":3,"v":2}`, "a b", `{"a":1,"b":3}`},
		{`{"a":1,"b":3,"c":4}`, "a c", `{"a":1,"c":4}`},
	} {
		doc, err := jsonvalue.Parse([]byte(c.document))
		if err != nil {
			t.Fatal(err)
		}
		s := Of(strings.Fields(c.names), []string{"a", "a.x", "b", "c", "v"}).Removing("v")
		if got := string(s.Append(nil, &doc)); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.names, c.document, got, c.want)
		}
	}
}

// The reference needs a selector that begins with the name of the member, and then keeps
// what is below any selector.
func TestAMemberWithDotsIsKeptWholeByItsBeginning(t *testing.T) {
	const document = `{"a.b":{"c":1,"d":2},"a":{"x":1}}`
	doc, err := jsonvalue.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	s := Of([]string{"a", "a.b.c"}, []string{"a", "a.b.c", "a.b.d"})
	var transcript jsonvalue.Transcript
	copied, ok := s.AppendStored(nil, []byte(document), &transcript)
	if got := string(s.Append(nil, &doc)); got != document || ok && "{"+string(copied)+"}" != document {
		t.Errorf("got %s, copied %s, want all of %s", got, copied, document)
	}
}

// Copying from the text of a document gives the same as writing its values, for every
// selection of up to two names.
func TestSelectionsOfTexts(t *testing.T) {
	fields := []string{"id", "n", "n.y", "s", "a.b", "a", "_vectors", "e\u0301"}
	documents := []string{
		`{"id":1,"n":{"y":1e2,"x":{"z":2}},"s":"\u00e9\/","a.b":5,"a":{"b":6,"c":7},"_vectors":{"m":[1]}}`,
		`{"_vectors":null,"id":"x"}`, `{}`, `{"n":[1.50,-0],"e\u0301":"é","s":"plain"}`,
	}
	var transcript jsonvalue.Transcript
	copied := 0
	for _, document := range documents {
		doc, err := jsonvalue.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range append(fields, "none") {
			for _, two := range fields {
				for _, s := range []*Selection{nil, Of([]string{one, two}, fields), (*Selection)(nil).Without(one), Of([]string{one, two}, fields).Without("_vectors"), Of([]string{one, two}, fields).Removing("s"), (*Selection)(nil).Removing(one)} {
					got, ok := s.AppendStored([]byte("{"), []byte(document), &transcript)
					if want := string(s.Append(nil, &doc)); ok && string(got)+"}" != want {
						t.Errorf("%s, %s of %s: %s, want %s", one, two, document, got, want)
					}
					if ok {
						copied++
					}
				}
			}
		}
	}
	if copied < 500 {
		t.Errorf("only %d documents were copied", copied)
	}
}
