package httpfront

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
)

const badUID = "`%s` is not a valid index uid. Index uid can be an integer or a string containing only alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 512 bytes."

// Refusals of the routes: request, status, code, message.
func TestDocumentRoutesRefuse(t *testing.T) {
	uid := func(s string) string { return strings.Replace(badUID, "%s", s, 1) }
	const types = "Accepted values for the Content-Type header are: `application/json`, `application/x-ndjson`, `text/csv`"
	for _, c := range []struct {
		method, url, body string
		status            int
		code, message     string
		headers           []string
	}{
		{"GET", "/indexes?limi=1", "", 400, "bad_request", "Unknown parameter `limi`: did you mean `limit`? expected one of `offset`, `limit`", nil},
		{"GET", "/indexes?offset=-1", "", 400, "invalid_index_offset", "Invalid value in parameter `offset`: could not parse `-1` as a positive integer", nil},
		{"GET", "/indexes/none", "", 404, "index_not_found", "Index `none` not found.", nil},
		{"GET", "/indexes/a b", "", 400, "invalid_index_uid", uid("a b"), nil},
		{"POST", "/indexes", `{}`, 400, "missing_index_uid", "Missing field `uid`", nil},
		{"POST", "/indexes", `{"uid":"a b"}`, 400, "invalid_index_uid", "Invalid value at `.uid`: " + uid("a b"), nil},
		{"POST", "/indexes", `{"uid":1}`, 400, "invalid_index_uid", "Invalid value type at `.uid`: expected a string, but found a positive integer: `1`", nil},
		{"POST", "/indexes", `{"uid":"a","createdAt":""}`, 400, "bad_request", "Unknown field `createdAt`: expected one of `uid`, `primaryKey`", nil},
		{"PATCH", "/indexes/i", `{"createdAt":""}`, 400, "immutable_index_created_at", "Immutable field `createdAt`: expected one of `primaryKey`, `uid`", nil},
		{"PATCH", "/indexes/i", `{"uid":"a b"}`, 400, "invalid_index_uid", uid("a b"), nil},
		{"PATCH", "/indexes/a b", `{"uid":`, 400, "malformed_payload", "The json payload provided is malformed. `EOF while parsing a value at line 1 column 7`.", nil},
		{"POST", "/swap-indexes", `[{}]`, 400, "missing_swap_indexes", "Missing field `indexes` inside `[0]`", nil},
		{"POST", "/swap-indexes", `[{"indexes":["a","b","c"]}]`, 400, "invalid_swap_indexes", "Two indexes must be given for each swap. The list `[\"a\", \"b\", \"c\"]` contains 3 indexes.", nil},
		{"POST", "/swap-indexes", `[{"indexes":["a","b"],"rename":1}]`, 400, "invalid_swap_rename", "Invalid value type at `[0].rename`: expected a boolean, but found a positive integer: `1`", nil},
		{"POST", "/swap-indexes", `{}`, 400, "bad_request", "Invalid value type: expected an array, but found an object: `{}`", nil},

		{"POST", "/indexes/a b/documents?x=1", ``, 400, "bad_request", "Unknown parameter `x`: expected one of `primaryKey`, `csvDelimiter`, `customMetadata`, `skipCreation`", nil},
		{"POST", "/indexes/a b/documents", ``, 400, "invalid_index_uid", uid("a b"), []string{"Content-Type: "}},
		{"POST", "/indexes/i/documents", `[]`, 415, "missing_content_type", "A Content-Type header is missing. " + types, []string{"Content-Type: "}},
		{"POST", "/indexes/i/documents", `[]`, 415, "invalid_content_type", "The Content-Type `text/plain` is invalid. " + types, []string{"Content-Type: text/plain; charset=utf-8"}},
		{"POST", "/indexes/i/documents", `[]`, 415, "invalid_content_type", "The Content-Type `application/vnd.api` is invalid. " + types, []string{"Content-Type: application/vnd.api+json"}},
		{"POST", "/indexes/i/documents?csvDelimiter=,", `[]`, 415, "invalid_content_type", "The Content-Type `application/json` does not support the use of a csv delimiter. The csv delimiter can only be used with the Content-Type `text/csv`.", nil},
		{"POST", "/indexes/i/documents?csvDelimiter=%00", `[]`, 415, "invalid_content_type", "The Content-Type `application/json` does not support the use of a csv delimiter. The csv delimiter can only be used with the Content-Type `text/csv`.", nil},
		{"POST", "/indexes/i/documents", `[]`, 415, "invalid_content_type", "The Content-Type `text/csv; q=\"a` is invalid. " + types, []string{"Content-Type: text/csv; q=\"a"}},
		{"POST", "/indexes/i/documents", `[]`, 415, "invalid_content_type", "The Content-Type `application/j\uFFFDson` is invalid. " + types, []string{"Content-Type: application/j\xe9son"}},
		{"POST", "/indexes/i/documents", `[]`, 415, "invalid_content_type", "The Content-Type `application/+json` is invalid. " + types, []string{"Content-Type: Application/+JSON"}},
		{"POST", "/indexes/i/documents?csvDelimiter=ab", `[]`, 400, "invalid_document_csv_delimiter", "Invalid value in parameter `csvDelimiter`: expected a string of one character, but found the following string of 2 characters: `ab`", nil},
		{"POST", "/indexes/i/documents?csvDelimiter=%C3%A0", `[]`, 400, "invalid_document_csv_delimiter", "csv delimiter must be an ascii character. Found: `à`", nil},
		{"POST", "/indexes/i/documents?skipCreation=yes", `[]`, 400, "invalid_skip_creation", "skipCreation must be either `true` or `false`. Found: `yes`", nil},
		{"PUT", "/indexes/i/documents", ``, 400, "missing_payload", "A csv payload is missing.", []string{"Content-Type: text/csv"}},
		{"PUT", "/indexes/i/documents", `[`, 400, "bad_request", "The provided payload is incomplete and cannot be parsed", []string{"Content-Encoding: gzip"}},

		{"GET", "/indexes/i/documents?useNetwork=true", "", 400, "invalid_document_use_network", "Invalid value type for parameter `useNetwork`: expected a string, but found a string: `true`", nil},
		{"GET", "/indexes/i/documents?ids=a,b c", "", 400, "invalid_document_ids", "In `.ids[1]`: " + apierr.InvalidDocumentIDText(`"b c"`), nil},
		{"POST", "/indexes/i/documents/fetch", `{"ids":[1.5]}`, 400, "invalid_document_ids", "In `.ids[0]`: " + apierr.InvalidDocumentIDText(`1.5`), nil},
		{"POST", "/indexes/i/documents/fetch", `{"limit":null}`, 400, "invalid_document_limit", "Invalid value type at `.limit`: expected a positive integer, but found null", nil},
		{"POST", "/indexes/i/documents/fetch", `null`, 400, "bad_request", "Invalid value type: expected an object, but found null", nil},
		{"GET", "/indexes/i/documents/none", "", 404, "document_not_found", "Document `none` not found.", nil},
		{"GET", "/indexes/i/documents/1?retrieveVectors=1", "", 400, "invalid_document_retrieve_vectors", "Invalid value in parameter `retrieveVectors`: could not parse `1` as a boolean, expected either `true` or `false`", nil},
		{"POST", "/indexes/i/documents/delete-batch", `{}`, 400, "bad_request", "Json deserialize error: invalid type: map, expected a sequence at line 1 column 0", nil},
		{"POST", "/indexes/i/documents/delete-batch", ` "a"`, 400, "bad_request", "Json deserialize error: invalid type: string \"a\", expected a sequence at line 1 column 4", nil},
		{"POST", "/indexes/i/documents/delete-batch", `[1`, 400, "malformed_payload", "The json payload provided is malformed. `EOF while parsing a list at line 1 column 2`.", nil},
		{"POST", "/indexes/i/documents/delete", `{}`, 400, "missing_document_filter", "Missing field `filter`", nil},
		{"POST", "/indexes/i/documents/delete", `{"filter":" "}`, 400, "invalid_document_filter", "Sending an empty filter is forbidden.", nil},
		{"POST", "/indexes/i/documents/delete", `{"filter":true}`, 400, "invalid_document_filter", "Invalid syntax for the filter parameter: `expected String, Array, found: true`.", nil},
		{"DELETE", "/indexes/i/documents/1?x=1", ``, 400, "bad_request", "Unknown parameter `x`: expected one of `customMetadata`", nil},
		{"POST", "/indexes/i/documents/edit", `{"function":""}`, 400, "feature_not_enabled", "Using the documents edit route requires enabling the `edit documents by function` experimental feature. See https://github.com/orgs/meilisearch/discussions/762", nil},
		{"POST", "/indexes/i/documents/edit", `{}`, 400, "missing_document_edition_function", "Missing field `function`", nil},
		{"POST", "/indexes/none/fields", `{}`, 404, "index_not_found", "Index `none` not found.", nil},
		{"POST", "/indexes/i/fields", `{"filter":{"displayed":1}}`, 400, "invalid_index_fields_filter_displayed", "Invalid value type at `.filter.displayed`: expected a boolean, but found a positive integer: `1`", nil},
		{"PUT", "/indexes/i/settings/ranking-rules", `["a"]`, 400, "invalid_settings_ranking_rules", "Invalid value at `[0]`: `a` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.", nil},
		{"PATCH", "/indexes/a b/settings", `{}`, 400, "invalid_index_uid", uid("a b"), nil},
	} {
		w := send(newStore(t).front(settings.Features{}), c.method, c.url, c.body, c.headers...)
		var got struct{ Message, Code string }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Errorf("%s %s: %d %q", c.method, c.url, w.Code, w.Body)
			continue
		}
		if w.Code != c.status || got.Code != c.code || got.Message != c.message {
			t.Errorf("%s %s %s:\n got %d %s: %s\nwant %d %s: %s", c.method, c.url, c.body, w.Code, got.Code, got.Message, c.status, c.code, c.message)
		}
	}
}

