package purpose

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelListing levels a sorted listing of documents. Without documents of ours in which what it is
// sorted by is empty, and without repetitions in theirs, one list must begin with the other, and
// there must be such documents or repetitions. A page that begins later, or shows a choice of
// fields, must be a part of such lists.
func levelListing(e *Evidence, ours, theirs *Parsed) {
	path, query, _ := strings.Cut(e.Request.Path, "?")
	if ours.status != 200 || theirs.status != 200 || !strings.HasSuffix(path, "/documents") && !strings.HasSuffix(path, "/documents/fetch") {
		return
	}
	x, y := ours.parts[0].Get("results"), theirs.parts[0].Get("results")
	by := sortedBy(e, query)
	if x == nil || y == nil || len(by) == 0 || ours.parts[0].Get("offset") == nil {
		return
	}
	offset := int(ours.parts[0].Get("offset").Uint())
	if offset == 0 && dropsDocuments(x, y, by) {
		*y = *x
		return
	}
	a, b, ok := e.relisted(false)
	if !ok || a.Len() != x.Len() || b.Len() != y.Len() {
		return
	}
	if offset == 0 && dropsDocuments(a, b, by) {
		*y = *x
		return
	}
	p, q, ok := e.relisted(true)
	if ok && isPartOf(a, p, offset, offset) && isTheirPart(b, p, q, offset) && dropsDocuments(p, q, by) {
		*y = *x
	}
}

// isPartOf tells whether a page stands in a list, beginning at one of the indexes [from, to].
func isPartOf(page, list *jsonvalue.Value, from, to int) bool {
	hits, all := texts(page), texts(list)
	for at := max(0, from); at <= min(to, len(all)); at++ {
		if rest := all[at:]; len(hits) <= len(rest) && slices.Equal(hits, rest[:len(hits)]) {
			return true
		}
	}
	return len(hits) == 0
}

// isTheirPart tells whether a page of the reference's stands in its list q. Where it begins depends
// on how many dropped ones and repetitions were skipped; p is the list of ours.
func isTheirPart(page, p, q *jsonvalue.Value, offset int) bool {
	once := len(withoutRepetitions(q))
	return isPartOf(page, q, offset-max(0, p.Len()-once), offset+q.Len()-once)
}

// dropsDocuments tells whether two lists differ in empty documents and repetitions only.
func dropsDocuments(x, y *jsonvalue.Value, by []string) bool {
	whole := slices.DeleteFunc(texts(x), func(doc string) bool {
		v, err := jsonvalue.Parse([]byte(doc))
		return err != nil || slices.ContainsFunc(by, func(name string) bool { m := at(&v, name); return m != nil && isEmpty(m) })
	})
	once := withoutRepetitions(y)
	if len(whole) == x.Len() && len(once) == y.Len() {
		return false
	}
	n := min(len(whole), len(once))
	return n > 0 && slices.Equal(whole[:n], once[:n]) || n == 0 && len(whole) == len(once)
}

// withoutRepetitions are the members of a list, each where it stands first.
func withoutRepetitions(list *jsonvalue.Value) []string {
	once := []string{}
	for _, doc := range texts(list) {
		if !slices.Contains(once, doc) {
			once = append(once, doc)
		}
	}
	return once
}

// mostListed is how many documents are asked for to see a whole list.
const mostListed = 10_000

// relisted asks for a listing again with all fields of the documents, the whole of it or the same
// page.
func (e *Evidence) relisted(whole bool) (ours, theirs *jsonvalue.Value, ok bool) {
	var p, q *Parsed
	if body, has := bodyOf(e.Request); has {
		asked := map[string]json.RawMessage{}
		for i := range body.Members() {
			if m := &body.Members()[i]; m.Name != "fields" {
				asked[m.Name] = json.RawMessage(m.Value.JSON())
			}
		}
		if whole {
			asked["offset"], asked["limit"] = rawBody(0), rawBody(mostListed)
		}
		p, q, ok = e.again(rawBody(asked))
	} else {
		path, query, _ := strings.Cut(e.Request.Path, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			return nil, nil, false
		}
		values.Del("fields")
		if whole {
			values.Set("offset", "0")
			values.Set("limit", strconv.Itoa(mostListed))
		}
		p, q, ok = e.Ask(&life.Request{Method: e.Request.Method, Path: path + "?" + values.Encode(), Key: e.Request.Key})
	}
	if !ok {
		return nil, nil, false
	}
	ours, theirs = p.parts[0].Get("results"), q.parts[0].Get("results")
	return ours, theirs, ours != nil && theirs != nil
}

// geoPoint is how a sort names the places of documents.
var geoPoint = regexp.MustCompile(`_geoPoint\([^)]*\)`)

// sortedBy lists the attributes that a listing is sorted by.
func sortedBy(e *Evidence, query string) (names []string) {
	var list []string
	if q, err := url.ParseQuery(query); err == nil && q.Get("sort") != "" {
		list = strings.Split(geoPoint.ReplaceAllString(q.Get("sort"), "_geo"), ",")
	}
	if body, ok := bodyOf(e.Request); ok && body.Get("sort") != nil {
		list = texts(body.Get("sort"))
	}
	for _, s := range list {
		s = geoPoint.ReplaceAllString(strings.Trim(s, `"`), "_geo")
		names = append(names, strings.TrimSuffix(strings.TrimSuffix(s, ":asc"), ":desc"))
	}
	return names
}

// texts are the members of a list as they are written.
func texts(v *jsonvalue.Value) []string {
	list := make([]string, v.Len())
	for i := range v.Members() {
		list[i] = v.Members()[i].Value.JSON()
	}
	return list
}

// at is the member of a document that a dotted name leads to.
func at(v *jsonvalue.Value, name string) *jsonvalue.Value {
	if m := v.Get(name); m != nil {
		return m
	}
	first, rest, ok := strings.Cut(name, ".")
	if m := v.Get(first); ok && m != nil {
		return at(m, rest)
	}
	return nil
}

// isEmpty tells whether there is nothing in a value to sort by: it is null, an empty text, an
// object that is no place, or a list of such values.
func isEmpty(v *jsonvalue.Value) bool {
	switch {
	case v.IsNull():
		return true
	case v.Kind() == jsonvalue.KindString:
		return v.String() == ""
	case v.Kind() == jsonvalue.KindObject:
		return !isCoordinate(v.Get("lat")) || !isCoordinate(v.Get("lng"))
	case v.Kind() == jsonvalue.KindArray:
		return !slices.ContainsFunc(v.Members(), func(m jsonvalue.Member) bool { return !isEmpty(&m.Value) })
	}
	return false
}
