package purpose

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelFacetHistory levels a facet search in which the reference lacks values of ours and
// has others only behind a full list of ours. The life must have made the attribute sortable,
// distinct or part of a ranking rule before it became filterable, and the reference must find every
// value that one of the lists lacks by a filter, which leaves out what a distinct attribute does.
func levelFacetHistory(e *Evidence, ours, theirs *Parsed) {
	path, _, _ := strings.Cut(e.Request.Path, "?")
	body, ok := bodyOf(e.Request)
	if !ok || !strings.HasSuffix(path, "/facet-search") || ours.status != 200 || theirs.status != 200 {
		return
	}
	attribute := stringAt(&body, "facetName")
	x, y := ours.parts[0].Get("facetHits"), theirs.parts[0].Get("facetHits")
	if x == nil || y == nil || x.Len() < y.Len() || !e.wasOrderedBefore(attribute) {
		return
	}
	lacking, others := missing(x, y), missing(y, x)
	if len(lacking) == 0 || len(others) > 0 && !e.isBound(x.Len(), "faceting", "maxValuesPerFacet") {
		return
	}
	for _, hit := range append(lacking, others...) {
		if n, ok := e.countOf(&body, attribute, stringAt(hit, "value")); !ok || n == 0 || hit.Get("count") == nil || n != hit.Get("count").Uint() && !e.isDistinct() && !(isNumber(stringAt(hit, "value")) && n > hit.Get("count").Uint()) {
			return
		}
	}
	*y = *x
}

// missing are the elements of a list that another list does not have.
func missing(list, other *jsonvalue.Value) (elements []*jsonvalue.Value) {
	known := texts(other)
	for i := range list.Members() {
		if v := &list.Members()[i].Value; !slices.Contains(known, v.JSON()) {
			elements = append(elements, v)
		}
	}
	return elements
}

// isBound tells whether a number is the one that a setting of the index has for a member.
func (e *Evidence) isBound(n int, setting, member string) bool {
	index := IndexOf(e.Request.Path)
	if index == "" {
		return false
	}
	ours, _, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings/" + setting})
	if !ok {
		return false
	}
	most := ours.parts[0].Get(member)
	return most != nil && most.Uint() == uint64(n)
}

// isNumber tells whether a text looks like a number, which a condition finds, too.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// countOf is how many documents the reference finds with a value of an attribute, in the search that
// a facet search is about.
func (e *Evidence) countOf(body *jsonvalue.Value, attribute, value string) (n uint64, ok bool) {
	filter := []json.RawMessage{rawBody(strconv.Quote(attribute) + " = " + strconv.Quote(value))}
	asked := map[string]any{"hitsPerPage": 1}
	for _, name := range []string{"q", "filter", "matchingStrategy", "attributesToSearchOn", "rankingScoreThreshold"} {
		switch v := body.Get(name); {
		case v == nil || v.IsNull():
		case name != "filter":
			asked[name] = json.RawMessage(v.JSON())
		case v.Kind() == jsonvalue.KindArray:
			for i := range v.Members() {
				filter = append(filter, json.RawMessage(v.Members()[i].Value.JSON()))
			}
		default:
			filter = append(filter, json.RawMessage(v.JSON()))
		}
	}
	asked["filter"] = filter
	path := "/indexes/" + IndexOf(e.Request.Path) + "/search"
	_, theirs, ok := e.Ask(&life.Request{Method: "POST", Path: path, Body: rawBody(asked), Key: e.Request.Key})
	if !ok {
		return 0, false
	}
	return totalOf(&theirs.parts[0]), true
}

// misplaced is the message about a wrong _geo; it names the document.
var misplaced = regexp.MustCompile("in the document with the id: `\"?([a-zA-Z0-9_-]+)\"?`")

// unread are the settings for which no document is read.
var unread = []string{"displayedAttributes", "faceting", "pagination", "searchCutoffMs", "synonyms", "typoTolerance", "rankingRules", "distinctAttribute", "proximityPrecision", "prefixSearch", "chat", "foreignKeys"}

// levelWrongPlace levels a settings task that fails in the reference alone, because a
// document has a wrong _geo. The document must be there with one, and what else than the
// settings for which no document is read the task names must be as it was.
func levelWrongPlace(e *Evidence, ours, theirs *Parsed) {
	path, _, _ := strings.Cut(e.Request.Path, "?")
	_, part, found := strings.Cut(path, "/settings")
	key := e.Request.Method == "PATCH" && path == "/indexes/"+IndexOf(path)
	if e.Request.Method == "GET" || !found && !key {
		return
	}
	failure := failedAlone(theirs, ours)
	if failure == nil || stringAt(failure, "code") != "invalid_document_geo_field" {
		return
	}
	index := e.renamed(IndexOf(path))
	if !e.isMisplaced(index, stringAt(failure, "message")) {
		return
	}
	if key && !e.samePrimaryKey(index) || !key && !e.changedNothing(index, strings.TrimPrefix(part, "/")) {
		return
	}
	levelMembers(&ours.parts[1], &theirs.parts[1], "status", "error")
}

// isMisplaced tells whether both servers hold the document that a message names, with a
// _geo that is no place.
func (e *Evidence) isMisplaced(index, message string) bool {
	id := misplaced.FindStringSubmatch(message)
	if id == nil {
		return false
	}
	ours, theirs, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/documents/" + id[1] + "?fields=_geo"})
	if !ok || ours.text() != theirs.text() {
		return false
	}
	place := ours.parts[0].Get("_geo")
	return place != nil && !place.IsNull() && !(isCoordinate(place.Get("lat")) && isCoordinate(place.Get("lng")) && place.Len() == 2)
}

