package documents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

func listingOver(t *testing.T, n int, shards *coordtest.ListShards) *Documents {
	t.Helper()
	return New(coordtest.NewListLog(t, n, shards), shards, "a", func() settings.Features { return settings.Features{} })
}

func TestDocumentsOverShards(t *testing.T) {
	values := map[uint32]int{0: 5, 1: 3, 2: 5, 3: 1, 7: 3, 8: 9}
	for n := 1; n <= 3; n++ {
		d := listingOver(t, n, &coordtest.ListShards{Values: values})
		for _, c := range []struct {
			want string
			r    api.DocumentsRequest
		}{
			{"6: 0 1 2 3 7 8", api.DocumentsRequest{Limit: 20}},
			{"6: 2 3", api.DocumentsRequest{Offset: 2, Limit: 2}},
			{"6:", api.DocumentsRequest{Offset: 1 << 63, Limit: 1 << 63}},
			{"6:", api.DocumentsRequest{}},
			{"6: 3 1 7 0 2 8", api.DocumentsRequest{Limit: 20, Sort: []string{"n:asc"}}},
			{"6: 0 2", api.DocumentsRequest{Offset: 1, Limit: 2, Sort: []string{"n:desc"}}},
			{"2: 1 8", api.DocumentsRequest{Limit: 2, IDs: []string{"8", "1", "6"}}},
		} {
			page, err := d.Documents(context.Background(), "x", &c.r)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(page.Total, ":")
			for _, doc := range page.Documents {
				got += " " + strings.TrimPrefix(strings.Split(string(doc), ",")[0], `{"id":`)
			}
			if got != c.want {
				t.Errorf("%d shards, %+v: got %q, want %q", n, c.r, got, c.want)
			}
		}
	}
}

func TestDocumentsErrors(t *testing.T) {
	evaluation := apierr.New(apierr.CodeInvalidDocumentFilter, "evaluation")
	d := listingOver(t, 2, &coordtest.ListShards{Refuse: evaluation})
	for _, c := range []struct {
		uid, starts string
		r           api.DocumentsRequest
	}{
		{"none", "Invalid syntax for the sort parameter", api.DocumentsRequest{Sort: []string{"n"}, Filter: []byte(`"n ="`)}},
		{"none", "Index `none` not found.", api.DocumentsRequest{Filter: []byte(`"n ="`)}},
		{"x", "Was expecting a value", api.DocumentsRequest{Filter: []byte(`"n ="`), Sort: []string{"z:asc"}}},
		{"x", "Using `CONTAINS` in a filter requires", api.DocumentsRequest{Filter: []byte(`"n CONTAINS 1"`)}},
		{"x", "Attribute `z` is not filterable.", api.DocumentsRequest{Filter: []byte(`"z = 1"`), Sort: []string{"z:asc"}}},
		{"x", "evaluation", api.DocumentsRequest{Filter: []byte(`"n = 1"`), Sort: []string{"z:asc"}}},
		{"x", "Attribute `z` is not sortable. Available sortable attributes are: `n`.", api.DocumentsRequest{Sort: []string{"z:asc"}}},
		{"x", "Attribute `_geo` is not sortable.", api.DocumentsRequest{Sort: []string{"_geoPoint(1,2):asc"}}},
	} {
		_, err := d.Documents(context.Background(), c.uid, &c.r)
		if err == nil || !strings.HasPrefix(err.Error(), c.starts) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
}

func TestDocumentFailsOver(t *testing.T) {
	shards := &coordtest.ListShards{Values: map[uint32]int{3: 1}}
	d := listingOver(t, 1, shards)
	doc, err := d.Document(context.Background(), "x", "3", nil, false)
	if err != nil || string(doc) != `{"id":3,"n":1}` || !slices.Equal(shards.Asked, []string{"a", "b"}) {
		t.Errorf("%s %v %v", doc, err, shards.Asked)
	}
	shards.Gone = 1
	if _, err := d.Document(context.Background(), "x", "3", nil, false); err != nil {
		t.Errorf("one version gone: %v", err)
	}
	shards.Gone = 2
	if _, err := d.Document(context.Background(), "x", "3", nil, false); !errors.Is(err, wire.ErrGone) {
		t.Errorf("two versions gone: %v", err)
	}
	if _, err := d.Document(context.Background(), "x", "4", nil, false); err == nil || err.Error() != "Document `4` not found." {
		t.Error(err)
	}
}
