package main

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// levelListing levels a sorted listing of documents from its beginning. Without documents
// of ours in which what it is sorted by is empty, and without repetitions in theirs, one list must
// begin with the other, and there must be such documents or repetitions.
func levelListing(e *evidence, ours, theirs *parsed) {
	path, query, _ := strings.Cut(e.request.Path, "?")
	if ours.status != 200 || theirs.status != 200 || !strings.HasSuffix(path, "/documents") && !strings.HasSuffix(path, "/documents/fetch") {
		return
	}
	x, y := ours.parts[0].Get("results"), theirs.parts[0].Get("results")
	by := sortedBy(e, query)
	if x == nil || y == nil || len(by) == 0 || ours.parts[0].Get("offset") == nil || ours.parts[0].Get("offset").Uint() != 0 {
		return
	}
	if dropsDocuments(x, y, by) {
		*y = *x
		return
	}
	if p, q, ok := e.withAllFields(); ok {
		a, b := p.parts[0].Get("results"), q.parts[0].Get("results")
		if a != nil && b != nil && a.Len() == x.Len() && b.Len() == y.Len() && dropsDocuments(a, b, by) {
			*y = *x
		}
	}
}

// dropsDocuments tells whether two lists differ in empty documents and repetitions only.
func dropsDocuments(x, y *jsonvalue.Value, by []string) bool {
	whole := slices.DeleteFunc(texts(x), func(doc string) bool {
		v, err := jsonvalue.Parse([]byte(doc))
		return err != nil || slices.ContainsFunc(by, func(name string) bool { m := at(&v, name); return m != nil && isEmpty(m) })
	})
	once := []string{}
	for _, doc := range texts(y) {
		if !slices.Contains(once, doc) {
			once = append(once, doc)
		}
	}
	if len(whole) == x.Len() && len(once) == y.Len() {
		return false
	}
	n := min(len(whole), len(once))
	return n > 0 && slices.Equal(whole[:n], once[:n]) || n == 0 && len(whole) == len(once)
}

// withAllFields asks for a listing again that shows a choice of fields, with all of them.
func (e *evidence) withAllFields() (ours, theirs *parsed, ok bool) {
	path, query, _ := strings.Cut(e.request.Path, "?")
	if body, ok := bodyOf(e.request); ok {
		if body.Get("fields") == nil {
			return nil, nil, false
		}
		return e.again(without(&body, "fields"))
	}
	values, err := url.ParseQuery(query)
	if err != nil || !values.Has("fields") {
		return nil, nil, false
	}
	values.Del("fields")
	return e.ask(&life.Request{Method: e.request.Method, Path: path + "?" + values.Encode(), Key: e.request.Key})
}

// geoPoint is how a sort names the places of documents.
var geoPoint = regexp.MustCompile(`_geoPoint\([^)]*\)`)

// sortedBy lists the attributes that a listing is sorted by.
func sortedBy(e *evidence, query string) (names []string) {
	var list []string
	if q, err := url.ParseQuery(query); err == nil && q.Get("sort") != "" {
		list = strings.Split(geoPoint.ReplaceAllString(q.Get("sort"), "_geo"), ",")
	}
	if body, ok := bodyOf(e.request); ok && body.Get("sort") != nil {
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