// Calls of the ports: request, the call as recorded, the kind of the task.
func TestDocumentRoutesEnqueue(t *testing.T) {
	for _, c := range []struct {
		method, url, body, call, kind string
		headers                       []string
	}{
		{"POST", "/indexes", `{"uid":"a","primaryKey":null}`, `["a",null]`, "indexCreation", nil},
		{"PATCH", "/indexes/i", `{"primaryKey":"","uid":"j"}`, `["i","","j"]`, "indexUpdate", nil},
		{"DELETE", "/indexes/i", ``, ``, "indexDeletion", nil},
		{"POST", "/indexes/i/compact", ``, ``, "indexCompaction", nil},
		{"POST", "/swap-indexes", `[{"indexes":["a","b"]},{"indexes":["c","d"],"rename":true}]`, `[{"Indexes":["a","b"],"Rename":false},{"Indexes":["c","d"],"Rename":true}]`, "indexSwap", nil},
		{"POST", "/indexes/i/documents?primaryKey=k&customMetadata=m", `[{},{}]`, `[2,"json",false,"k",false,true,"m"]`, "documentAdditionOrUpdate", nil},
		{"PUT", "/indexes/i/documents?skipCreation=TRUE&csvDelimiter=%3B", "a;b\n1;2\n", `[1,"csv",true,null,true,true,null]`, "documentAdditionOrUpdate", []string{"Content-Type: TEXT/CSV; header=present"}},
		{"PUT", "/indexes/i/documents?csvDelimiter=%00", "a\x00b\n1\x002\n", `[1,"csv",true,null,false,true,null]`, "documentAdditionOrUpdate", []string{"Content-Type: text/csv"}},
		{"POST", "/indexes/i/documents?primaryKey=k", `[{}]`, `[1,"json",false,"k",false,true,null]`, "documentAdditionOrUpdate", []string{"Content-Type: application/json+x;"}},
		{"PUT", "/indexes/i/documents", "{}{}", `[2,"ndjson",true,null,false,true,null]`, "documentAdditionOrUpdate", []string{"Content-Type: application/x-ndjson"}},
		{"DELETE", "/indexes/i/documents/a b", ``, `[["a b"],null]`, "documentDeletion", nil},
		{"DELETE", "/indexes/i/documents?customMetadata=x", ``, `["clear","x"]`, "documentDeletion", nil},
		{"POST", "/indexes/i/documents/delete-batch", `["a",1,1.50,null,{"a":[]}]`, `[["a","1","1.5","null","{\"a\":[]}"],null]`, "documentDeletion", nil},
		{"POST", "/indexes/i/documents/delete", `{"filter":["a = 1", ["b = 2"]]}`, `["[\"a = 1\",[\"b = 2\"]]",null]`, "documentDeletion", nil},
		{"DELETE", "/indexes/i/settings/chat", ``, `["{\"chat\":null}",true,false]`, "settingsUpdate", nil},
		{"PUT", "/indexes/i/settings/stop-words", `["b","a"]`, `["{\"stopWords\":[\"a\",\"b\"]}",false,true]`, "settingsUpdate", nil},
		{"PATCH", "/indexes/i/settings/typo-tolerance", `null`, `["{\"typoTolerance\":null}",false,true]`, "settingsUpdate", nil},
	} {
		store := newStore(t)
		w := send(store.front(settings.Features{}), c.method, c.url, c.body, c.headers...)
		if w.Code != 202 || store.last != c.call || !strings.Contains(w.Body.String(), `"status":"enqueued","type":"`+c.kind+`"`) {
			t.Errorf("%s %s %s: %d %s, call %s", c.method, c.url, c.body, w.Code, w.Body, store.last)
		}
	}
}

