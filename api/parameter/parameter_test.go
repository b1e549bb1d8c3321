package parameter

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// example has a value of a parameter in a body, and the query string that says the same.
type example struct{ body, query string }

var examples = map[string]example{
	"q":                       {`"a b"`, "q=a+b"},
	"offset":                  {`3`, "offset=3"},
	"limit":                   {`4`, "limit=4"},
	"page":                    {`2`, "page=2"},
	"hitsPerPage":             {`7`, "hitsPerPage=7"},
	"attributesToRetrieve":    {`["a","b"]`, "attributesToRetrieve=a,b"},
	"attributesToCrop":        {`["c:3"]`, "attributesToCrop=c:3"},
	"cropLength":              {`5`, "cropLength=5"},
	"cropMarker":              {`"..."`, "cropMarker=..."},
	"attributesToHighlight":   {`["x"]`, "attributesToHighlight=x"},
	"highlightPreTag":         {`"<b>"`, "highlightPreTag=%3Cb%3E"},
	"highlightPostTag":        {`"</b>"`, "highlightPostTag=%3C/b%3E"},
	"showMatchesPosition":     {`true`, "showMatchesPosition=true"},
	"filter":                  {`["a = 1",["b = 2","c = 3"]]`, `filter=["a = 1",["b = 2","c = 3"]]`},
	"sort":                    {`["a:asc"]`, "sort=a:asc"},
	"distinct":                {`"d"`, "distinct=d"},
	"facets":                  {`["*"]`, "facets=*"},
	"matchingStrategy":        {`"frequency"`, "matchingStrategy=frequency"},
	"attributesToSearchOn":    {`["a"]`, "attributesToSearchOn=a"},
	"rankingScoreThreshold":   {`0.5`, "rankingScoreThreshold=.5"},
	"locales":                 {`["fr"]`, "locales=fr"},
	"hybrid":                  {`{"semanticRatio":0.25,"embedder":"e"}`, "hybridEmbedder=e&hybridSemanticRatio=0.25"},
	"vector":                  {`[1.0,0.5]`, "hybridEmbedder=e&vector=1,0.5"},
	"retrieveVectors":         {`true`, "retrieveVectors=true"},
	"media":                   {`{"image":"i"}`, ""},
	"personalize":             {`{"userContext":"u"}`, "personalizeUserContext=u"},
	"useNetwork":              {`true`, "useNetwork=true"},
	"showRankingScore":        {`true`, "showRankingScore=true"},
	"showRankingScoreDetails": {`true`, "showRankingScoreDetails=true"},
	"inlineRule":              {`{"uid":"once","actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":0}}]}`, ""},
	"rankingRules":            {`["words","typo"]`, ""},
	"hitsPerGroup":            {`3`, ""},
	"showPerformanceDetails":  {`true`, "showPerformanceDetails=true"},
}

// local are the parameters that no query of a federated search sends: the window and facets
// belong to the federation, and the instance that merges asks the others, reranks and tells
// its times.
var local = []string{"offset", "limit", "page", "hitsPerPage", "facets", "personalize", "useNetwork", "hitsPerGroup", "showPerformanceDetails"}

