package httpfront

import (
	"context"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// TestSearchForms sends the same search in both forms and expects one request.
func TestSearchForms(t *testing.T) {
	f := &fake{features: settings.Features{Network: true}}
	s := f.front(Config{})
	for _, c := range []struct{ body, query string }{
		{`{}`, ``},
		{`{"q":"a b","offset":3,"limit":0}`, `q=a+b&offset=3&limit=%2B0`},
		{`{"page":0,"hitsPerPage":7}`, `page=0&hitsPerPage=7`},
		{`{"attributesToRetrieve":["a"," b"],"attributesToCrop":["c:3"],"cropLength":4,"cropMarker":""}`, `attributesToRetrieve=a,%20b&attributesToCrop=c:3&cropLength=4&cropMarker=`},
		{`{"attributesToRetrieve":[],"attributesToHighlight":["x","y","x"],"highlightPreTag":"<","highlightPostTag":">"}`, `attributesToRetrieve=&attributesToHighlight=x,y,x&highlightPreTag=%3C&highlightPostTag=%3E`},
		{`{"filter":"a = 1","sort":["price:asc","_geoPoint(1,2):desc","t:desc"],"distinct":"d"}`, `filter=a%20=%201&sort=price:asc,%20_geoPoint(1,2):desc%20,t:desc&distinct=d`},
		{`{"filter":["a = 1",["b = 2"]]}`, `filter=["a%20%3D%201",["b = 2"]]`},
		{`{"filter":42}`, `filter=42`},
		{`{"filter":"a = 1"}`, `filter="a = 1"`},
		{`{}`, `filter=`},
		{`{"sort":["price:asc",""]}`, `sort="price:asc,"`},
		{`{"facets":["*"],"matchingStrategy":"frequency","attributesToSearchOn":["a"],"rankingScoreThreshold":0.5,"locales":["fr","eng"]}`, `facets=*&matchingStrategy=frequency&attributesToSearchOn=a&rankingScoreThreshold=.5&locales=fr,eng`},
		{`{"hybrid":{"embedder":"e"},"vector":[1,0.5],"retrieveVectors":true}`, `hybridEmbedder=e&vector=1,0.5&retrieveVectors=true`},
		{`{"hybrid":{"semanticRatio":0.1,"embedder":""}}`, `hybridEmbedder=&hybridSemanticRatio=0.1`},
		{`{"useNetwork":false,"showMatchesPosition":true,"showRankingScore":true,"showRankingScoreDetails":true,"showPerformanceDetails":true}`, `useNetwork=false&showMatchesPosition=true&showRankingScore=true&showRankingScoreDetails=true&showPerformanceDetails=true`},
		{`{"q":null,"page":null,"attributesToRetrieve":null,"filter":null,"vector":null,"hybrid":null,"media":null,"useNetwork":null}`, ``},
	} {
		if w := call(t, s, "POST", "/indexes/movies/search", c.body); w.Code != 200 {
			t.Fatalf("%s: %d %s", c.body, w.Code, w.Body)
		}
		want := f.searched
		target := &url.URL{Path: "/indexes/movies/search", RawQuery: strings.ReplaceAll(strings.ReplaceAll(c.query, " ", "%20"), `"`, "%22")}
		if w := call(t, s, "GET", target.String(), ""); w.Code != 200 {
			t.Fatalf("%s: %d %s", c.query, w.Code, w.Body)
		}
		if !reflect.DeepEqual(f.searched, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", c.query, f.searched, want)
		}
	}
}

func TestSearchRefusals(t *testing.T) {
	s := (&fake{}).front(Config{})
	const threshold = "the value of `rankingScoreThreshold` is invalid, expected a float between `0.0` and `1.0`."
	for _, c := range []struct{ request, code, message string }{
		{`{"limit":"doggo"}`, "invalid_search_limit", "Invalid value type at `.limit`: expected a positive integer, but found a string: `\"doggo\"`"},
		{`{"offset":null}`, "invalid_search_offset", "Invalid value type at `.offset`: expected a positive integer, but found null"},
		{`{"page":"a"}`, "invalid_search_page", "Invalid value type at `.page`: expected a positive integer, but found a string: `\"a\"`"},
		{`{"limit":1.0}`, "invalid_search_limit", "Invalid value type at `.limit`: expected a positive integer, but found a number: `1.0`"},
		{`{"q":1,"unknown":2}`, "invalid_search_q", "Invalid value type at `.q`: expected a string, but found a positive integer: `1`"},
		{`{"ofset":1}`, "bad_request", "Unknown field `ofset`: did you mean `offset`? expected one of `q`, `offset`, `limit`, `page`, `hitsPerPage`, `attributesToRetrieve`, `attributesToCrop`, `cropLength`, `cropMarker`, `attributesToHighlight`, `highlightPreTag`, `highlightPostTag`, `showMatchesPosition`, `filter`, `sort`, `distinct`, `facets`, `matchingStrategy`, `attributesToSearchOn`, `rankingScoreThreshold`, `locales`, `hybrid`, `vector`, `retrieveVectors`, `media`, `personalize`, `useNetwork`, `showRankingScore`, `showRankingScoreDetails`, `showPerformanceDetails`"},
		{`{"matchingStrategy":"doggo"}`, "invalid_search_matching_strategy", "Unknown value `doggo` at `.matchingStrategy`: expected one of `last`, `all`, `frequency`"},
		{`{"rankingScoreThreshold":1.1}`, "invalid_search_ranking_score_threshold", "Invalid value at `.rankingScoreThreshold`: " + threshold},
		{`{"hybrid":{"semanticRatio":0.5}}`, "invalid_search_hybrid_query", "Missing field `embedder` inside `.hybrid`"},
		{`{"hybrid":{"embedder":"x","semanticRatio":2}}`, "invalid_search_semantic_ratio", "Invalid value at `.hybrid.semanticRatio`: the value of `semanticRatio` is invalid, expected a float between `0.0` and `1.0`."},
		{`{"hybrid":7}`, "invalid_search_hybrid_query", "Invalid value type at `.hybrid`: expected an object, but found a positive integer: `7`"},
		{`{"personalize":{}}`, "invalid_search_personalize", "Missing field `userContext` inside `.personalize`"},
		{`{"personalize":{"userContext":"x"}}`, "feature_not_enabled", "reranking search results requires enabling the `personalization` experimental feature. See https://github.com/orgs/meilisearch/discussions/866"},
		{`{"useNetwork":false}`, "feature_not_enabled", "passing `useNetwork` in a search query requires enabling the `network` experimental feature. See https://github.com/orgs/meilisearch/discussions/805"},
		{"limit=-1", "invalid_search_limit", "Invalid value in parameter `limit`: could not parse `-1` as a positive integer"},
		{"showRankingScore=", "invalid_search_show_ranking_score", "Invalid value in parameter `showRankingScore`: could not parse `` as a boolean, expected either `true` or `false`"},
		{"rankingScoreThreshold=x", "invalid_search_ranking_score_threshold", "Invalid value in parameter `rankingScoreThreshold`: " + threshold},
		{"vector=1,x", "invalid_search_vector", "Invalid value in parameter `vector`: invalid float literal"},
		{"vector=1", "missing_search_hybrid", "`hybridEmbedder` is mandatory when `vector` is present"},
		{"hybridSemanticRatio=0.2", "invalid_search_hybrid_query", "`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present"},
		{"media=1", "bad_request", "Unknown parameter `media`: expected one of `" + strings.Join(parametersOf("GET /indexes/{index_uid}/search"), "`, `") + "`"},
	} {
		method, path, body := "POST", "/indexes/movies/search", c.request
		if !strings.HasPrefix(c.request, "{") {
			method, path, body = "GET", path+"?"+c.request, ""
		}
		code, ok := apierr.CodeByName(c.code)
		if !ok {
			t.Fatal(c.code)
		}
		expectError(t, call(t, s, method, path, body), 400, code, c.message)
	}
	expectError(t, call(t, s, "POST", "/indexes/a%20b/search", "{}"), 400, apierr.CodeInvalidIndexUID, apierr.InvalidIndexUIDText("a b"))
	expectError(t, call(t, s, "GET", "/indexes/a%20b/search?vector=1", ""), 400, apierr.CodeInvalidIndexUID, apierr.InvalidIndexUIDText("a b"))
	expectError(t, call(t, s, "POST", "/indexes/missing/search", "{}"), 404, apierr.CodeIndexNotFound, "Index `missing` not found.")
	got := call(t, s, "GET", "/indexes/movies/search?locales=xx", "").Body.String()
	if !strings.Contains(got, "Invalid value in parameter `locales`: Unsupported locale `xx`, expected one of af, ak, am, ar, az, be, ") || !strings.Contains(got, " zu, afr, aka, amh, ara, aze, bel, ben, bul, cat, ces, cmn, dan, ") {
		t.Errorf("locales: %s", got)
	}
}

func TestSearchAnswer(t *testing.T) {
	s := (&fake{}).front(Config{})
	w := call(t, s, "POST", "/indexes/movies/search", `{"q":"x"}`)
	head := `{"hits":[{"id":1,"t":"<a>"},{}],"query":"x","processingTimeMs":0,"limit":20,"offset":0,"estimatedTotalHits":2,"requestUid":"`
	if got := w.Body.String(); !strings.HasPrefix(got, head) || strings.Contains(got, "metadata") || len(got) != len(head)+36+2 {
		t.Errorf("offset mode: %s", got)
	}
	w = call(t, s, "POST", "/indexes/movies/search", `{"hitsPerPage":1}`, "Service-Include-Metadata: TRUE")
	if got := w.Body.String(); !strings.Contains(got, `"query":"","processingTimeMs":0,"hitsPerPage":1,"page":1,"totalPages":2,"totalHits":2,"requestUid":`) ||
		!strings.Contains(got, `,"metadata":{"queryUid":"`) || !strings.HasSuffix(got, `","indexUid":"movies"}}`) {
		t.Errorf("page mode: %s", got)
	}
	w = call(t, s, "POST", "/indexes/movies/search", `{"inlineRule":{"uid":"r"}}`, "Meili-Include-Metadata: true")
	if got := w.Body.String(); !strings.HasSuffix(got, `","indexUid":"movies","inlineRuleConditionOutcomes":{"of":"r"}}}`) {
		t.Errorf("inline rule: %s", got)
	}
	expectError(t, call(t, s, "POST", "/indexes/movies/search", `{"inlineRule":{"uid":"a b"}}`), 400, apierr.CodeInvalidSearchInlineRule,
		"Invalid value at `.inlineRule.uid`: "+apierr.InvalidIndexUIDText("a b"))
	w = call(t, s, "POST", "/multi-search", `{"queries":[{"indexUid":"a","q":"1"},{"indexUid":"b"}]}`, "Meili-Include-Metadata: 1")
	if got := w.Body.String(); !strings.HasPrefix(got, `{"results":[{"indexUid":"a","hits":[`) || strings.Count(got, `"metadata":{`) != 2 || !strings.Contains(got, `"metadata":{"query":"1","queryUid":"`) {
		t.Errorf("multi-search: %s", got)
	}
}

func TestMultiSearchRefusals(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	for _, c := range []struct{ body, code, message string }{
		{`{}`, "bad_request", "Missing field `queries`"},
		{`{"queries":[{}]}`, "missing_index_uid", "Missing field `indexUid` inside `.queries[0]`"},
		{`{"queries":[{"indexUid":"a b"}]}`, "invalid_index_uid", "Invalid value at `.queries[0].indexUid`: " + apierr.InvalidIndexUIDText("a b")},
		{`{"queries":[{"indexUid":"a","federationOptions":{}}]}`, "invalid_multi_search_federation_options", "Inside `.queries[0]`: Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove `federationOptions` from the query or add `federation` to the request."},
		{`{"queries":[{"indexUid":"a"},{"indexUid":"missing"}]}`, "index_not_found", "Inside `.queries[1]`: Index `missing` not found."},
		{`{"queries":[{"indexUid":"a","federationOptions":{"weight":-1}}]}`, "invalid_multi_search_weight", "Invalid value at `.queries[0].federationOptions.weight`: the value of `weight` is invalid, expected a positive float (>= 0.0)."},
		{`{"federation":{},"queries":[{"indexUid":"a"},{"indexUid":"a","page":1,"limit":2}]}`, "invalid_multi_search_query_pagination", "Inside `.queries[1]`: Using pagination options is not allowed in federated queries.\n - Hint: remove `limit` from the query or remove `federation` from the request\n - Hint: pass `federation.limit` and `federation.offset` for pagination in federated search"},
		{`{"federation":{},"queries":[{"indexUid":"a","facets":["x","\"y"]}]}`, "invalid_multi_search_query_facets", "Inside `.queries[0]`: Using facet options is not allowed in federated queries.\n - Hint: remove `facets` from the query or remove `federation` from the request\n - Hint: pass `federation.facetsByIndex.a: [\"x\", \"\\\"y\"]` for facets in federated search"},
		{`{"federation":{},"queries":[{"indexUid":"a","showPerformanceDetails":false}]}`, "invalid_multi_search_query_show_performance_details", "Inside `.queries[0]`: Using `.showPerformanceDetails` is not allowed in federated queries.\n - Hint: remove `showPerformanceDetails` from the query or remove `federation` from the request"},
		{`{"federation":{"distinct":"d"},"queries":[{"indexUid":"a","distinct":"e"}]}`, "invalid_multi_search_distinct", "Inside `.queries[0]`: Using `distinct` options is not allowed in federated queries when it also appears in `.federation.distinct`.\n - Hint: remove `distinct` from the query or remove `federation` from the request\n  - Note: `distinct` at the query level is discouraged in federated search."},
		{`{"federation":{},"queries":[{"indexUid":"a","federationOptions":{"remote":"r"}}]}`, "feature_not_enabled", "Inside `.queries[0]`: Performing a remote federated search requires enabling the `network` experimental feature. See https://github.com/orgs/meilisearch/discussions/805"},
		{`{"queries":[{"indexUid":"a","federationOptions":1}]}`, "bad_request", "Invalid value type at `.queries[0].federationOptions`: expected an object, but found a positive integer: `1`"},
		{`{"queries":[{"indexUid":"a","federationOptions":{"x":1}}]}`, "bad_request", "Unknown field `x` inside `.queries[0].federationOptions`: expected one of `weight`, `remote`, `queryPosition`"},
		{`{"federation":[],"queries":[]}`, "bad_request", "Invalid value type at `.federation`: expected an object, but found an array: `[]`"},
		{`{"federation":{"mergeFacets":7},"queries":[]}`, "invalid_multi_search_merge_facets", "Invalid value type at `.federation.mergeFacets`: expected an object, but found a positive integer: `7`"},
	} {
		code, ok := apierr.CodeByName(c.code)
		if !ok {
			t.Fatal(c.code)
		}
		expectError(t, call(t, s, "POST", "/multi-search", c.body), 400, code, c.message)
	}
	w := call(t, s, "POST", "/multi-search", `{"federation":{"facetsByIndex":{"b":null,"a":["x"]},"mergeFacets":{"maxValuesPerFacet":3}},"queries":[{"indexUid":"a","limit":null,"facets":[],"federationOptions":null}]}`)
	if w.Code != 200 || len(f.federation.Federation.FacetsByIndex) != 2 || f.federation.Federation.FacetsByIndex[0].IndexUID != "a" || *f.federation.Federation.MergeFacets.MaxValuesPerFacet != 3 {
		t.Errorf("federation: %d %s %+v", w.Code, w.Body, f.federation)
	}
	expect(t, call(t, s, "POST", "/multi-search", `{"queries":[]}`), 200, `{"results":[]}`)
}

// The error of a query in a non-federated multi-search comes before the refusal of a later
// one, even if that one has a wrong filter.
func TestQueriesOfAMultiSearchFailInTheirOrder(t *testing.T) {
	const (
		missing  = `{"indexUid":"missing"}`
		notThere = "Inside `.queries[0]`: Index `missing` not found."
		options  = `{"indexUid":"a","federationOptions":{}}`
		network  = `{"indexUid":"a","useNetwork":true}`
		reranked = `{"indexUid":"a","personalize":{"userContext":"x"}}`
		noRerank = "reranking search results requires enabling the `personalization` experimental feature. See https://github.com/orgs/meilisearch/discussions/866"
	)
	for _, c := range []struct {
		queries   string
		badFilter int
		code      apierr.Code
		message   string
	}{
		{missing + "," + options, 0, apierr.CodeIndexNotFound, notThere},
		{missing + "," + network, 0, apierr.CodeIndexNotFound, notThere},
		{missing + "," + reranked, 0, apierr.CodeIndexNotFound, notThere},
		{missing + "," + reranked, 2, apierr.CodeIndexNotFound, notThere},
		{options + "," + missing, 1, apierr.CodeInvalidMultiSearchFederationOptions, "Inside `.queries[0]`: Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove `federationOptions` from the query or add `federation` to the request."},
		{network + "," + missing, 1, apierr.CodeInvalidSearchFilter, "Inside `.queries[0]`: bad filter"},
		{reranked + "," + missing, 0, apierr.CodeFeatureNotEnabled, "Inside `.queries[0]`: " + noRerank},
		{`{"indexUid":"missing","personalize":{"userContext":"x"}}`, 0, apierr.CodeIndexNotFound, notThere},
	} {
		code := c.code
		code.Status = 400
		s := (&fake{badFilter: c.badFilter}).front(Config{})
		expectError(t, call(t, s, "POST", "/multi-search", `{"queries":[`+c.queries+`]}`), 400, code, c.message)
	}
	s := (&fake{}).front(Config{})
	expectError(t, call(t, s, "POST", "/indexes/missing/search", `{"personalize":{"userContext":"x"}}`), 404, apierr.CodeIndexNotFound, "Index `missing` not found.")
	expectError(t, call(t, s, "POST", "/multi-search", `{"federation":{"personalize":{"userContext":"x"}},"queries":[]}`), 400, apierr.CodeFeatureNotEnabled, noRerank)
}

func TestFacetSearchAndSimilar(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	expect(t, call(t, s, "POST", "/indexes/movies/facet-search", `{"facetName":"g","limit":3,"facetQuery":"d"}`), 200, `{"facetHits":[{"value":"x","count":2}],"facetQuery":"d","processingTimeMs":0}`)
	expectError(t, call(t, s, "POST", "/indexes/movies/facet-search", `{"unknown":1}`), 400, apierr.CodeMissingFacetSearchFacetName, "Missing field `facetName`")
	expectError(t, call(t, s, "POST", "/indexes/movies/facet-search", `3`), 400, apierr.CodeBadRequest, "Invalid value type: expected an object, but found a positive integer: `3`")
	expect(t, call(t, s, "POST", "/indexes/movies/similar", `{"id":1,"embedder":"e"}`), 200, `{"hits":[],"id":"1","processingTimeMs":0,"limit":20,"offset":0,"estimatedTotalHits":0}`)
	if string(f.similar.ID) != "1" {
		t.Errorf("id %s", f.similar.ID)
	}
	call(t, s, "GET", "/indexes/movies/similar?id=1&embedder=e&limit=2", "")
	if string(f.similar.ID) != `"1"` || f.similar.Limit != 2 {
		t.Errorf("id %s, limit %d", f.similar.ID, f.similar.Limit)
	}
	expectError(t, call(t, s, "GET", "/indexes/movies/similar?id=1", ""), 400, apierr.CodeBadRequest, "Missing parameter `embedder`")
	expectError(t, call(t, s, "POST", "/indexes/movies/similar", `{"embedder":"e"}`), 400, apierr.CodeBadRequest, "Missing field `id`")
}

func FuzzSearchQuery(f *testing.F) {
	f.Add("q=a&sort=_geoPoint(1,2):asc,b:desc&filter=%5B1%5D&vector=1,2&hybridEmbedder=x")
	f.Add("q=a&filter=[[\"a=1\"]]&sort=_geoPoint(1,2):asc,b:desc&facets=*")
	f.Add("id=1&embedder=e&limit=%31")
	s := (&fake{}).front(Config{})
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/indexes/movies/search", "/indexes/movies/similar"} {
			r := httptest.NewRequest("GET", path, nil)
			r.URL.RawQuery = query
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != 200 && (w.Code != 400 || codeOf(w) == "") {
				t.Errorf("%s?%q: %d %s", path, query, w.Code, w.Body)
			}
		}
	})
}

