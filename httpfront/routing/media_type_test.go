package routing

import "testing"

// Parameters without an end, and a space before a semicolon, were accepted. The reference
// refuses such uploads.
func TestContentTypesAreReadAsInTheReference(t *testing.T) {
	for header, want := range map[string]string{
		"text/csv": "text/csv", "TEXT/CSV": "text/csv", "text/csv;": "text/csv", "text/csv;  ": "text/csv", "text/csv; q=": "text/csv",
		`text/csv; q="a"`: "text/csv", `text/csv;q="a" ; p=1`: "text/csv", `text/csv; q="";"`: "text/csv", "text/csv;q=1;p=2;": "text/csv",
		"application/vnd.api+json": "application/vnd.api json", "application/a+b+json": "application/a+b json", "application/json+": "application/json",
		"application/+json": "application/+json", "application/": "application/", "*/*": "*/*",
		"": "-", "text": "-", "/csv": "-", "text/csv/x": "-", "text/csv ; q=1": "-", " text/csv": "-", "text/csv; q": "-", "text/csv; q=1;;": "-",
		`text/csv; q="a`: "-", `text/csv; q="`: "-", `text/csv; q=""`: "-", `text/csv; q="a"b`: "-", "text/csv; q=a b": "-", "text/csv;;": "-", "text/;": "-", "text/csv,text/csv": "-",
		"text/c\u00e9": "-", "text/csv; q=\"\t\"": "-", "text/csv; q=;p=1": "-", "text/csv;\tq=1": "-",
	} {
		m, ok := ParseMediaType(header)
		got := m.Kind + "/" + m.Subtype
		switch {
		case !ok:
			got = "-"
		case m.Suffix != "":
			got += " " + m.Suffix
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
}