// decoded reads the text of a JSON object.
func decoded[S any](t *testing.T, table *decode.Object[S], text string, s *S) *S {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := table.Decode(decode.BodyRoot(apierr.CodeBadRequest), &v, s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// same tells whether two requests are equal. Closures of rules do not count.
func same(a, b *api.SearchRequest) bool {
	x, y := *a, *b
	if x.InlineRule != nil && y.InlineRule != nil && string(x.InlineRule.Raw) == string(y.InlineRule.Raw) {
		x.InlineRule, y.InlineRule = nil, nil
	}
	return reflect.DeepEqual(&x, &y)
}

// TestEveryParameterHasOneMeaningInAllForms sends each row through a body, a query string, a
// query of a multi-search, and the request to another instance. A parameter that a form
// forgot was once dropped without an error.
func TestEveryParameterHasOneMeaningInAllForms(t *testing.T) {
	type query struct {
		UID string
		api.SearchRequest
	}
	inside := decode.NewObject(SearchRows(func(q *query) *api.SearchRequest { return &q.SearchRequest })...)
	for i := range search {
		p := &search[i]
		example, ok := examples[p.name]
		if !ok {
			t.Errorf("%s has no example", p.name)
			continue
		}
		body := `{"` + p.name + `":` + example.body + `}`
		want := decoded(t, SearchBody, body, api.NewSearchRequest())
		if same(want, api.NewSearchRequest()) {
			t.Errorf("%s changes nothing", body)
		}
		if got := decoded(t, inside, body, &query{SearchRequest: *api.NewSearchRequest()}); !same(&got.SearchRequest, want) {
			t.Errorf("inside another body %s is %+v", body, got.SearchRequest)
		}
		if (example.query != "") != (p.query != nil || p.forms != nil) {
			t.Errorf("%s: its example and its row differ about query strings", p.name)
		}
		if example.query != "" {
			q, v := NewQuery(), jsonvalue.ParseQuery(strings.NewReplacer(" ", "%20", `"`, "%22").Replace(example.query))
			if err := SearchQuery.Decode(decode.QueryRoot(), &v, q); err != nil {
				t.Fatalf("%s: %v", example.query, err)
			}
			got, err := q.Search()
			if err != nil {
				t.Fatalf("%s: %v", example.query, err)
			}
			if p.name == "vector" {
				got.Hybrid = nil // a vector of a query string needs one
			}
			if !same(got, want) {
				t.Errorf("%s is %+v, %s is %+v", example.query, got, body, want)
			}
		}
		o := jsonvalue.ObjectWriter{}
		WriteSearch(&o, want)
		sent := decoded(t, SearchBody, string(o.End()), api.NewSearchRequest())
		if p.local != slices.Contains(local, p.name) {
			t.Errorf("%s: is it sent to other instances?", p.name)
		}
		if p.local {
			want = api.NewSearchRequest()
		}
		if !same(sent, want) {
			t.Errorf("%s reaches another instance as %+v", body, sent)
		}
	}
	if len(search) != len(examples) {
		t.Errorf("%d parameters, %d examples", len(search), len(examples))
	}
}

// TestEveryFieldOfASearchHasAParameter: a field without a row cannot be asked for.
func TestEveryFieldOfASearchHasAParameter(t *testing.T) {
	defaults := reflect.ValueOf(*api.NewSearchRequest())
	set := map[string]bool{}
	for name, example := range examples {
		r := reflect.ValueOf(*decoded(t, SearchBody, `{"`+name+`":`+example.body+`}`, api.NewSearchRequest()))
		for i := range r.NumField() {
			if !reflect.DeepEqual(r.Field(i).Interface(), defaults.Field(i).Interface()) {
				set[r.Type().Field(i).Name] = true
			}
		}
	}
	for i := range defaults.NumField() {
		if name := defaults.Type().Field(i).Name; !set[name] {
			t.Errorf("no parameter sets %s", name)
		}
	}
}

// TestFacetSearchesSendTheirParameters reads what another instance gets.
func TestFacetSearchesSendTheirParameters(t *testing.T) {
	text := `{"facetQuery":"x","facetName":"f","exhaustiveFacetCount":true`
	for _, name := range facetSearch {
		text += `,"` + name + `":` + examples[name].body
	}
	fresh := func() *api.FacetSearchRequest { return &api.FacetSearchRequest{SearchRequest: *api.NewSearchRequest()} }
	want := decoded(t, FacetBody, text+"}", fresh())
	if got := decoded(t, FacetBody, string(WriteFacetSearch(want)), fresh()); !reflect.DeepEqual(got, want) {
		t.Errorf("sent %+v, read %+v", want, got)
	}
}

// TestSimilarParametersHaveBothForms: names and requirements are the same in both.
func TestSimilarParametersHaveBothForms(t *testing.T) {
	names := map[string]bool{}
	for _, d := range SimilarBody.Describe() {
		names[d.Name] = d.Required
	}
	list := SimilarQuery.DescribeQuery()
	for _, d := range list {
		if required, ok := names[d.Name]; !ok || required != d.Required {
			t.Errorf("%s is required in one form only, or has one form only", d.Name)
		}
	}
	if len(list) != len(names) {
		t.Errorf("%d parameters, %d members", len(list), len(names))
	}
}

// TestEverySearchParameterOfChatsReachesTheSearch: each parameter that the settings of chats
// accept is one of searches and changes the searches of chats as it changes a search.
func TestEverySearchParameterOfChatsReachesTheSearch(t *testing.T) {
	names := settings.ChatParameters()
	if len(names) == 0 {
		t.Fatal("chats have no parameters")
	}
	for _, name := range names {
		s := settings.Default()
		s.Chat = []byte(`{"searchParameters":{"` + name + `":` + examples[name].body + `}}`)
		want := decoded(t, SearchBody, `{"`+name+`":`+examples[name].body+`}`, api.NewSearchRequest())
		if got := api.NewChatSearch(s); !same(got, want) {
			t.Errorf("%s of a chat is %+v, of a search %+v", name, got, want)
		}
	}
}
