package federated

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/parameter"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/merge"
	"shoal/coordinator/search"
	"shoal/coordinator/task"
)

// postFunc is an Outbound made from a function.
type postFunc func(url string, body []byte) (int, []byte, error)

func (f postFunc) Post(_ context.Context, url string, _ []decode.Entry[string], body []byte, _ int64) (int, []byte, error) {
	return f(url, body)
}

// Each bad answer of another instance, or its absence, becomes an error of the remote. Its code
// tells whose fault it is (spec search-api 6).
func TestFaultsOfRemotesHaveTheirCodes(t *testing.T) {
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
		got := remotes{out, time.Minute}.ask(context.Background(), "r", api.NetworkRemote{URL: "http://r/"}, &api.Federation{}, nil)
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
	var order merge.OrderCheck
	byCount := settings.Default()
	byCount.SortFacetValuesBy = map[string]string{"f": "count"}
	if err := order.Add("a", []string{"f"}, settings.Default()); err != nil {
		t.Fatal(err)
	}
	var fault *apierr.Error
	if fault = order.Add("b", []string{"f"}, byCount); fault == nil || fault.Code.Name != "invalid_multi_search_facet_order" {
		t.Errorf("%v", fault)
	}
	if err := task.DuplicateSwap([]string{"a"}); err.Code.Name != "invalid_swap_duplicate_index_found" ||
		err.Message != "Indexes must be declared only once during a swap. `a` was specified several times." {
		t.Errorf("%v", err)
	}
}

func TestAFacetSearchReachesOtherInstances(t *testing.T) {
	var asked string
	out := postFunc(func(url string, body []byte) (int, []byte, error) {
		asked = url + " " + string(body)
		return 200, []byte(`{"facetHits":[{"value":"a","count":2},{"value":"c","count":1}],"facetQuery":"x","processingTimeMs":1}`), nil
	})
	q := "x"
	request := &api.FacetSearchRequest{FacetName: "f", FacetQuery: &q,
		SearchRequest: api.SearchRequest{Filter: []byte(`"a = 1"`), MatchingStrategy: api.MatchAll, UseNetwork: new(bool)}}
	var list []api.FacetValue
	fault := remotes{out, time.Minute}.post(context.Background(), api.NetworkRemote{URL: "http://r/"}, "/indexes/i/facet-search", parameter.WriteFacetSearch(request), func(answer []byte) (refused *apierr.Error) {
		list, refused = parseFacetHits(answer)
		return refused
	})
	const want = `http://r/indexes/i/facet-search {"facetQuery":"x","facetName":"f","filter":"a = 1","matchingStrategy":"all"}`
	if fault != nil || asked != want {
		t.Errorf("%v, asked %s", fault, asked)
	}
	if want := []api.FacetValue{{Value: "a", Count: 2}, {Value: "c", Count: 1}}; !slices.Equal(list, want) {
		t.Errorf("read %v", list)
	}
	if _, fault := parseFacetHits([]byte(`{"facetHits":[{"value":1}]}`)); fault == nil || fault.Code != apierr.CodeRemoteBadResponse {
		t.Errorf("%v", fault)
	}
}

// A regression test: values whose case differs were listed apart, and twice.
func TestFacetHitsOfSeveralInstancesAreOneList(t *testing.T) {
	lists := [][]api.FacetValue{
		{{Value: "apple", Count: 1}, {Value: "Banana", Count: 2}, {Value: "cherry", Count: 1}},
		{{Value: "Banana", Count: 3}, {Value: "cherry", Count: 4}},
	}
	for _, c := range []struct {
		byCount bool
		most    int
		want    []api.FacetValue
	}{
		{false, 10, []api.FacetValue{{Value: "apple", Count: 1}, {Value: "Banana", Count: 5}, {Value: "cherry", Count: 5}}},
		{true, 10, []api.FacetValue{{Value: "cherry", Count: 5}, {Value: "Banana", Count: 5}, {Value: "apple", Count: 1}}},
		{false, 2, []api.FacetValue{{Value: "apple", Count: 1}, {Value: "Banana", Count: 5}}},
	} {
		if got := joinFacetHits(lists, c.byCount, c.most); !slices.Equal(got, c.want) {
			t.Errorf("by count %v: %v, want %v", c.byCount, got, c.want)
		}
	}
}

