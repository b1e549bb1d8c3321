package purpose

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// purpose is a way in which we differ from the reference on purpose.
type purpose struct {
	name string
	// line begins the line of docs/divergence.md that says so.
	line string
	// level takes the difference, and nothing else, out of both answers.
	level func(e *Evidence, ours, theirs *Parsed)
}

// ourPurposes are all of them, in the order in which they are tried.
var ourPurposes = []purpose{
	{"an error of the client's is no 500", "| An element of an upload that is no object is refused with 400", levelClientFault},
	{"ties among facet values", "| Facet values with equal counts are always listed greater value first", levelFacetTies},
	{"a task behind which its index is deleted", "| A task counts as done unseen if the deletion of its index comes", levelDropped},
	{"who lacks vectors", "| Which embedder, which document and how many others `no vectors provided for document ...` names", levelMissingVectors},
	{"a batch that fails", "| Which waiting tasks share a batch is a matter of time.", levelSharedBatch},
	{"a field that is new", "| A field that an update brings, and that is new to the index,", levelNewField},
	{"which document fails an edit", "| An edit that fails for several documents tells of the first one.", levelEditFault},
	{"a number beyond the range of floats", "| A number beyond the range of floats among given vectors fails its batch", levelVectorRange},
	{"a settings task that crashes", "| A task of settings or dynamic search rules during which the original crashes is done.", levelCrashedSettings},
	{"a line beyond the map", "| A line of `_geojson` that leaves the map", levelLineRange},
	{"the smallest number", "| In facets and conditions the smallest number above 0, 5e-324, counts as 1e-323.", levelSmallest},
	{"values that became searchable", "| Facet search finds all values of an attribute that was sortable", levelFacetHistory},
	{"null and empty values of before", "| `IS NULL` and `IS EMPTY` find all such values", levelEmptiness},
	{"members of a field without a name", "| A member `a` of a field with the empty name is called `.a`.", levelNameless},
	{"fields of a batch", "| Which waiting tasks share a batch is a matter of time.", levelBatchFields},
	{"documents that a sorted listing drops", "| A sorted listing neither drops null or empty values nor repeats documents", levelListing},
	{"settings beside a wrong _geo", "| A settings task that has no document to read again", levelWrongPlace},
	{"places that are lost", "| A document with a place is found and sorted by it.", levelPlaces},
	{"facets of places", "| `_geo.lat` and `_geo.lng` are facets with values", levelPlaceFacets},
	{"members in another order", "| `fields` of a template, and the names in its errors, stand in the order of the index's fields.", levelOtherOrder},
	{"words counted after a change of settings", "| After a change of settings the number of words of every document", levelWordCounts},
	{"pairs with a typo where none is allowed", "| Whether a pair of words counts for `proximity`", levelTypoPairs},
	{"pairs of an earlier bucket", "| With `proximityPrecision` `byAttribute` a pair of words counts for every document", levelEarlierPairs},
	{"a prefix that is kept", "| A cached prefix that falls below 100 words is dropped", levelKeptPrefix},
	{"documents that a search loses", "| With `disableOnAttributes`, too, every document that a search counts", levelLost},
	{"numbers that take typos again", "| When `disableOnNumbers` is turned off,", levelNumbers},
	{"numbers of other attributes", "| After changes of `disableOnNumbers` and `searchableAttributes` or `disableOnAttributes` numbers are found", levelMovedNumbers},
	{"attributes of an empty index", "| `attributesToSearchOn` of an index without documents is held against the settings as they are.", levelEmptyIndex},
	{"more foreign documents", "| A `_foreign` condition may select 1,000 documents of an index", levelForeign},
	{"a search that panics", "| A search or listing during which the original panics", levelPanic},
	{"nearest neighbours are exact", "| The nearest neighbours of a vector are the nearest there are.", levelNeighbours},
	{"equal similarities", "| Documents that are equally similar to another one are listed in the order in which they were added", levelEquallySimilar},
}

// Answer is what a request got; that of a write has its task in a second line.
type Answer struct {
	Status int
	Body   []byte
}

