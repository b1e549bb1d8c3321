package main

import (
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// levelListing levels a sorted listing of documents from its beginning. Without documents
// of ours that lack a value to sort by, and without repetitions in theirs, one list must
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
	whole := slices.DeleteFunc(texts(x), func(doc string) bool {
		v, err := jsonvalue.Parse([]byte(doc))
		return err != nil || slices.ContainsFunc(by, func(name string) bool { return isEmpty(at(&v, name)) })
	})
	once := []string{}
	for _, doc := range texts(y) {
		if !slices.Contains(once, doc) {
			once = append(once, doc)
		}
	}
	if len(whole) == x.Len() && len(once) == y.Len() {
		return
	}
	n := min(len(whole), len(once))
	if n > 0 && slices.Equal(whole[:n], once[:n]) || n == 0 && len(whole) == len(once) {
		*y = *x
	}
}

// sortedBy lists the attributes that a listing is sorted by.
func sortedBy(e *evidence, query string) (names []string) {
	var list []string
	if _, rest, ok := strings.Cut(query, "sort="); ok {
		rest, _, _ = strings.Cut(rest, "&")
		list = strings.Split(strings.NewReplacer("%3A", ":", "%2C", ",").Replace(rest), ",")
	}
	if body, ok := bodyOf(e.request); ok && body.Get("sort") != nil {
		list = texts(body.Get("sort"))
	}
	for _, s := range list {
		s = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(s, `"`), ":asc"), ":desc")
		if strings.HasPrefix(s, "_geoPoint(") {
			s = "_geo"
		}
		names = append(names, s)
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

// isEmpty tells whether a value is null, missing, an empty text, list or object.
func isEmpty(v *jsonvalue.Value) bool {
	switch {
	case v == nil || v.IsNull():
		return true
	case v.Kind() == jsonvalue.KindString:
		return v.String() == ""
	}
	return (v.Kind() == jsonvalue.KindArray || v.Kind() == jsonvalue.KindObject) && v.Len() == 0
}
