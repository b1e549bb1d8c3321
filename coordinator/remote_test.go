package coordinator

import (
	"context"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/coordinator/federation"
)

// postFunc is an Outbound made of a function.
type postFunc func(url string, body []byte) (int, []byte, error)

func (f postFunc) Post(_ context.Context, url string, _ []api.Entry[string], body []byte, _ int64) (int, []byte, error) {
	return f(url, body)
}

// What another instance answers, or fails to, becomes an error of the remote with
// the code that tells whose fault it is (spec search-api 6.6).
func TestRemoteFaults(t *testing.T) {
	for _, c := range []struct {
		status int
		answer string
		err    error
		code   string
		text   string
	}{
		{status: 401, code: "remote_invalid_api_key", text: "could not authenticate against the remote host"},
		{status: 403, code: "remote_invalid_api_key", text: "having the `search` action"},
		{status: 400, answer: `{"message": "no"}`, code: "remote_bad_request", text: "remote host responded with code 400:\n  - response from remote: {\"message\":\"no\"}"},
		{status: 301, answer: "<html>", code: "remote_remote_error", text: "remote host responded with code 301:\n  - response from remote: null"},
		{status: 200, answer: "nonsense", code: "remote_bad_response", text: "could not parse response from the remote host as a federated search response"},
		{status: 200, answer: `{"hits":[{"id":1}]}`, code: "remote_bad_response", text: ""},
		{err: context.DeadlineExceeded, code: "remote_timeout", text: "remote host did not answer before the deadline"},
	} {
		asked := ""
		out := postFunc(func(url string, _ []byte) (int, []byte, error) {
			asked = url
			return c.status, []byte(c.answer), c.err
		})
		got := askRemote(context.Background(), out, "r", api.NetworkRemote{URL: "http://r/"}, &api.Federation{}, nil)
		if got.fault == nil || got.fault.Code.Name != c.code || !strings.Contains(got.fault.Message, c.text) {
			t.Errorf("%d %s %v: %v, want %s %q", c.status, c.answer, c.err, got.fault, c.code, c.text)
		}
		if asked != "http://r/multi-search" {
			t.Errorf("asked %s", asked)
		}
	}
}

// The codes of errors about several queries, or several indexes, together.
func TestFederationCodes(t *testing.T) {
	var order federation.OrderCheck
	byCount := api.DefaultSettings()
	byCount.SortFacetValuesBy = map[string]string{"f": "count"}
	if err := order.Add("a", []string{"f"}, api.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	var fault *api.Error
	if fault = order.Add("b", []string{"f"}, byCount); fault == nil || fault.Code.Name != "invalid_multi_search_facet_order" {
		t.Errorf("%v", fault)
	}
	if err := duplicateSwap([]string{"a"}); err.Code.Name != "invalid_swap_duplicate_index_found" ||
		err.Message != "Indexes must be declared only once during a swap. `a` was specified several times." {
		t.Errorf("%v", err)
	}
}

func TestFacetSearchLeftOtherInstancesOut(t *testing.T) {
	var asked string
	out := postFunc(func(url string, body []byte) (int, []byte, error) {
		asked = url + " " + string(body)
		return 200, []byte(`{"facetHits":[{"value":"a","count":2},{"value":"c","count":1}],"facetQuery":"x","processingTimeMs":1}`), nil
	})
	q := "x"
	request := &api.FacetSearchRequest{FacetName: "f", FacetQuery: &q, Filter: []byte(`"a = 1"`), MatchingStrategy: api.MatchAll, UseNetwork: new(bool)}
	var list []api.FacetValue
	fault := postRemote(context.Background(), out, api.NetworkRemote{URL: "http://r/"}, "/indexes/i/facet-search", facetBody(request), func(answer []byte) (refused *api.Error) {
		list, refused = parseFacetHits(answer)
		return refused
	})
	const want = `http://r/indexes/i/facet-search {"facetQuery":"x","facetName":"f","filter":"a = 1","matchingStrategy":"all"}`
	if fault != nil || asked != want {
		t.Errorf("%v, asked %s", fault, asked)
	}
	local := func() []api.FacetValue { return []api.FacetValue{{Value: "B", Count: 3}, {Value: "a", Count: 2}} }
	if got := mergeFacetHits([][]api.FacetValue{list, local()}, false); !slices.Equal(got, []api.FacetValue{{Value: "B", Count: 3}, {Value: "a", Count: 4}, {Value: "c", Count: 1}}) {
		t.Errorf("by value: %v", got)
	}
	if got := mergeFacetHits([][]api.FacetValue{list, local()}, true); !slices.Equal(got, []api.FacetValue{{Value: "a", Count: 4}, {Value: "B", Count: 3}, {Value: "c", Count: 1}}) {
		t.Errorf("by count: %v", got)
	}
	if _, fault := parseFacetHits([]byte(`{"facetHits":[{"value":1}]}`)); fault == nil || fault.Code != api.CodeRemoteBadResponse {
		t.Errorf("%v", fault)
	}
}