// Unanswered is the status of a read for which a server closes the connection.
const Unanswered = 0

// Parsed is an answer with its parts: the answer itself and the task that follows it. Rows change it.
type Parsed struct {
	status int
	parts  []jsonvalue.Value
}

// Parse reads an answer; ok is false if a line is no JSON.
func Parse(a Answer) (_ *Parsed, ok bool) {
	p := &Parsed{status: a.Status}
	for _, line := range bytes.Split(a.Body, []byte{'\n'}) {
		v, err := jsonvalue.Parse(line)
		if err != nil {
			return nil, false
		}
		p.parts = append(p.parts, v)
	}
	return p, true
}

func (p *Parsed) text() string {
	var b []byte
	for i := range p.parts {
		b = append(p.parts[i].AppendJSON(b), '\n')
	}
	return string(b)
}

func same(a, b *Parsed) bool { return a.status == b.status && a.text() == b.text() }

// Explained lists the rows that, together, take away all that two answers differ in. When
// something is left it returns nil and the answers as the rows left them.
func Explained(e *Evidence, ours, theirs Answer) (names []string, left [2]Answer) {
	left = [2]Answer{ours, theirs}
	a, ok := Parse(ours)
	b, fine := Parse(theirs)
	if !ok || !fine {
		return nil, left
	}
	for i := range ourPurposes {
		wasA, wasB, status := a.text(), b.text(), [2]int{a.status, b.status}
		ourPurposes[i].level(e, a, b)
		if wasA != a.text() || wasB != b.text() || status != [2]int{a.status, b.status} {
			names = append(names, ourPurposes[i].name)
		}
		if same(a, b) {
			return names, left
		}
	}
	return nil, [2]Answer{{a.status, []byte(a.text())}, {b.status, []byte(b.text())}}
}

// Names are the names of all rows, in the order in which they are tried.
func Names() []string {
	names := make([]string, len(ourPurposes))
	for i := range ourPurposes {
		names[i] = ourPurposes[i].name
	}
	return names
}

// isUpload tells whether a request adds documents.
func isUpload(r *life.Request) bool {
	path, _, _ := strings.Cut(r.Path, "?")
	return strings.HasSuffix(path, "/documents") && (r.Method == "POST" || r.Method == "PUT")
}

// levelClientFault levels the status, code and message of an upload with an element that
// is no object.
func levelClientFault(e *Evidence, ours, theirs *Parsed) {
	if !isUpload(e.Request) || ours.status != 400 || theirs.status != 500 || len(ours.parts) != 1 || len(theirs.parts) != 1 {
		return
	}
	reason := stringAt(&theirs.parts[0], "message")
	if stringAt(&theirs.parts[0], "code") != "internal" || !strings.HasPrefix(reason, "invalid type: ") || !strings.Contains(reason, ", expected a map at line ") {
		return
	}
	if stringAt(&ours.parts[0], "code") == "malformed_payload" && strings.HasSuffix(stringAt(&ours.parts[0], "message"), " payload provided is malformed. `Couldn't serialize document value: "+reason+"`.") {
		theirs.status, theirs.parts = ours.status, ours.parts
	}
}

// smallestFacet and nextFacet are how a facet shows 5e-324 and 1e-323.
var (
	smallestFacet = `"0.` + strings.Repeat("0", 323) + `5":`
	nextFacet     = `"0.` + strings.Repeat("0", 322) + `1":`
)

// levelSmallest levels facets and their statistics in which the reference alone shows the
// smallest number.
func levelSmallest(_ *Evidence, ours, theirs *Parsed) {
	for i := range min(len(ours.parts), len(theirs.parts)) {
		for _, shown := range [][2]string{{smallestFacet, nextFacet}, {`"min":5e-324`, `"min":1e-323`}, {`"max":5e-324`, `"max":1e-323`}} {
			a, b := ours.parts[i].JSON(), theirs.parts[i].JSON()
			if strings.Contains(a, shown[0]) || strings.Count(a, shown[1]) != strings.Count(b, shown[0]) || strings.Contains(b, shown[1]) {
				continue
			}
			if v, err := jsonvalue.Parse([]byte(strings.ReplaceAll(b, shown[0], shown[1]))); err == nil {
				theirs.parts[i] = v
			}
		}
	}
}