func TestAFacetSearchOverTheNetworkAsksEveryRegisteredInstance(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	out := postFunc(func(url string, _ []byte) (int, []byte, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, url)
		if strings.HasPrefix(url, "http://b/") {
			return 500, []byte(`{"message":"broken"}`), nil
		}
		return 200, []byte(`{"facetHits":[{"value":"v","count":2}]}`), nil
	})
	self, yes := "self", true
	network := &api.Network{Remotes: map[string]api.NetworkRemote{"a": {URL: "http://a/"}, "b": {URL: "http://b/"}}}
	log := coordtest.NewLog("n")
	n := NewNetworkSearch(Config{Search: search.New(search.Config{Catalog: log.Catalog}), Network: func() *api.Network { return network }, Out: out})
	request := &api.FacetSearchRequest{FacetName: "f", SearchRequest: api.SearchRequest{UseNetwork: &yes}}
	answer, err := n.FacetSearch(t.Context(), "i", request)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(asked)
	asked = slices.Compact(asked) // failures are retried
	if want := []string{"http://a/indexes/i/facet-search", "http://b/indexes/i/facet-search"}; !slices.Equal(asked, want) {
		t.Errorf("asked %v", asked)
	}
	if len(answer.FacetHits) != 1 || answer.FacetHits[0].Count != 2 || !slices.Equal(answer.RemoteErrors.Names, []string{"b"}) {
		t.Errorf("answered %+v, errors %+v", answer.FacetHits, answer.RemoteErrors)
	}
	// If this instance is registered, it answers by a local call, and its errors fail the
	// request.
	asked, network.Self = nil, &self
	network.Remotes["self"] = api.NetworkRemote{URL: "http://self/"}
	var refused *apierr.Error
	if _, err := n.FacetSearch(t.Context(), "i", request); !errors.As(err, &refused) || refused.Code.Name != "index_not_found" {
		t.Errorf("without the index here: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if slices.Contains(asked, "http://self/indexes/i/facet-search") {
		t.Error("this instance asked itself over HTTP")
	}
}

// TestPinsOfOtherInstancesStandWhereTheirRulesSay: a pinned hit is not merged by its score.
func TestPinsOfOtherInstancesStandWhereTheirRulesSay(t *testing.T) {
	hit := func(id, more string) string {
		return `{"id":` + id + `,"_federation":{"indexUid":"i","queriesPosition":0,"weightedRankingScore":1.0,"weightedScoreValues":[{"weightedScore":1.0}]` + more + `}}`
	}
	r, fault := parseRemote("r", []byte(`{"hits":[`+hit("1", "")+`,`+hit("2", `,"pinnedPosition":1`)+`,`+hit("3", "")+`]}`), nil)
	if fault != nil || len(r.ranked) != 2 || len(r.pinned) != 1 || r.pinned[0].position != 1 {
		t.Fatalf("%v: %+v", fault, r)
	}
	origins := []mergedHit{{remote: 0, ref: 0}, {remote: 0, ref: 2}}
	merged := []merge.Ranked{{Ref: 0}, {Ref: 1}}
	all, origins := placePins(merged, origins, &localResult{}, []*remoteResult{r}, 10)
	var refs []int
	for i := range all {
		refs = append(refs, origins[all[i].Ref].ref)
	}
	if !slices.Equal(refs, []int{0, 1, 2}) || !hasPins(&localResult{}, []*remoteResult{r}) {
		t.Errorf("hits %v", refs)
	}
	position := uint32(1)
	f := api.HitFederation{IndexUID: "i", WeightedRankingScore: 1, WeightedScoreValues: []byte("[]"), PinnedPosition: &position}
	shown := api.Hit{Document: []byte("{}"), Federation: &f}
	if got := string(shown.AppendJSON(nil)); !strings.Contains(got, `"weightedScoreValues":[],"pinnedPosition":1}`) {
		t.Error(got)
	}
}

// What a hit does not show of its document counts for distinct, and is not shown.
func TestValuesThatRemoteHitsDoNotShowCount(t *testing.T) {
	const federation = `"_federation":{"indexUid":"i","queriesPosition":0,"weightedRankingScore":1.0,"weightedScoreValues":[],"extra_document":{"a":{"b":["x",1]},"c":"y"}}`
	r, fault := parseRemote("r", []byte(`{"hits":[{"id":1,"c":"y",`+federation+`}]}`), nil)
	if fault != nil {
		t.Fatal(fault)
	}
	for path, want := range map[string]int{"a.b": 2, "c": 1, "id": 1, "d": 0} {
		if got := r.keysOf(0, path); len(got) != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := string(r.hits[0].AppendJSON(nil)); strings.Contains(got, "extra_document") {
		t.Errorf("%s", got)
	}
}