func TestListDocuments(t *testing.T) {
	store := newStore(t)
	s := store.front(settings.Features{})
	w := send(s, "GET", "/indexes/i/documents?limit=2&offset=1&fields=a,*&ids=&filter=%5B%22a=1%22%5D&sort=_geoPoint(1,2):asc,b:desc", "")
	if want := `{"results":[{"id":1},{}],"offset":1,"limit":2,"total":9}`; w.Body.String() != want {
		t.Errorf("page %s", w.Body)
	}
	if r := store.list; r.Fields != nil || r.IDs == nil || len(r.IDs) != 0 || string(r.Filter) != `["a=1"]` || len(r.Sort) != 2 || r.Sort[0] != "_geoPoint(1,2):asc" {
		t.Errorf("query string read as %+v %s", r, r.Filter)
	}
	send(s, "POST", "/indexes/i/documents/fetch", `{"fields":["*"],"ids":[1,"b"],"filter":"a=1","retrieveVectors":true}`)
	if r := store.list; len(r.Fields) != 1 || strings.Join(r.IDs, " ") != "1 b" || string(r.Filter) != `"a=1"` || !r.RetrieveVectors || r.Limit != 20 {
		t.Errorf("body read as %+v %s", r, r.Filter)
	}
	if w := send(s, "GET", "/indexes/i/documents/x?fields=", ""); w.Body.String() != `{"fields":[],"id":"x","vectors":false}` {
		t.Errorf("document %s", w.Body)
	}
}