// levelEmptyIndex levels a search that names an attribute which is not searchable, in an index
// without documents.
func levelEmptyIndex(e *Evidence, ours, theirs *Parsed) {
	index := IndexOf(e.Request.Path)
	refused := func(p *Parsed) bool {
		return p.status == 400 && len(p.parts) == 1 && stringAt(&p.parts[0], "code") == "invalid_search_attributes_to_search_on"
	}
	found := func(p *Parsed) bool { // or goes on to what else is wrong
		hits := p.parts[0].Get("hits")
		return p.status == 200 && hits != nil && hits.Len() == 0 || p.status == 400 && stringAt(&p.parts[0], "code") == "invalid_search_facets"
	}
	if m := refusingIndex.FindStringSubmatch(stringAt(&ours.parts[0], "message")); index == "" && m != nil && strings.Contains(stringAt(&theirs.parts[0], "message"), m[0]) {
		index = m[1] // of a multi-search
	}
	if index == "" || e.Request.Write || !(refused(ours) || refused(theirs)) || !(refused(ours) || found(ours)) || !(refused(theirs) || found(theirs)) {
		return
	}
	a, b, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/stats"})
	if !ok || stringOf(a, "numberOfDocuments") != "0" || stringOf(b, "numberOfDocuments") != "0" {
		return
	}
	theirs.status, theirs.parts = ours.status, ours.parts
}

// refusingIndex is the query and the index that an error is about.
var refusingIndex = regexp.MustCompile("^Inside `.queries\\[[0-9]+\\]`: Index `([^`]+)`: ")

// stringOf is the JSON of a member of an answer.
func stringOf(p *Parsed, name string) string {
	if m := p.parts[0].Get(name); m != nil {
		return m.JSON()
	}
	return ""
}

// tooManyForeign is the message about a filter that selects too many foreign documents.
var tooManyForeign = regexp.MustCompile("^(Inside `.queries\\[[0-9]+\\]`: )?Index `[^`]+`: Foreign filter is retrieving too many documents, foreign filters can't retrieve more than 100 documents per index$")

// levelForeign levels what the reference refuses because a filter selects more than 100 foreign
// documents.
func levelForeign(e *Evidence, ours, theirs *Parsed) {
	if !e.Request.Write && ours.status < 500 && theirs.status == 400 && tooManyForeign.MatchString(stringAt(&theirs.parts[0], "message")) {
		theirs.status, theirs.parts = ours.status, ours.parts
	}
}

// panicked is the message about a search, or one of several, that panicked.
var panicked = regexp.MustCompile("^(Inside `.queries\\[[0-9]+\\]`: )?task [0-9]+ panicked with message ")

// levelPanic levels a search that the reference answers with the text of a panic, and a listing
// that it does not answer.
func levelPanic(e *Evidence, ours, theirs *Parsed) {
	if e.Request.Write || ours.status >= 500 || len(theirs.parts) != 1 {
		return
	}
	if theirs.status == Unanswered || theirs.status == 500 && panicked.MatchString(stringAt(&theirs.parts[0], "message")) {
		theirs.status, theirs.parts = ours.status, ours.parts
	}
}

func stringAt(v *jsonvalue.Value, name string) string {
	if m := v.Get(name); m != nil {
		return m.String()
	}
	return ""
}

// levelFacetTies brings values with the same count into one order, where both answers list
// values by falling count; the last ones are renamed, because which of them
// maxValuesPerFacet leaves out differs, too.
func levelFacetTies(_ *Evidence, ours, theirs *Parsed) {
	eachPair(ours, theirs, func(m, n *jsonvalue.Member) bool {
		// A federated search has a distribution for each index.
		if m.Name != n.Name || m.Name != "facetDistribution" && m.Name != "distribution" || m.Value.Len() != n.Value.Len() {
			return m.Name != n.Name
		}
		for k := range m.Value.Members() {
			if m.Value.Members()[k].Name == n.Value.Members()[k].Name {
				levelTies(&m.Value.Members()[k].Value, &n.Value.Members()[k].Value)
			}
		}
		return true
	})
}

