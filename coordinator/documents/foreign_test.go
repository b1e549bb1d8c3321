package documents

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/query/filter"
	"shoal/wire"
)

func foreignOver(t *testing.T, n int) (*Documents, *wire.Index) {
	t.Helper()
	log, shards, books := coordtest.NewForeignLog(t, n)
	features := func() settings.Features { return settings.Features{ForeignKeys: true} }
	return New(log, shards, "a", features), books
}

func TestForeignConditionsBecomeIDs(t *testing.T) {
	d, books := foreignOver(t, 3)
	for _, c := range []struct{ filter, want, fails string }{
		{"a = 1 AND NOT _foreign(author, n > 0)", `("a" = "1") AND (NOT ("author" IN ["0", "1", "2"]))`, ""},
		{"a = 1", `"a" = "1"`, ""},
		{"_foreign(title, n = 1)", "", "Index `books`: Field `title` is not a foreign key"},
		{"_foreign(author, n = 1 AND _foreign(author, n = 1))", "", "Index `books`: Nested foreign filters are not supported"},
		{"_foreign(author, z = 1)", "", "Index `x`: Attribute `z` is not filterable. Available filterable attribute patterns are: `n`.\n18:19 _foreign(author, z = 1)"},
		{"_foreign(lost, z = 1)", "", "Index `gone` not found."},
		{"_foreign(y, n = 1) OR _foreign(z, n = 1)", "", "Index `books`: Field `z` is not a foreign key"},
		{"_foreign(author, z = 1) AND NOT _foreign(author, y = 1)", "", "Index `x`: Attribute `y` is not filterable. Available filterable attribute patterns are: `n`.\n50:51 _foreign(author, y = 1)"},
	} {
		parsed, fault := filter.ParseFilterText(c.filter)
		if fault != nil {
			t.Fatal(fault)
		}
		got, err := d.ResolveForeign(context.Background(), books, parsed)
		switch {
		case err != nil && err.Error() != c.fails:
			t.Errorf("%s: %v", c.filter, err)
		case err == nil && (c.fails != "" || got.String() != c.want):
			t.Errorf("%s: got %s, want %s %s", c.filter, got, c.want, c.fails)
		}
	}
	d, books = foreignOver(t, 1000)
	parsed, _ := filter.ParseFilterText("_foreign(author, n > 0)")
	if got, err := d.ResolveForeign(context.Background(), books, parsed); err != nil || !strings.Contains(got.String(), `"999"`) {
		t.Errorf("1,000 documents: %v %v", got, err)
	}
	d, books = foreignOver(t, 1001)
	if _, err := d.ResolveForeign(context.Background(), books, parsed); err == nil || !strings.HasPrefix(err.Error(), "Index `x`: Foreign filter is retrieving too many documents") {
		t.Error(err)
	}
}

// Shards get the canonical text of the inner filter, and their errors quoted it. Without documents
// the filter was not tried at all.
func TestErrorsInsideForeignConditionsQuoteTheClientsText(t *testing.T) {
	const want = "Index `x`: Attribute `_geo/_geojson` is not filterable. Available filterable attribute patterns are: `n`.\n30:31 _foreign(author,( _geoRadius(1,2,3 )))"
	log, shards, books := coordtest.NewForeignLog(t, 3)
	shards.Refuse = apierr.New(apierr.CodeInvalidDocumentFilter, "canonical").At(1)
	d := New(log, shards, "a", func() settings.Features { return settings.Features{ForeignKeys: true} })
	parsed, _ := filter.ParseFilterText("_foreign(author,( _geoRadius(1,2,3 )))")
	for _, key := range []*string{log.State.ByID[1].PrimaryKey, nil} {
		log.State.ByID[1].PrimaryKey = key
		if _, err := d.ResolveForeign(t.Context(), books, parsed); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
}

// A regression test: anybody who could search an index with a foreign key could have another
// index listed 16,000 times with one filter.
func TestForeignConditionsAreBounded(t *testing.T) {
	d, books := foreignOver(t, 3)
	for n, want := range map[int]string{foreignConditions: "", foreignConditions + 1: "Index `books`: The filter has more than 100 `_foreign` conditions."} {
		parsed, fault := filter.ParseFilterText(strings.Repeat("_foreign(author, n > 7) OR ", n-1) + "_foreign(author, n > 7)")
		if fault != nil {
			t.Fatal(fault)
		}
		_, err := d.ResolveForeign(t.Context(), books, parsed)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got != want {
			t.Errorf("%d conditions: %v", n, err)
		}
	}
}