func TestSettingsRoutes(t *testing.T) {
	store := newStore(t)
	s := store.front(settings.Features{})
	for _, row := range settings.Table() {
		path := "/indexes/i/settings/" + row.Path
		before := send(s, "GET", path, "")
		if before.Code != 200 {
			t.Errorf("%s: %d", path, before.Code)
		}
		for _, verb := range []string{"PUT", "PATCH"} {
			want := 405
			if verb == row.Verb {
				want = 202
			}
			if w := send(s, verb, path, "null"); w.Code != want || want == 405 && w.Header().Get("Allow") != "GET, "+row.Verb+", DELETE" {
				t.Errorf("%s %s: %d, allow %q", verb, path, w.Code, w.Header().Get("Allow"))
			}
		}
		if after := send(s, "GET", path, ""); after.Body.String() != before.Body.String() {
			t.Errorf("%s: a reset of fresh settings shows %s, not %s", path, after.Body, before.Body)
		}
	}
}

func TestFields(t *testing.T) {
	store := newStore(t)
	store.fields = []string{"b", "a", "a.x", "ab"}
	s := store.front(settings.Features{})
	send(s, "PATCH", "/indexes/i/settings", `{"displayedAttributes":["a"],"filterableAttributes":["a"],"sortableAttributes":["b"],"rankingRules":["b:desc"],"localizedAttributes":[{"attributePatterns":["a*"],"locales":["fr"]}],"faceting":{"sortFacetValuesBy":{"a":"count"}}}`)
	w := send(s, "POST", "/indexes/i/fields", `{"filter":{"attributePatterns":["a","b"]}}`)
	want := `{"results":[{"name":"a","displayed":{"enabled":true},"searchable":{"enabled":true},"sortable":{"enabled":false},"distinct":{"enabled":false},"rankingRule":{"enabled":false},"filterable":{"enabled":true,"sortBy":"count","facetSearch":true,"equality":true,"comparison":true},"localized":{"locales":["Fra"]}},` +
		`{"name":"b","displayed":{"enabled":false},"searchable":{"enabled":true},"sortable":{"enabled":true},"distinct":{"enabled":false},"rankingRule":{"enabled":true,"order":"desc"},"filterable":{"enabled":false,"sortBy":"alpha","facetSearch":false,"equality":false,"comparison":false},"localized":{"locales":[]}}],"offset":0,"limit":20,"total":2}`
	if w.Body.String() != want {
		t.Errorf("got %s", w.Body)
	}
	if w := send(s, "POST", "/indexes/i/fields", `{"offset":1,"limit":1,"filter":{"displayed":false}}`); !strings.Contains(w.Body.String(), `[{"name":"b"`) || !strings.HasSuffix(w.Body.String(), `"offset":1,"limit":1,"total":2}`) {
		t.Errorf("second page: %s", w.Body)
	}
}

// TestFieldsBelowADisplayedOneAreDisplayed: only the exact names of the setting were.
func TestFieldsBelowADisplayedOneAreDisplayed(t *testing.T) {
	store := newStore(t)
	store.fields = []string{"_geo", "_geo.lat", "_geo.lng", "a", "a.b", "a.b.c", "ab"}
	s := store.front(settings.Features{})
	for displayed, want := range map[string][]string{
		`["*"]`:               store.fields,
		`["_geo","_geo.lat"]`: {"_geo", "_geo.lat", "_geo.lng"},
		`["_geo.lng","a"]`:    {"_geo.lng", "a", "a.b", "a.b.c"},
		`["a.b"]`:             {"a.b", "a.b.c"},
		`["a*"]`:              {},
	} {
		send(s, "PATCH", "/indexes/i/settings", `{"displayedAttributes":`+displayed+`}`)
		var page struct{ Results []struct{ Name string } }
		if err := json.Unmarshal(send(s, "POST", "/indexes/i/fields", `{"filter":{"displayed":true}}`).Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, r := range page.Results {
			names = append(names, r.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: displayed are %q, not %q", displayed, names, want)
		}
	}
}