func isCoordinate(v *jsonvalue.Value) bool {
	return v != nil && v.IsNumber()
}

// changedNothing tells whether the settings of ours, after the task, differ from those of
// the reference, which kept what was before, in nothing for which documents are read. part is
// the last part of the path of a route of one setting.
func (e *Evidence) changedNothing(index, part string) bool {
	ours, theirs, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/settings"})
	if !ok {
		return false
	}
	var changed []jsonvalue.Member
	body, hasBody := bodyOf(e.Request)
	switch {
	case part != "":
		changed = []jsonvalue.Member{{Name: settingName(part)}}
	case hasBody:
		changed = body.Members()
	case e.Request.Method == "DELETE":
		changed = ours.parts[0].Members()
	default:
		return false
	}
	for i := range changed {
		name := changed[i].Name
		p, q := ours.parts[0].Get(name), theirs.parts[0].Get(name)
		if !slices.Contains(unread, name) && (p == nil || q == nil || ruleText(p) != ruleText(q)) {
			return false
		}
	}
	return true
}

// ruleText is the text of a setting; no rules are as good as none set.
func ruleText(v *jsonvalue.Value) string {
	if text := v.JSON(); text != "[]" {
		return text
	}
	return "null"
}

// samePrimaryKey tells whether both servers have the same primary key after a task that sets it.
func (e *Evidence) samePrimaryKey(index string) bool {
	ours, theirs, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index})
	return ok && stringOf(ours, "primaryKey") == stringOf(theirs, "primaryKey")
}

// settingName is the name of the setting of a route such as "stop-words".
func settingName(part string) string {
	first, rest, found := strings.Cut(part, "-")
	if !found {
		return first
	}
	next := settingName(rest)
	return first + strings.ToUpper(next[:1]) + next[1:]
}

func rawBody(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own values
	}
	return raw
}

// emptiness is a condition of a filter about what is null or empty.
var emptiness = regexp.MustCompile(`([A-Za-z0-9_.]+) IS (NOT )?(NULL|EMPTY)`)

// levelEmptiness levels answers to a filter about null or empty values of an attribute that was
// sortable, distinct or part of a ranking rule before it became filterable. With the documents that
// ours finds in place of the condition both servers must answer as ours does.
func levelEmptiness(e *Evidence, ours, theirs *Parsed) {
	body, ok := bodyOf(e.Request)
	if !ok || e.Request.Write || ours.status != 200 || theirs.status != 200 || !emptiness.MatchString(body.JSON()) {
		return
	}
	asked, fine := membersOf(&body), true
	if asked["filter"] != nil {
		asked["filter"], fine = e.withIDs(IndexOf(e.Request.Path), asked["filter"])
	} else if list := body.Get("queries"); list != nil {
		queries := make([]map[string]json.RawMessage, list.Len())
		for i := range queries {
			query := &list.Members()[i].Value
			queries[i] = membersOf(query)
			if filter := queries[i]["filter"]; filter != nil && fine {
				queries[i]["filter"], fine = e.withIDs(stringAt(query, "indexUid"), filter)
			}
		}
		asked["queries"] = rawBody(queries)
	}
	if !fine {
		return
	}
	if p, q, ok := e.again(rawBody(asked)); ok && p.text() == ours.text() && q.text() == ours.text() {
		*theirs = *q
	}
}

// withIDs is a filter with ids of documents of ours in place of conditions about what is null or
// empty. ok is false if the reference finds the same ones, had no reason not to, or is right.
func (e *Evidence) withIDs(index string, filter json.RawMessage) (with json.RawMessage, ok bool) {
	other := false
	ok = true
	with = emptiness.ReplaceAllFunc(filter, func(condition []byte) []byte {
		parts := emptiness.FindSubmatch(condition)
		a, b, found := e.Ask(&life.Request{Method: "POST", Path: "/indexes/" + index + "/documents/fetch", Body: rawBody(map[string]any{
			"filter": string(parts[1]) + " IS " + string(parts[3]), "fields": []string{"id"}, "limit": mostListed,
		})})
		if !found || !e.wasOrderedBefore(string(parts[1])) {
			ok = false
			return condition
		}
		x, y := idsOf(a), idsOf(b)
		for _, id := range slices.Concat(x, y) {
			if found := slices.Contains(x, id); found != slices.Contains(y, id) {
				other, ok = true, ok && found == e.isVacant(index, id, string(parts[1]), string(parts[3]))
			}
		}
		ids := "id IN [" + strings.ReplaceAll(strings.Join(x, ", "), `"`, `'`) + "]"
		if len(parts[2]) > 0 {
			ids = "(NOT " + ids + ")"
		}
		return []byte(ids)
	})
	return with, ok && other
}

// idsOf are the ids of listed documents, as they are written.
func idsOf(p *Parsed) []string {
	var ids []string
	for _, m := range p.parts[0].Get("results").Members() {
		ids = append(ids, m.Value.Get("id").JSON())
	}
	return ids
}

// isVacant tells whether an attribute of a document is null or empty in the reference.
func (e *Evidence) isVacant(index, id, attribute, how string) bool {
	_, b, ok := e.Ask(&life.Request{Method: "GET", Path: "/indexes/" + index + "/documents/" + strings.Trim(id, `"`)})
	if !ok {
		return false
	}
	v := at(&b.parts[0], attribute)
	switch {
	case v == nil:
		return false
	case how == "NULL":
		return v.IsNull()
	}
	return v.Kind() == jsonvalue.KindString && v.String() == "" || (v.Kind() == jsonvalue.KindArray || v.Kind() == jsonvalue.KindObject) && v.Len() == 0
}