// eachPair calls level for the members of two answers that stand in the same places, as far as the
// answers have the same shape. It goes on inside of a pair unless level is done with it.
func eachPair(ours, theirs *Parsed, level func(m, n *jsonvalue.Member) (done bool)) {
	var walk func(a, b *jsonvalue.Value)
	walk = func(a, b *jsonvalue.Value) {
		if a.Kind() != b.Kind() || a.Len() != b.Len() || a.JSON() == b.JSON() {
			return
		}
		for i := range a.Members() {
			if m, n := &a.Members()[i], &b.Members()[i]; !level(m, n) {
				walk(&m.Value, &n.Value)
			}
		}
	}
	for i := range min(len(ours.parts), len(theirs.parts)) {
		walk(&ours.parts[i], &theirs.parts[i])
	}
}

// levelTies levels one facet. The counts must be the same place by place, but for numbers beside
// texts; only values that both lists have with the same count, or that stand at the end among the rarest, are touched. Numbers stand
// before texts, so counts need not fall where the lists are the same.
func levelTies(a, b *jsonvalue.Value) {
	x, y := a.Members(), b.Members()
	if len(x) != len(y) {
		return
	}
	alike, counted := len(x), true
	for i := range x {
		counted = counted && x[i].Value.Uint() == y[i].Value.Uint()
		if x[i].Name != y[i].Name {
			alike = min(alike, i)
		}
	}
	for alike > 0 && alike < len(x) && x[alike-1].Value.Uint() == x[alike].Value.Uint() {
		alike--
	}
	if x, y = x[alike:], y[alike:]; !counted || !falling(x) || !falling(y) {
		if areNumbersElsewhere(x, y) {
			copy(y, x)
		}
		return
	}
	for from := 0; from < len(x); {
		to := from
		for to < len(x) && x[to].Value.Uint() == x[from].Value.Uint() {
			to++
		}
		byName := func(p, q jsonvalue.Member) int { return strings.Compare(p.Name, q.Name) }
		p, q := slices.Clone(x[from:to]), slices.Clone(y[from:to])
		slices.SortFunc(p, byName)
		slices.SortFunc(q, byName)
		if to == len(x) || slices.EqualFunc(p, q, func(p, q jsonvalue.Member) bool { return p.Name == q.Name }) {
			copy(y[from:to], x[from:to])
		}
		from = to
	}
}

// areNumbersElsewhere tells whether two lists have the same values and counts, and only numbers stand
// in other places. Numbers are listed by their counts; texts that look the same add to these later.
func areNumbersElsewhere(x, y []jsonvalue.Member) bool {
	for i := range x {
		if x[i].Name == y[i].Name && x[i].Value.Uint() == y[i].Value.Uint() {
			continue
		}
		if !isNumber(x[i].Name) || !slices.ContainsFunc(y, func(m jsonvalue.Member) bool {
			return m.Name == x[i].Name && m.Value.Uint() == x[i].Value.Uint()
		}) {
			return false
		}
	}
	return true
}

// missingVectors is the text that names an embedder, a document and how many others lack vectors.
var missingVectors = regexp.MustCompile("While embedding documents for embedder `([^`]*)`: no vectors provided for document `([^`]*)`(?: and at least ([0-9]+) other document\\(s\\))?\n")

// levelMissingVectors levels errors that say which documents lack vectors. Embedder and
// document differ only with several embedders or documents.
func levelMissingVectors(_ *Evidence, ours, theirs *Parsed) {
	levelTaskErrors(ours, theirs, func(x, y string) bool {
		p, q := missingVectors.FindStringSubmatch(x), missingVectors.FindStringSubmatch(y)
		return p != nil && q != nil && (p[1] != q[1] || p[3] != q[3] || p[3] != "")
	})
}

