package projection

import (
	"testing"

	"shoal/api"
)

func TestSelection(t *testing.T) {
	const document = `{"id":1,"n":{"y":1e2,"x":{"z":2,"w":3}},"arr":[{"k":1,"l":2},{"l":3},7,[{"k":[4]}]],"a.b":5,"a":{"b":6,"c":7},"_vectors":{"m":[1]},"s":"\u00e9\/"}`
	fields := []string{"id", "n", "n.y", "n.x", "n.x.z", "arr", "arr.k", "a.b", "a", "a.c", "_vectors", "s", "id.x"}
	doc, err := api.ParseJSON([]byte(document))
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
		{[]string{"arr.k"}, `{"arr":[{"k":1},{},[{"k":[4]}]]}`},
		{[]string{"a.b"}, `{"a.b":5,"a":{"b":6}}`},
		{[]string{"a.c"}, `{"a":{"c":7}}`},
		{[]string{"id.x"}, `{}`},
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
