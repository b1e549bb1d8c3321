package purpose

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"shoal/cluster-test/life"
)

// TestEachPurposeHidesWhatItSaysAndNoMore: each row has pairs of answers that it explains,
// and pairs close to them that it must leave alone.
func TestEachPurposeHidesWhatItSaysAndNoMore(t *testing.T) {
	page, err := os.ReadFile("../../../docs/divergence.md")
	if err != nil {
		t.Fatal(err)
	}
	search := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"x"}`)}
	bounded := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"bounded","limit":2}`)}
	boundedOtherwise := life.Request{Method: "POST", Path: "/indexes/m/search", Body: bounded.Body}
	searchMore := life.Request{Method: "POST", Path: "/indexes/b/search", Body: json.RawMessage(`{"q":"y"}`)}
	searchElsewhere := life.Request{Method: "POST", Path: "/indexes/b/search", Body: search.Body}
	vector := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e","semanticRatio":1}}`)}
	upload := life.Request{Method: "POST", Path: "/indexes/a/documents", Write: true}
	droppedUpload := life.Request{Method: "POST", Path: "/indexes/dropped/documents", Write: true}
	similar := life.Request{Method: "POST", Path: "/indexes/a/similar", Body: json.RawMessage(`{"id":1}`)}
	const malformed = "{\"message\":\"The `json` payload provided is malformed. `Couldn't serialize document value: invalid type: null, expected a map at line 1 column 4`.\",\"code\":\"malformed_payload\"}"
	facets := life.Request{Method: "POST", Path: "/indexes/a/facet-search", Body: json.RawMessage(`{"facetName":"g"}`)}
	change := life.Request{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"displayedAttributes":["id"],"stopWords":["x"]}`), Write: true}
	otherChange := life.Request{Method: "PATCH", Path: "/indexes/b/settings", Body: json.RawMessage(`{"dictionary":["x"]}`), Write: true}
	keyed := life.Request{Method: "PATCH", Path: "/indexes/a", Body: json.RawMessage(`{"primaryKey":"id"}`), Write: true}
	otherKeyed := life.Request{Method: "PATCH", Path: "/indexes/b", Body: keyed.Body, Write: true}
	reset := life.Request{Method: "DELETE", Path: "/indexes/a/settings", Write: true}
	otherReset := life.Request{Method: "DELETE", Path: "/indexes/b/settings", Write: true}
	stopWords := life.Request{Method: "DELETE", Path: "/indexes/a/settings/stop-words", Write: true}
	dictionary := life.Request{Method: "PUT", Path: "/indexes/b/settings/dictionary", Body: json.RawMessage(`["x"]`), Write: true}
	otherFacets := life.Request{Method: "POST", Path: "/indexes/a/facet-search", Body: json.RawMessage(`{"facetName":"other"}`)}
	ruledFacets := life.Request{Method: "POST", Path: "/indexes/a/facet-search", Body: json.RawMessage(`{"facetName":"r"}`)}
	lostFacets := life.Request{Method: "POST", Path: "/indexes/b/facet-search", Body: json.RawMessage(`{"facetName":"g"}`)}
	fetch := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"]}`)}
	chosenFields := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"],"fields":["id"]}`)}
	laterDocuments := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"],"fields":["id"],"offset":2}`)}
	emptyFirst := life.Request{Method: "POST", Path: "/indexes/n/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"],"limit":2}`)}
	afterRepeated := life.Request{Method: "POST", Path: "/indexes/b/documents/fetch", Body: laterDocuments.Body}
	skippedDocuments := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"],"fields":["id"],"offset":3}`)}
	strangeDocuments := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{"sort":["g:desc"],"fields":["id"],"offset":1}`)}
	listedFields := life.Request{Method: "GET", Path: "/indexes/a/documents?sort=g%3Adesc&fields=id"}
	listed := life.Request{Method: "GET", Path: "/indexes/a/documents?sort=_geoPoint%2819%2C+59%29%3Aasc%2Cg%3Aasc"}
	unsorted := life.Request{Method: "POST", Path: "/indexes/a/documents/fetch", Body: json.RawMessage(`{}`)}
	halfVector := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e","semanticRatio":0.5},"limit":1}`)}
	mixed := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"mixed","hybrid":{"embedder":"e","semanticRatio":0.3}}`)}
	mixedWords := life.Request{Method: "POST", Path: "/indexes/b/search", Body: mixed.Body}
	mixedFarther := life.Request{Method: "POST", Path: "/indexes/c/search", Body: mixed.Body}
	alike := life.Request{Method: "POST", Path: "/indexes/a/similar", Body: json.RawMessage(`{"id":7}`)}
	nearer := life.Request{Method: "POST", Path: "/indexes/a/similar", Body: json.RawMessage(`{"id":8}`)}
	later := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"offset":1,"limit":1}`)}
	laterPage := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"page":2,"hitsPerPage":1}`)}
	cut := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"limit":2,"showRankingScore":true}`)}
	otherCut := life.Request{Method: "POST", Path: "/indexes/b/search", Body: cut.Body}
	tied := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"limit":2,"sort":["g:asc"],"showRankingScore":true}`)}
	editing := life.Request{Method: "POST", Path: "/indexes/a/documents/edit", Body: json.RawMessage(`{}`), Write: true}
	sharing := life.Request{Method: "POST", Path: "/indexes/a/documents", Body: json.RawMessage(`[{"id":8}]`), Write: true}
	elsewhere := life.Request{Method: "POST", Path: "/indexes/b/documents", Body: sharing.Body, Write: true}
	inNorth := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"north","filter":["_geo.lat > 3"]}`)}
	inNorthElsewhere := life.Request{Method: "POST", Path: "/indexes/b/search", Body: inNorth.Body}
	placed := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"unsortedly","sort":["_geoPoint(1, 2):asc"],"limit":2}`)}
	placedRight := life.Request{Method: "POST", Path: "/indexes/b/search", Body: placed.Body}
	placedOtherwise := life.Request{Method: "POST", Path: "/indexes/c/search", Body: placed.Body}
	const tooMany = "{\"message\":\"Index `a`: Foreign filter is retrieving too many documents, foreign filters can't retrieve more than 100 documents per index\"}"
	failedFor := func(message string) string {
		return "{\"taskUid\":0}\n" + `{"status":"failed","details":{"x":0},"error":{"message":"` + message + `","code":"vector_embedding_error"}}`
	}
	const lackingNine = "While embedding documents for embedder `e`: no vectors provided for document `9`\\n- Note: x"
	editFault := func(message string) string {
		return `{"taskUid":1}` + "\n" + `{"status":"failed","error":{"message":"` + message + `"}}`
	}
	moved := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"moved 42"}`)}
	mergedMoved := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"federation":{},"queries":[{"indexUid":"a","q":"x"},{"indexUid":"a","q":"moved 42"}]}`)}
	otherwiseMoved := life.Request{Method: "POST", Path: "/indexes/b/search", Body: json.RawMessage(`{"q":"moved 42"}`)}
	newRule := life.Request{Method: "PATCH", Path: "/dynamic-search-rules/r", Body: json.RawMessage(`{}`), Write: true}
	vacant := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"filter":"g IS EMPTY"}`)}
	neverSorted := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"filter":"x IS EMPTY"}`)}
	vacantIndeed := life.Request{Method: "POST", Path: "/indexes/b/search", Body: json.RawMessage(`{"filter":"g IS NULL"}`)}
	vacantToThem := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"filter":"g IS NULL"}`)}
	missed := life.Request{Method: "POST", Path: "/indexes/g/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"limit":2,"sort":["g:asc"],"showRankingScore":true}`)}
	hidden := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"hybrid":{"embedder":"hidden"},"limit":1,"showRankingScoreDetails":true}`)}
	rearranged := life.Request{Method: "POST", Path: "/indexes/j/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"limit":1,"distinct":"g","showRankingScore":true}`)}
	distinct := life.Request{Method: "POST", Path: "/indexes/h/search", Body: json.RawMessage(`{"hybrid":{"embedder":"e"},"limit":2,"distinct":"g"}`)}
	counted := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"counted","limit":2}`)}
	chosen := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"counted","limit":2,"rankingScoreThreshold":0.6}`)}
	otherCounted := life.Request{Method: "POST", Path: "/indexes/b/search", Body: counted.Body}
	numbered := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"the 198x"}`)}
	otherNumbered := life.Request{Method: "POST", Path: "/indexes/b/search", Body: numbered.Body}
	unnumbered := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"the"}`)}
	emptied := life.Request{Method: "POST", Path: "/indexes/b/search", Body: json.RawMessage(`{"attributesToSearchOn":["title"]}`)}
	fields := life.Request{Method: "POST", Path: "/indexes/a/fields", Body: json.RawMessage(`{"limit":1,"offset":1}`)}
	otherFields := life.Request{Method: "POST", Path: "/indexes/b/fields", Body: fields.Body}
	nameless := life.Request{Method: "POST", Path: "/indexes/c/fields", Body: json.RawMessage(`{"limit":2}`)}
	namelessListing := life.Request{Method: "GET", Path: "/indexes/c/documents?limit=10000"}
	namelessSearch := life.Request{Method: "POST", Path: "/indexes/c/search", Body: json.RawMessage(`{"facets":["*"]}`)}
	merged := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"federation":{},"queries":[{"indexUid":"a"},{"indexUid":"a","hybrid":{"embedder":"e"}}]}`)}
	mergedWords := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"federation":{},"queries":[{"indexUid":"a"}]}`)}
	several := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"queries":[{"indexUid":"a"},{"indexUid":"a","hybrid":{"embedder":"e"}}]}`)}
	paired := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"paired","limit":2}`)}
	idless := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"paired","limit":2,"attributesToRetrieve":["t"]}`)}
	idlessOtherwise := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"paired otherwise","limit":2,"attributesToRetrieve":["t"]}`)}
	choosing := life.Request{Method: "POST", Path: "/indexes/m/search", Body: paired.Body}
	choosingOtherwise := life.Request{Method: "POST", Path: "/indexes/m/search", Body: json.RawMessage(`{"q":"paired otherwise","limit":2}`)}
	otherPaired := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"paired otherwise","limit":2}`)}
	byAttribute := life.Request{Method: "POST", Path: "/indexes/k/search", Body: json.RawMessage(`{"q":"paired","limit":2}`)}
	byAttributeOtherwise := life.Request{Method: "POST", Path: "/indexes/k/search", Body: json.RawMessage(`{"q":"paired otherwise","limit":2}`)}
	typoless := life.Request{Method: "POST", Path: "/indexes/f/search", Body: json.RawMessage(`{"q":"paired","limit":2}`)}
	lossy := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"lossy","limit":2}`)}
	lossyWithTypos := life.Request{Method: "POST", Path: "/indexes/a/search", Body: lossy.Body}
	lossyElsewhere := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"lossy elsewhere","limit":2}`)}
	lossyOtherwise := life.Request{Method: "POST", Path: "/indexes/d/search", Body: json.RawMessage(`{"q":"lossy otherwise","limit":2}`)}
	lossyTwice := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"queries":[{"indexUid":"a"},{"indexUid":"d","q":"lossy","limit":2}]}`)}
	prefixed := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"big pre"}`)}
	otherPrefixed := life.Request{Method: "POST", Path: "/indexes/b/search", Body: prefixed.Body}
	wholeWord := life.Request{Method: "POST", Path: "/indexes/a/search", Body: json.RawMessage(`{"q":"big prefix"}`)}
	prefixes := life.Request{Method: "POST", Path: "/multi-search", Body: json.RawMessage(`{"queries":[{"indexUid":"a"},{"indexUid":"a","q":"big pre"}]}`)}
	edit := life.Request{Method: "POST", Path: "/indexes/a/documents/edit", Body: json.RawMessage(`{"function":"doc.x = 1"}`), Write: true}
	otherEdit := life.Request{Method: "POST", Path: "/indexes/b/documents/edit", Body: json.RawMessage(`{"function":"doc.x = 1"}`), Write: true}
	changingEdit := life.Request{Method: "POST", Path: "/indexes/e/documents/edit", Body: edit.Body, Write: true}
	updateOfMore := life.Request{Method: "PUT", Path: "/indexes/c/documents", Body: json.RawMessage(`[{"id":7,"a":1}]`), Write: true}
	update := life.Request{Method: "PUT", Path: "/indexes/a/documents", Body: json.RawMessage(`[{"id":7}]`), Write: true}
	unmade := func(embedder string) string {
		return "{\"taskUid\":0}\n{\"status\":\"failed\",\"details\":{},\"error\":{\"message\":\"While embedding documents for embedder `" + embedder + "`: no vectors provided for document `7`\\n- Note: x\",\"code\":\"vector_embedding_error\"}}"
	}
	const crashedTask = "{\"taskUid\":0}\n{\"status\":\"failed\",\"details\":{},\"error\":{\"message\":\"An unexpected crash occurred when processing the task: x\",\"code\":\"internal\"}}"
	const (
		succeeded = "{\"taskUid\":0}\n{\"status\":\"succeeded\",\"details\":{},\"error\":null}"
		misplaced = "{\"taskUid\":0}\n{\"status\":\"failed\",\"details\":{},\"error\":{\"message\":\"The `_geo` field in the document with the id: `7` is wrong\",\"code\":\"invalid_document_geo_field\"}}"
		tooLarge  = `{"task":{"error":{"message":"Index i: internal: number out of range at line 1 column 3.","code":"internal"}}}`
		crashed   = `{"task":{"error":{"message":"An unexpected crash occurred when processing the task: unwrap on an Err value: Any { .. }","code":"internal"}}}`
		offMap    = "{\"task\":{\"error\":{\"message\":\"Index `i`: every coordinate of the line must be valid\",\"code\":\"internal\"}}}"

		crashedOffMap = `{"task":{"error":{"message":"An unexpected crash occurred when processing the task: called unwrap: InvalidGeometry { reason: \"every coordinate of the line must be valid\" }","code":"internal"}}}`
	)
	cases := map[string][]struct {
		r            life.Request
		ours, theirs string
		status       [2]int
		explains     bool
	}{
		"members of a field without a name": {
			{nameless, `{"results":[{"name":""},{"name":".a"}],"total":2}`, `{"results":[{"name":""},{"name":"a"}],"total":2}`, [2]int{200, 200}, true},
			{otherFields, `{"results":[{"name":""},{"name":".a"}],"total":2}`, `{"results":[{"name":""},{"name":"a"}],"total":2}`, [2]int{200, 200}, false},
			{namelessListing, `{"results":[{"id":1,"c":2,"a":3}]}`, `{"results":[{"id":1,"a":3,"c":2}]}`, [2]int{200, 200}, true},
			{namelessListing, `{"results":[{"id":1,"c":2,"d":3}]}`, `{"results":[{"id":1,"d":3,"c":2}]}`, [2]int{200, 200}, false},
			{namelessListing, `{"results":[{"id":1,"a":3}]}`, `{"results":[{"id":1,"a":4}]}`, [2]int{200, 200}, false},
			{namelessSearch, `{"facetDistribution":{"c":{"x":1}}}`, `{"facetDistribution":{"a":{},"c":{"x":1}}}`, [2]int{200, 200}, true},
			{namelessSearch, `{"facetDistribution":{"c":{"x":1}}}`, `{"facetDistribution":{"a":{"x":1},"c":{"x":1}}}`, [2]int{200, 200}, false},
			{namelessSearch, `{"facetDistribution":{"c":{"x":1}}}`, `{"facetDistribution":{"d":{},"c":{"x":1}}}`, [2]int{200, 200}, false},
			{namelessSearch, `{"facetDistribution":{"c":{"x":1}}}`, `{"facetDistribution":{"a":{},"c":{"x":2}}}`, [2]int{200, 200}, false},
			{unsorted, `{"results":[{"id":1,"c":2,"a":3}]}`, `{"results":[{"id":1,"a":3,"c":2}]}`, [2]int{200, 200}, false},
		},
		"facets of places": {
			{search, `{"facetDistribution":{"_geo.lat":{},"_geo.lng":{},"g":{"a":1}},"facetStats":{}}`, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2},"g":{"a":1}},"facetStats":{"_geo.lat":{"min":1},"_geo.lng":{"min":3}}}`, [2]int{200, 200}, true},
			{search, `{"facetDistribution":{"_geo.lat":{},"_geo.lng":{},"g":{"a":1}}}`, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2},"g":{"a":2}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2}}}`, `{"facetDistribution":{"_geo.lat":{},"_geo.lng":{}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{}}}`, `{"facetDistribution":{"_geo.lat":{"1":2}}}`, [2]int{200, 200}, true},
			{search, `{"facetDistribution":{"_geo":{}}}`, `{"facetDistribution":{"_geo":{"1":2}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{"1":1},"_geo.lng":{"3":2}}}`, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":1,"4":1}},"facetStats":{}}`, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2,"4":1}},"facetStats":{"_geo.lng":{"min":5}}}`, [2]int{200, 200}, true},
			{inNorth, `{"hits":[]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, true},
			{inNorth, `{"hits":[{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{inNorthElsewhere, `{"hits":[]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{"1":2}},"other":1}`, `{"facetDistribution":{"_geo.lat":{"1":3}},"other":2}`, [2]int{200, 200}, false},
			{searchElsewhere, `{"facetDistribution":{"_geo.lat":{"1":2}}}`, `{"facetDistribution":{"_geo.lat":{"1":3}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"_geo.lat":{"1":2}}}`, `{"facetDistribution":{"_geo.lat":{"1":2},"_geo.lng":{"3":2}}}`, [2]int{200, 200}, false},
		},
		"members in another order": {
			{update, succeeded, unmade("e"), [2]int{202, 202}, true},
			{changingEdit, succeeded, unmade("e"), [2]int{202, 202}, false},
			{edit, succeeded, unmade("e"), [2]int{202, 202}, true},
			{edit, unmade("e"), succeeded, [2]int{202, 202}, false},
			{edit, succeeded, unmade("r"), [2]int{202, 202}, false},
			{edit, succeeded, misplaced, [2]int{202, 202}, false},
			{otherEdit, succeeded, unmade("e"), [2]int{202, 202}, false},
			{upload, succeeded, unmade("e"), [2]int{202, 202}, false},
		},
		"documents that a sorted listing drops": {
			{fetch, `{"results":[{"id":1,"g":"b"},{"id":2,"g":""},{"id":3,"g":"a"}],"offset":0}`, `{"results":[{"id":1,"g":"b"},{"id":3,"g":"a"}],"offset":0}`, [2]int{200, 200}, true},
			{fetch, `{"results":[{"id":1,"g":["b","a"]},{"id":3,"g":"a"}],"offset":0}`, `{"results":[{"id":1,"g":["b","a"]},{"id":1,"g":["b","a"]}],"offset":0}`, [2]int{200, 200}, true},
			{fetch, `{"results":[{"id":2,"g":[]}],"offset":0}`, `{"results":[],"offset":0}`, [2]int{200, 200}, true},
			{fetch, `{"results":[{"id":2}],"offset":0}`, `{"results":[],"offset":0}`, [2]int{200, 200}, false},
			{fetch, `{"results":[{"id":2,"g":{"x":1}},{"id":3,"g":[null,""]},{"id":4,"g":0}],"offset":0}`, `{"results":[{"id":4,"g":0}],"offset":0}`, [2]int{200, 200}, true},
			{listed, `{"results":[{"id":1,"_geo":{"lat":1,"lng":2},"g":"a"},{"id":2,"g":""}],"offset":0}`, `{"results":[{"id":1,"_geo":{"lat":1,"lng":2},"g":"a"}],"offset":0}`, [2]int{200, 200}, true},
			{listed, `{"results":[{"id":2,"g":"b"},{"id":1,"_geo":{"lat":1,"lng":2},"g":"a"}],"offset":0}`, `{"results":[{"id":1,"_geo":{"lat":1,"lng":2},"g":"a"}],"offset":0}`, [2]int{200, 200}, false},
			{listed, `{"results":[{"id":1,"_geo":{"lat":1,"lng":2},"g":"a"}],"offset":0}`, `{"results":[],"offset":0}`, [2]int{200, 200}, false},
			{fetch, `{"results":[{"id":1,"g":"b"},{"id":3,"g":"a"}],"offset":0}`, `{"results":[{"id":1,"g":"b"}],"offset":0}`, [2]int{200, 200}, false},
			{fetch, `{"results":[{"id":1,"g":"b"},{"id":2}],"offset":0}`, `{"results":[{"id":3,"g":"c"}],"offset":0}`, [2]int{200, 200}, false},
			{fetch, `{"results":[{"id":1,"g":"b"},{"id":2}],"offset":0,"total":2}`, `{"results":[{"id":1,"g":"b"}],"offset":0,"total":1}`, [2]int{200, 200}, false},
			{chosenFields, `{"results":[{"id":1},{"id":2},{"id":3}],"offset":0}`, `{"results":[{"id":1},{"id":3}],"offset":0}`, [2]int{200, 200}, true},
			{chosenFields, `{"results":[{"id":1},{"id":2}],"offset":0}`, `{"results":[{"id":1},{"id":3}],"offset":0}`, [2]int{200, 200}, false},
			{listedFields, `{"results":[{"id":1},{"id":2},{"id":3}],"offset":0}`, `{"results":[{"id":1},{"id":3}],"offset":0}`, [2]int{200, 200}, true},
			{laterDocuments, `{"results":[{"id":2},{"id":3}],"offset":2}`, `{"results":[{"id":1},{"id":3}],"offset":2}`, [2]int{200, 200}, true},
			{emptyFirst, `{"results":[{"id":1,"g":""},{"id":2,"g":null}],"offset":0}`, `{"results":[{"id":3,"g":"a"},{"id":4,"g":"b"}],"offset":0}`, [2]int{200, 200}, true},
			{emptyFirst, `{"results":[{"id":1,"g":""},{"id":2,"g":null}],"offset":0}`, `{"results":[{"id":3,"g":"a"}],"offset":0}`, [2]int{200, 200}, false},
			{afterRepeated, `{"results":[{"id":3}],"offset":2}`, `{"results":[{"id":1},{"id":3}],"offset":2}`, [2]int{200, 200}, true},
			{strangeDocuments, `{"results":[{"id":2},{"id":1}],"offset":1}`, `{"results":[{"id":3}],"offset":1}`, [2]int{200, 200}, false},
			{skippedDocuments, `{"results":[{"id":3}],"offset":3}`, `{"results":[{"id":3}, {"id":1}],"offset":3}`, [2]int{200, 200}, false},
			{unsorted, `{"results":[{"id":1,"g":"b"},{"id":2}],"offset":0}`, `{"results":[{"id":1,"g":"b"}],"offset":0}`, [2]int{200, 200}, false},
		},
		"an error of the client's is no 500": {
			{upload, malformed, `{"message":"invalid type: null, expected a map at line 1 column 4","code":"internal"}`, [2]int{400, 500}, true},
			{upload, malformed, `{"message":"invalid type: null, expected a map at line 2 column 4","code":"internal"}`, [2]int{400, 500}, false},
			{upload, malformed, `{"message":"invalid type: null, expected a map at line 1 column 4","code":"internal"}`, [2]int{400, 400}, false},
			{search, malformed, `{"message":"invalid type: null, expected a map at line 1 column 4","code":"internal"}`, [2]int{400, 500}, false},
		},
		"equal similarities": {
			{similar, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":2,"_rankingScore":1.0},{"id":3,"_rankingScore":0.5}],"offset":0}`, `{"hits":[{"id":2,"_rankingScore":1.0},{"id":1,"_rankingScore":1.0},{"id":4,"_rankingScore":0.5}],"offset":0}`, [2]int{200, 200}, true},
			{similar, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":3,"_rankingScore":0.5}],"offset":2}`, `{"hits":[{"id":2,"_rankingScore":1.0},{"id":4,"_rankingScore":0.5}],"offset":2}`, [2]int{200, 200}, true},
			{similar, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":3,"_rankingScore":0.5}],"offset":0}`, `{"hits":[{"id":2,"_rankingScore":1.0},{"id":3,"_rankingScore":0.5}],"offset":0}`, [2]int{200, 200}, false},
			{similar, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":3,"_rankingScore":0.5}],"offset":0}`, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":4,"_rankingScore":0.6}],"offset":0}`, [2]int{200, 200}, false},
			{similar, `{"hits":[{"id":1,"_rankingScore":1.0}],"offset":0,"estimatedTotalHits":3}`, `{"hits":[{"id":2,"_rankingScore":1.0}],"offset":0,"estimatedTotalHits":4}`, [2]int{200, 200}, false},
			{similar, `{"hits":[{"id":1}],"offset":0}`, `{"hits":[{"id":2}],"offset":0}`, [2]int{200, 200}, false},
			{alike, `{"hits":[{"id":1},{"id":2},{"id":3}],"offset":0}`, `{"hits":[{"id":2},{"id":1},{"id":3}],"offset":0}`, [2]int{200, 200}, true},
			{alike, `{"hits":[{"id":1},{"id":2},{"id":3}],"offset":0}`, `{"hits":[{"id":2},{"id":3},{"id":1}],"offset":0}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":1.0},{"id":2,"_rankingScore":1.0}],"offset":0}`, `{"hits":[{"id":2,"_rankingScore":1.0},{"id":1,"_rankingScore":1.0}],"offset":0}`, [2]int{200, 200}, false},
		},
		"ties among facet values": {
			{search, `{"facetDistribution":{"g":{"7":1,"c":4,"b":2,"a":2}}}`, `{"facetDistribution":{"g":{"7":1,"c":4,"a":2,"b":2}}}`, [2]int{200, 200}, true},
			{search, `{"facetDistribution":{"g":{"7":4,"8":2,"9":4,"a":1}}}`, `{"facetDistribution":{"g":{"8":2,"9":4,"7":4,"a":1}}}`, [2]int{200, 200}, true},
			{search, `{"facetDistribution":{"g":{"7":4,"8":2,"9":4,"a":1}}}`, `{"facetDistribution":{"g":{"8":2,"9":3,"7":5,"a":1}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"b":4,"8":2,"9":4}}}`, `{"facetDistribution":{"g":{"8":2,"9":4,"b":4}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"7":1,"b":2,"a":2}}}`, `{"facetDistribution":{"g":{"b":1,"7":2,"a":2}}}`, [2]int{200, 200}, false},
			{search, `{"hits":[],"facetDistribution":{"g":{"c":3,"b":2,"a":2,"x":1,"w":1}}}`, `{"hits":[],"facetDistribution":{"g":{"c":3,"a":2,"b":2,"v":1,"x":1}}}`, [2]int{200, 200}, true},
			{search, `{"hits":[],"facetsByIndex":{"i":{"distribution":{"g":{"c":3,"b":2,"a":2}},"stats":{}}}}`, `{"hits":[],"facetsByIndex":{"i":{"distribution":{"g":{"c":3,"a":2,"b":2}},"stats":{}}}}`, [2]int{200, 200}, true},
			{search, `{"facetsByIndex":{"i":{"distribution":{"g":{"b":2,"a":1}}}}}`, `{"facetsByIndex":{"i":{"distribution":{"g":{"a":2,"b":1}}}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"c":3,"b":2,"a":2}}}`, `{"facetDistribution":{"g":{"c":3,"a":2,"b":1}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"c":3,"b":2,"x":1}}}`, `{"facetDistribution":{"g":{"d":3,"b":2,"x":1}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"b":2,"a":2,"x":1}}}`, `{"facetDistribution":{"g":{"a":2,"b":2}}}`, [2]int{200, 200}, false},
			{search, `{"hits":[1],"facetDistribution":{"g":{"b":2,"a":2}}}`, `{"hits":[2],"facetDistribution":{"g":{"a":2,"b":2}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"a":1,"b":2}}}`, `{"facetDistribution":{"g":{"b":1,"a":2}}}`, [2]int{200, 200}, false},
		},
		"the smallest number": {
			{search, `{"facetDistribution":{"g":{` + nextFacet + `2,"a":1}}}`, `{"facetDistribution":{"g":{` + smallestFacet + `2,"a":1}}}`, [2]int{200, 200}, true},
			{search, `{"facetStats":{"g":{"min":1e-323,"max":1e-323}}}`, `{"facetStats":{"g":{"min":5e-324,"max":5e-324}}}`, [2]int{200, 200}, true},
			{search, `{"facetStats":{"g":{"min":1e-323,"max":1e-323}}}`, `{"facetStats":{"g":{"min":5e-324,"max":2e-323}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{` + nextFacet + `2}}}`, `{"facetDistribution":{"g":{` + smallestFacet + `1}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{` + smallestFacet + `2,"a":1}}}`, `{"facetDistribution":{"g":{` + nextFacet + `2,"a":1}}}`, [2]int{200, 200}, false},
			{search, `{"facetDistribution":{"g":{"a":3}}}`, `{"facetDistribution":{"g":{` + smallestFacet + `2}}}`, [2]int{200, 200}, false},
		},
		"a task behind which its index is deleted": {
			{droppedUpload, unmade("a"), succeeded, [2]int{202, 202}, true},
			{upload, unmade("a"), succeeded, [2]int{202, 202}, false},
			{droppedUpload, succeeded, unmade("a"), [2]int{202, 202}, false},
			{droppedUpload, unmade("a"), strings.Replace(succeeded, `"details":{}`, `"details":{"x":1}`, 1), [2]int{202, 202}, false},
		},
		"who lacks vectors": {
			{upload, lacking("a", "6", " and at least 50 other document(s)"), lacking("a", "6", " and at least 16 other document(s)"), [2]int{202, 202}, true},
			{upload, lacking("a", "6", ""), lacking("b", "7", ""), [2]int{202, 202}, true},
			{upload, lacking("a", "6", " and at least 9 other document(s)"), lacking("a", "7", " and at least 9 other document(s)"), [2]int{202, 202}, true},
			{upload, lacking("a", "6", ""), lacking("a", "7", ""), [2]int{202, 202}, false},
			{upload, lacking("a", "6", ""), `{"task":{"error":{"code":"internal","message":"Index b"}}}`, [2]int{202, 202}, false},
			{upload, lacking("a", "6", ""), `{"task":{"error":null}}`, [2]int{202, 202}, false},
		},
		"a number beyond the range of floats": {
			{upload, tooLarge, crashed, [2]int{202, 202}, true},
			{upload, crashed, tooLarge, [2]int{202, 202}, false},
			{upload, `{"task":{"error":{"message":"Index i: other","code":"internal"}}}`, crashed, [2]int{202, 202}, false},
			{upload, `{"task":{"error":null}}`, crashed, [2]int{202, 202}, false},
		},
		"places that are lost": {
			{placed, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":2},{"id":3}]}`, [2]int{200, 200}, true},
			{placed, `{"hits":[{"id":1},{"id":2}],"estimatedTotalHits":3}`, `{"hits":[{"id":2},{"id":3}],"estimatedTotalHits":2}`, [2]int{200, 200}, false},
			{placedRight, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":2},{"id":3}]}`, [2]int{200, 200}, false},
			{placedOtherwise, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":2},{"id":3}]}`, [2]int{200, 200}, false},
			{search, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":2},{"id":3}]}`, [2]int{200, 200}, false},
		},
		"more foreign documents": {
			{search, `{"hits":[]}`, tooMany, [2]int{200, 400}, true},
			{search, `{"message":"Attribute"}`, tooMany, [2]int{400, 400}, true},
			{search, `{"message":"x"}`, tooMany, [2]int{500, 400}, false},
			{upload, `{"hits":[]}`, tooMany, [2]int{200, 400}, false},
			{search, `{"hits":[]}`, strings.Replace(tooMany, " 100 ", " 1000 ", 1), [2]int{200, 400}, false},
		},
		"a batch that fails": {
			{sharing, succeeded, failedFor(lackingNine), [2]int{202, 202}, true},
			{sharing, failedFor(lackingNine), succeeded, [2]int{202, 202}, true},
			{sharing, succeeded, failedFor(strings.Replace(lackingNine, "`9`", "`8`", 1)), [2]int{202, 202}, false},
			{sharing, succeeded, failedFor(strings.Replace(lackingNine, "`9`", "`7`", 1)), [2]int{202, 202}, false},
			{elsewhere, succeeded, failedFor(lackingNine), [2]int{202, 202}, false},
			{sharing, succeeded, failedFor("Document identifier `9` is invalid."), [2]int{202, 202}, false},
		},
		"a field that is new": {
			{updateOfMore, unmade("e"), succeeded, [2]int{202, 202}, true},
			{updateOfMore, unmade("r"), succeeded, [2]int{202, 202}, false},
			{updateOfMore, misplaced, succeeded, [2]int{202, 202}, false},
			{updateOfMore, succeeded, unmade("r"), [2]int{202, 202}, false},
			{update, unmade("e"), succeeded, [2]int{202, 202}, false},
		},
		"fields of a batch": {
			{searchMore, `{"facetDistribution":{"a":{"x":1},"x":{}}}`, `{"facetDistribution":{"a":{"x":1}}}`, [2]int{200, 200}, true},
			{searchMore, `{"facetDistribution":{"x":{"y":1}}}`, `{"facetDistribution":{}}`, [2]int{200, 200}, false},
			{searchMore, `{"facetDistribution":{"g":{}}}`, `{"facetDistribution":{}}`, [2]int{200, 200}, false},
			{searchMore, `{"facetDistribution":{"a":{"x":1},"x":{}}}`, `{"facetDistribution":{"a":{"x":2}}}`, [2]int{200, 200}, false},
		},
		"which document fails an edit": {
			{editing, editFault("Document edition runtime error encountered while running the function: Runtime error: a"), editFault("Document identifier `1.5` is invalid."), [2]int{202, 202}, true},
			{editing, editFault("Document edition runtime error encountered while running the function: Runtime error: a"), succeeded, [2]int{202, 202}, false},
			{editing, editFault("Document edition runtime error encountered while running the function: Runtime error: a"), editFault("x"), [2]int{202, 202}, false},
			{upload, editFault("Document identifier `1` is invalid."), editFault("Document identifier `2` is invalid."), [2]int{202, 202}, false},
		},
		"numbers of other attributes": {
			{moved, `{"hits":[],"estimatedTotalHits":0}`, `{"hits":[],"estimatedTotalHits":2}`, [2]int{200, 200}, true},
			{mergedMoved, `{"hits":[],"estimatedTotalHits":0}`, `{"hits":[],"estimatedTotalHits":2}`, [2]int{200, 200}, true},
			{otherwiseMoved, `{"hits":[],"estimatedTotalHits":0}`, `{"hits":[],"estimatedTotalHits":2}`, [2]int{200, 200}, false},
			{search, `{"hits":[],"estimatedTotalHits":0}`, `{"hits":[],"estimatedTotalHits":2}`, [2]int{200, 200}, false},
		},
		"a settings task that crashes": {
			{change, succeeded, crashedTask, [2]int{202, 202}, true},
			{newRule, succeeded, crashedTask, [2]int{202, 202}, true},
			{change, failedFor(lackingNine), strings.Replace(crashedTask, `"details":{}`, `"details":{"x":0}`, 1), [2]int{202, 202}, true},
			{change, misplaced, crashedTask, [2]int{202, 202}, false},
			{change, crashedTask, succeeded, [2]int{202, 202}, false},
			{upload, succeeded, crashedTask, [2]int{202, 202}, false},
			{change, succeeded, strings.Replace(crashedTask, `"details":{}`, `"details":{"x":1}`, 1), [2]int{202, 202}, false},
		},
		"a line beyond the map": {
			{upload, offMap, crashedOffMap, [2]int{202, 202}, true},
			{upload, offMap, crashed, [2]int{202, 202}, false},
			{upload, tooLarge, crashedOffMap, [2]int{202, 202}, false},
			{upload, crashedOffMap, offMap, [2]int{202, 202}, false},
			{upload, `{"task":{"error":null}}`, crashedOffMap, [2]int{202, 202}, false},
		},
		"values that became searchable": {
			{facets, `{"facetHits":[{"value":"a","count":2},{"value":"b","count":1}],"facetQuery":"x"}`, `{"facetHits":[{"value":"b","count":1}],"facetQuery":"x"}`, [2]int{200, 200}, true},
			{facets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, true},
			{facets, `{"facetHits":[{"value":"a","count":3}]}`, `{"facetHits":[]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[{"value":"b","count":1}]}`, [2]int{200, 200}, true}, // one is all that the settings allow
			{facets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[{"value":"b","count":2}]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[{"value":"a","count":2},{"value":"d","count":1}]}`, `{"facetHits":[{"value":"b","count":1}]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[{"value":"c","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, false},
			{ruledFacets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, true},
			{otherFacets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, false},
			{lostFacets, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[]}`, `{"facetHits":[{"value":"a","count":2}]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[{"value":"a","count":2},{"value":"b","count":1}]}`, `{"facetHits":[{"value":"b","count":2}]}`, [2]int{200, 200}, false},
			{facets, `{"facetHits":[{"value":"a","count":2}],"facetQuery":"x"}`, `{"facetHits":[],"facetQuery":"y"}`, [2]int{200, 200}, false},
			{search, `{"facetHits":[{"value":"a","count":2}]}`, `{"facetHits":[]}`, [2]int{200, 200}, false},
		},
		"settings beside a wrong _geo": {
			{change, succeeded, misplaced, [2]int{202, 202}, true},
			{upload, succeeded, misplaced, [2]int{202, 202}, false},
			{otherChange, succeeded, misplaced, [2]int{202, 202}, false},
			{reset, succeeded, misplaced, [2]int{202, 202}, true},
			{otherReset, succeeded, misplaced, [2]int{202, 202}, false},
			{stopWords, succeeded, misplaced, [2]int{202, 202}, true},
			{keyed, succeeded, misplaced, [2]int{202, 202}, true},
			{otherKeyed, succeeded, misplaced, [2]int{202, 202}, false},
			{dictionary, succeeded, misplaced, [2]int{202, 202}, false},
			{change, succeeded, strings.Replace(misplaced, "`7`", "`8`", 1), [2]int{202, 202}, false},
			{change, misplaced, succeeded, [2]int{202, 202}, false},
			{change, succeeded, strings.Replace(misplaced, "_geo_", "_vectors_", 1), [2]int{202, 202}, false},
			{change, succeeded, strings.Replace(misplaced, `"details":{}`, `"details":{"x":1}`, 1), [2]int{202, 202}, false},
		},
		"words counted after a change of settings": {
			{counted, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, true},
			{counted, `{"hits":[{"id":2},{"id":3}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
			{chosen, `{"hits":[{"id":2}],"estimatedTotalHits":1}`, `{"hits":[{"id":1},{"id":2}],"estimatedTotalHits":2}`, [2]int{200, 200}, true},
			{otherCounted, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
		},
		"pairs with a typo where none is allowed": {
			{idless, `{"hits":[{"t":"x"},{"t":"y"}]}`, `{"hits":[{"t":"y"},{"t":"x"}]}`, [2]int{200, 200}, true},
			{idlessOtherwise, `{"hits":[{"t":"x"},{"t":"y"}]}`, `{"hits":[{"t":"y"},{"t":"x"}]}`, [2]int{200, 200}, false},
			{choosing, `{"hits":[{"id":1},{"id":2}],"estimatedTotalHits":2}`, `{"hits":[{"id":3},{"id":2}],"estimatedTotalHits":3}`, [2]int{200, 200}, true},
			{choosingOtherwise, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":3},{"id":2}]}`, [2]int{200, 200}, false},
			{bounded, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, true},
			{boundedOtherwise, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":5}]}`, [2]int{200, 200}, false},
			{paired, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, true},
			{paired, `{"hits":[{"id":2},{"id":3}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
			{otherPaired, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
			{typoless, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
		},
		"pairs of an earlier bucket": {
			{byAttribute, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, true},
			{byAttributeOtherwise, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
			{typoless, `{"hits":[{"id":2},{"id":1}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
		},
		"a prefix that is kept": {
			{prefixed, `{"hits":[{"id":1}]}`, `{"hits":[]}`, [2]int{200, 200}, true},
			{otherPrefixed, `{"hits":[{"id":1}]}`, `{"hits":[]}`, [2]int{200, 200}, false},
			{wholeWord, `{"hits":[{"id":1}]}`, `{"hits":[]}`, [2]int{200, 200}, false},
			{prefixes, `{"results":[{"hits":[]},{"hits":[{"id":1}]}]}`, `{"results":[{"hits":[]},{"hits":[]}]}`, [2]int{200, 200}, true},
			{prefixes, `{"results":[{"hits":[{"id":1}]},{"hits":[]}]}`, `{"results":[{"hits":[]},{"hits":[]}]}`, [2]int{200, 200}, false},
		},
		"documents that a search loses": {
			{lossy, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1},{"id":3}]}`, [2]int{200, 200}, true},
			{lossy, `{"hits":[{"id":1},{"id":3}]}`, `{"hits":[{"id":1},{"id":2}]}`, [2]int{200, 200}, false},
			{lossy, `{"hits":[{"id":1},{"id":2}],"query":"x"}`, `{"hits":[{"id":1},{"id":3}],"query":"y"}`, [2]int{200, 200}, false},
			{lossyWithTypos, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1},{"id":3}]}`, [2]int{200, 200}, false},
			{lossyOtherwise, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1},{"id":3}]}`, [2]int{200, 200}, false},
			{lossyElsewhere, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":3},{"id":1}]}`, [2]int{200, 200}, true},
			{lossyTwice, `{"results":[{"hits":[]},{"hits":[{"id":1},{"id":2}]}]}`, `{"results":[{"hits":[]},{"hits":[{"id":1},{"id":3}]}]}`, [2]int{200, 200}, true},
		},
		"numbers that take typos again": {
			{numbered, `{"hits":[]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, true},
			{otherNumbered, `{"hits":[]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{unnumbered, `{"hits":[]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
		},
		"attributes of an empty index": {
			{emptied, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"hits":[]}`, [2]int{400, 200}, true},
			{emptied, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"message":"a: id","code":"invalid_search_attributes_to_search_on"}`, [2]int{400, 400}, true},
			{several, "{\"message\":\"Inside `.queries[1]`: Index `b`: code\",\"code\":\"invalid_search_attributes_to_search_on\"}", "{\"message\":\"Inside `.queries[1]`: Index `b`: id\",\"code\":\"invalid_search_attributes_to_search_on\"}", [2]int{400, 400}, true},
			{several, "{\"message\":\"Inside `.queries[0]`: Index `b`: code\",\"code\":\"invalid_search_attributes_to_search_on\"}", "{\"message\":\"Inside `.queries[1]`: Index `b`: id\",\"code\":\"invalid_search_attributes_to_search_on\"}", [2]int{400, 400}, false},
			{several, "{\"message\":\"Inside `.queries[1]`: Index `a`: code\",\"code\":\"invalid_search_attributes_to_search_on\"}", "{\"message\":\"Inside `.queries[1]`: Index `a`: id\",\"code\":\"invalid_search_attributes_to_search_on\"}", [2]int{400, 400}, false},
			{emptied, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"message":"g","code":"invalid_search_facets"}`, [2]int{400, 400}, true},
			{emptied, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"message":"g","code":"invalid_search_filter"}`, [2]int{400, 400}, false},
			{emptied, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"hits":[{"id":1}]}`, [2]int{400, 200}, false},
			{emptied, `{"message":"a: code","code":"invalid_search_filter"}`, `{"hits":[]}`, [2]int{400, 200}, false},
			{search, `{"message":"a: code","code":"invalid_search_attributes_to_search_on"}`, `{"hits":[]}`, [2]int{400, 200}, false},
		},
		"null and empty values of before": {
			{vacant, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, true},
			{vacant, `{"hits":[{"id":1},{"id":3}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{neverSorted, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{vacantToThem, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, true},
			{vacantIndeed, `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
		},
		"a search that panics": {
			{search, `{"hits":[]}`, `{}`, [2]int{200, Unanswered}, true},
			{search, `{}`, `{"hits":[]}`, [2]int{Unanswered, 200}, false},
			{search, `{"hits":[]}`, `{"message":"task 7 panicked with message \"range end index 3\"","code":"internal"}`, [2]int{200, 500}, true},
			{search, `{"hits":[]}`, `{"message":"other","code":"internal"}`, [2]int{200, 500}, false},
			{several, `{"results":[]}`, "{\"message\":\"Inside `.queries[0]`: task 7 panicked with message \\\"range\\\"\",\"code\":\"internal\"}", [2]int{200, 500}, true},
			{search, `{"message":"task 7 panicked with message"}`, `{"hits":[]}`, [2]int{500, 200}, false},
			{upload, `{"taskUid":1}`, `{"message":"task 7 panicked with message \"range end index 3\"","code":"internal"}`, [2]int{200, 500}, false},
		},
		"nearest neighbours are exact": {
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":9,"totalPages":9}`, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":8,"totalPages":8}`, [2]int{200, 200}, true},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":8,"totalPages":8}`, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":9,"totalPages":9}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":8}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"totalHits":9}`, [2]int{200, 200}, false},
			{halfVector, `{"hits":[{"id":1}]}`, `{"hits":[{"id":2}]}`, [2]int{200, 200}, true},
			{halfVector, `{"hits":[{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.7}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.7},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.7},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.7}]}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.7}]}`, `{"hits":[{"id":3,"_rankingScore":0.7},{"id":2,"_rankingScore":0.95}]}`, [2]int{200, 200}, false},
			{mixed, `{"hits":[{"id":1}],"totalHits":5}`, `{"hits":[{"id":1}],"totalHits":7}`, [2]int{200, 200}, true},
			{mixed, `{"hits":[{"id":1}],"totalHits":5}`, `{"hits":[{"id":1},{"id":2}],"totalHits":7}`, [2]int{200, 200}, false},
			{mixedWords, `{"hits":[{"id":1}],"totalHits":5}`, `{"hits":[{"id":1}],"totalHits":7}`, [2]int{200, 200}, false},
			{mixedFarther, `{"hits":[{"id":1}],"totalHits":5}`, `{"hits":[{"id":1}],"totalHits":7}`, [2]int{200, 200}, false},
			{merged, `{"hits":[{"id":1,"_federation":{"weightedRankingScore":0.9}}]}`, `{"hits":[{"id":2,"_federation":{"weightedRankingScore":0.8}}]}`, [2]int{200, 200}, true},
			{merged, `{"hits":[{"id":1,"_federation":{"weightedRankingScore":0.7}}]}`, `{"hits":[{"id":2,"_federation":{"weightedRankingScore":0.8}}]}`, [2]int{200, 200}, false},
			{mergedWords, `{"hits":[{"id":1,"_federation":{"weightedRankingScore":0.9}}]}`, `{"hits":[{"id":2,"_federation":{"weightedRankingScore":0.8}}]}`, [2]int{200, 200}, false},
			{several, `{"results":[{"hits":[]},{"hits":[{"id":1}]}]}`, `{"results":[{"hits":[]},{"hits":[{"id":2}]}]}`, [2]int{200, 200}, true},
			{several, `{"results":[{"hits":[{"id":1}]},{"hits":[]}]}`, `{"results":[{"hits":[{"id":2}]},{"hits":[]}]}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"estimatedTotalHits":5}`, `{"hits":[{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.7}],"estimatedTotalHits":4}`, [2]int{200, 200}, true},
			{vector, `{"hits":[{"id":2,"_rankingScore":0.8}],"estimatedTotalHits":5}`, `{"hits":[{"id":1,"_rankingScore":0.9}],"estimatedTotalHits":5}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.8}],"estimatedTotalHits":5}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"estimatedTotalHits":5}`, [2]int{200, 200}, false},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9}],"query":"x"}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"query":"y"}`, [2]int{200, 200}, false},
			{search, `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
			{nearer, `{"hits":[{"id":1}]}`, `{"hits":[{"id":2}]}`, [2]int{200, 200}, true},
			{nearer, `{"hits":[{"id":2}]}`, `{"hits":[{"id":1}]}`, [2]int{200, 200}, false},
			{later, `{"hits":[{"id":2}]}`, `{"hits":[{"id":3}]}`, [2]int{200, 200}, true},
			{later, `{"hits":[{"id":3}]}`, `{"hits":[{"id":2}]}`, [2]int{200, 200}, false},
			{later, `{"hits":[{"id":2}]}`, `{"hits":[{"id":4}]}`, [2]int{200, 200}, false},
			{later, `{"hits":[{"id":2},{"id":3}]}`, `{"hits":[{"id":3}]}`, [2]int{200, 200}, false},
			{laterPage, `{"hits":[{"id":2}]}`, `{"hits":[{"id":3}]}`, [2]int{200, 200}, true},
			{laterPage, `{"hits":[]}`, `{"hits":[{"id":3}]}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":4,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.8}]}`, `{"hits":[{"id":3,"_rankingScore":0.8},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":3,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"estimatedTotalHits":4}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"estimatedTotalHits":5}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"estimatedTotalHits":2}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"estimatedTotalHits":5}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":4}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"totalHits":5}`, [2]int{200, 200}, false},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":4,"_rankingScore":0.9}]}`, [2]int{200, 200}, true},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":5,"_rankingScore":0.9}]}`, [2]int{200, 200}, false},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":3}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.7}],"totalHits":5}`, [2]int{200, 200}, true},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.95},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.7,"_rankingScoreDetails":{"vectorSort":{"similarity":0.7}}}]}`, [2]int{200, 200}, true},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":3}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":4}`, [2]int{200, 200}, true},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":3,"facetDistribution":{"k":{"a":3}}}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":3,"facetDistribution":{"k":{"a":2,"b":1}}}`, [2]int{200, 200}, true},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"facetDistribution":{"k":{"a":3}}}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"facetDistribution":{"k":{"a":2,"b":1}}}`, [2]int{200, 200}, false},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":7,"_rankingScore":1},{"id":4,"_rankingScore":0.9}]}`, [2]int{200, 200}, true},
			{rearranged, `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":2,"_rankingScore":0.95}]}`, [2]int{200, 200}, true},
			{rearranged, `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":5,"_rankingScore":0.95}]}`, [2]int{200, 200}, false},
			{distinct, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":3}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"totalHits":4}`, [2]int{200, 200}, true},
			{vector, `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":3}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"totalHits":4}`, [2]int{200, 200}, false},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}],"totalHits":4}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"totalHits":2}`, [2]int{200, 200}, true},
			{tied, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{hidden, `{"hits":[{"_rankingScoreDetails":{"s":0.9}}]}`, `{"hits":[{"_rankingScoreDetails":{"s":0.8}}]}`, [2]int{200, 200}, true},
			{cut, `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
			{missed, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":2,"_rankingScore":0.9}]}`, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":3,"_rankingScore":0.8}]}`, [2]int{200, 200}, true},
			{missed, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":2,"_rankingScore":0.9}]}`, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":3,"_rankingScore":0.95}]}`, [2]int{200, 200}, false},
			{missed, `{"hits":[{"id":1,"_rankingScore":0.7},{"id":2,"_rankingScore":0.9}]}`, `{"hits":[{"id":3,"_rankingScore":0.8},{"id":1,"_rankingScore":0.7}]}`, [2]int{200, 200}, false},
			{otherCut, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`, [2]int{200, 200}, false},
		},
	}
	sent := []life.Request{
		{Method: "POST", Path: "/indexes/a/documents", Body: json.RawMessage(`[{"id":1,"g":{"x":1}},{"id":1}]`)},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"sortableAttributes":["g"]}`)},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"filterableAttributes":["g","other",{"attributePatterns":["r"]}]}`)},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"filterableAttributes":["g","other","r"]}`)},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"separatorTokens":["_"]}`), Write: true},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"typoTolerance":{"disableOnNumbers":true}}`), Write: true},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"searchableAttributes":["g"]}`), Write: true},
		{Method: "PATCH", Path: "/indexes/a/settings", Body: json.RawMessage(`{"typoTolerance":{"disableOnNumbers":false}}`), Write: true},
	}
	deletions := []life.Request{{Method: "DELETE", Path: "/indexes/dropped", Write: true}}
	batch := []life.Request{{Method: "PUT", Path: "/indexes/a/documents", Body: json.RawMessage(`[{"id":9}]`), Write: true}}
	for i := range ourPurposes {
		p := &ourPurposes[i]
		if !strings.Contains(string(page), "\n"+p.line) {
			t.Errorf("%s: docs/divergence.md has no line that begins with %s", p.name, p.line)
		}
		yes, no := 0, 0
		for k, c := range cases[p.name] {
			a, b := Answer{c.status[0], []byte(c.ours)}, Answer{c.status[1], []byte(c.theirs)}
			names, _ := Explained(&Evidence{Request: &c.r, Sent: sent, After: deletions, Batch: batch, Ask: answersToQuestions}, a, b)
			if got := len(names) > 0; got != c.explains || got && (len(names) != 1 || names[0] != p.name) {
				t.Errorf("%s: case %d is explained by %v", p.name, k, names)
			}
			if c.explains {
				yes++
			} else {
				no++
			}
		}
		if yes == 0 || no == 0 {
			t.Errorf("%s is tried by %d cases that it explains and %d that it does not", p.name, yes, no)
		}
	}
}

// TestAWrongPlaceIsFoundInAnIndexThatWasSwappedOrRenamed in the same batch.
func TestAWrongPlaceIsFoundInAnIndexThatWasSwappedOrRenamed(t *testing.T) {
	change := life.Request{Method: "PATCH", Path: "/indexes/c/settings", Body: json.RawMessage(`{"displayedAttributes":["id"]}`), Write: true}
	swap := func(a, b string) life.Request {
		return life.Request{Method: "POST", Path: "/swap-indexes", Body: json.RawMessage(`[{"indexes":["x","y"]},{"indexes":["` + a + `","` + b + `"]}]`)}
	}
	rename := life.Request{Method: "PATCH", Path: "/indexes/c", Body: json.RawMessage(`{"uid":"d"}`)}
	ours := Answer{202, []byte("{}\n{\"status\":\"succeeded\",\"error\":null}")}
	theirs := Answer{202, []byte("{}\n{\"status\":\"failed\",\"error\":{\"message\":\"The `_geo` field in the document with the id: `7` is wrong\",\"code\":\"invalid_document_geo_field\"}}")}
	for name, c := range map[string]struct {
		after []life.Request
		want  bool
	}{
		"swap": {[]life.Request{swap("c", "a")}, true}, "swap the other way": {[]life.Request{swap("a", "c")}, true}, "rename and swap": {[]life.Request{rename, swap("a", "d")}, true},
		"none": {nil, false}, "swap twice": {[]life.Request{swap("c", "a"), swap("c", "a")}, false}, "swap of others": {[]life.Request{swap("a", "d")}, false},
	} {
		names, _ := Explained(&Evidence{Request: &change, After: c.after, Ask: answersToQuestions}, ours, theirs)
		if got := len(names) == 1; got != c.want {
			t.Errorf("%s: explained by %v", name, names)
		}
	}
}

// lacking is a task whose documents lack vectors.
func lacking(embedder, document, others string) string {
	return `{"task":{"error":{"message":"Index i: While embedding documents for embedder ` + "`" + embedder + "`: no vectors provided for document `" + document + "`" + others + `\n- Note: x","code":"vector_embedding_error"}}}`
}