func FuzzMultiSearchBody(f *testing.F) {
	f.Add(`{"queries":[{"indexUid":"a","q":"x","filter":[1],"federationOptions":{"weight":2}}],"federation":{"limit":1}}`)
	s := (&fake{features: settings.Features{Network: true, Multimodal: true}}).front(Config{})
	f.Fuzz(func(t *testing.T, body string) {
		if w := call(t, s, "POST", "/multi-search", body); w.Code != 200 && w.Code != 400 && w.Code != 415 {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// While the queue is full, even a wrong body is not read.
func TestASearchIsAdmittedBeforeItsBodyIsParsed(t *testing.T) {
	none := 0
	f := &fake{}
	held := heldSearch{f, make(chan struct{}), make(chan struct{})}
	s := f.front(Config{Routing: routing.Config{SearchesRunning: 1, SearchQueueSize: &none}}, func(p *Ports) { p.Search = held })
	running := make(chan int)
	go func() { running <- call(t, s, "POST", "/indexes/movies/search", "{}").Code }()
	<-held.begun
	const broken = `{"q":`
	full := apierr.TooManySearchRequests(0).Message
	for _, path := range []string{"/indexes/movies/search", "/indexes/movies/facet-search", "/indexes/movies/similar", "/multi-search"} {
		expectError(t, call(t, s, "POST", path, broken), 503, apierr.CodeTooManySearchRequests, full)
	}
	for _, path := range []string{"/indexes/movies/search?limit=x", "/indexes/movies/similar?limit=x"} {
		expectError(t, call(t, s, "GET", path, ""), 503, apierr.CodeTooManySearchRequests, full)
	}
	close(held.end)
	if code := <-running; code != 200 {
		t.Errorf("the search that ran: %d", code)
	}
	for _, path := range []string{"/indexes/movies/search", "/indexes/movies/facet-search", "/indexes/movies/similar", "/multi-search"} {
		if w := call(t, s, "POST", path, broken); w.Code != 400 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// heldSearch is a search that runs until it may end.
type heldSearch struct {
	*fake
	begun, end chan struct{}
}

func (h heldSearch) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	h.begun <- struct{}{}
	<-h.end
	return h.fake.Search(ctx, uid, r)
}

func TestAMultiSearchHasAtMost1000Queries(t *testing.T) {
	s := (&fake{}).front(Config{})
	queries := func(n int) string {
		return `{"queries":[` + strings.TrimSuffix(strings.Repeat(`{"indexUid":"movies"},`, n), ",") + `]}`
	}
	expectError(t, call(t, s, "POST", "/multi-search", queries(1001)), 413, apierr.CodePayloadTooLarge,
		"A multi-search has at most 1000 queries, but found 1001: send them in several requests.")
	if w := call(t, s, "POST", "/multi-search", queries(1000)); w.Code != 200 {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}