// levelTaskErrors levels those members error of two answers of the same shape whose code is
// the same and whose messages mean the same.
func levelTaskErrors(ours, theirs *Parsed, equal func(ours, theirs string) bool) {
	eachPair(ours, theirs, func(m, n *jsonvalue.Member) bool {
		if m.Name != "error" || n.Name != "error" || stringAt(&m.Value, "code") != stringAt(&n.Value, "code") {
			return false
		}
		if equal(stringAt(&m.Value, "message"), stringAt(&n.Value, "message")) {
			n.Value = m.Value
		}
		return true
	})
}

// failedAlone returns the error of a task that failed on one server, and succeeded on the other; nil
// for any other answers.
func failedAlone(failed, fine *Parsed) *jsonvalue.Value {
	if len(failed.parts) != 2 || len(fine.parts) != 2 || stringAt(&failed.parts[1], "status") != "failed" || stringAt(&fine.parts[1], "status") != "succeeded" {
		return nil
	}
	return failed.parts[1].Get("error")
}

// levelDropped levels a task that we had done, and that failed, before the deletion of its
// index came. The reference had not begun it.
func levelDropped(e *Evidence, ours, theirs *Parsed) {
	index := IndexOf(e.Request.Path)
	deleted := slices.ContainsFunc(e.After, func(r life.Request) bool { return r.Method == http.MethodDelete && r.Path == "/indexes/"+index })
	if !deleted || index == "" || len(ours.parts) != 2 || len(theirs.parts) != 2 {
		return
	}
	a, b := &ours.parts[1], &theirs.parts[1]
	if stringAt(a, "status") == "failed" && stringAt(b, "status") == "succeeded" {
		levelMembers(a, b, "status", "error")
	}
}

// levelVectorRange levels the error of a task whose vectors have a number that is too
// large, where the reference says that it crashed.
func levelVectorRange(_ *Evidence, ours, theirs *Parsed) {
	levelCrash(ours, theirs, func(x, y string) bool {
		return strings.Contains(x, ": internal: number out of range at line ") && strings.HasSuffix(y, "value: Any { .. }")
	})
}

// levelCrashedSettings levels a task of settings or search rules that the reference says it crashed
// in, and that we did, or refused for lack of vectors.
func levelCrashedSettings(e *Evidence, ours, theirs *Parsed) {
	if !strings.Contains(e.Request.Path, "/settings") && !strings.HasPrefix(e.Request.Path, "/dynamic-search-rules/") || len(ours.parts) != 2 || len(theirs.parts) != 2 {
		return
	}
	a, b := &ours.parts[1], &theirs.parts[1]
	failure := b.Get("error")
	done := stringAt(a, "status") == "succeeded" || a.Get("error") != nil && stringAt(a.Get("error"), "code") == "vector_embedding_error"
	if failure != nil && done && stringAt(b, "status") == "failed" && strings.HasPrefix(stringAt(failure, "message"), crashed) {
		levelMembers(a, b, "status", "error")
	}
}

// crashed begins what a task says that crashed.
const crashed = "An unexpected crash occurred when processing the task: "

// levelLineRange levels the error of a task that has a line beyond the map, where the
// reference says that it crashed for that reason.
func levelLineRange(_ *Evidence, ours, theirs *Parsed) {
	const reason = "every coordinate of the line must be valid"
	levelCrash(ours, theirs, func(x, y string) bool {
		return strings.HasSuffix(x, ": "+reason) && strings.Contains(y, strconv.Quote(reason))
	})
}

// levelCrash levels errors of tasks where the reference says that it crashed.
func levelCrash(ours, theirs *Parsed, ourReason func(ours, theirs string) bool) {
	levelTaskErrors(ours, theirs, func(x, y string) bool {
		return strings.HasPrefix(y, crashed) && ourReason(x, y)
	})
}

func falling(list []jsonvalue.Member) bool {
	return slices.IsSortedFunc(list, func(a, b jsonvalue.Member) int { return int(b.Value.Uint()) - int(a.Value.Uint()) })
}
