package purpose

import (
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// allFields asks both servers for the whole list of fields.
func (e *Evidence) allFields() (ours, theirs *Parsed, ok bool) {
	var asked map[string]json.RawMessage
	body, ok := bodyOf(e.Request)
	if !ok || json.Unmarshal([]byte(body.JSON()), &asked) != nil {
		return nil, nil, false
	}
	asked["offset"], asked["limit"] = rawBody(0), rawBody(100_000)
	return e.again(rawBody(asked))
}

// levelNameless levels two lists of fields in which ours has names that begin with a dot, for
// members of a field without a name, and the reference has the names without it. The reference
// takes them for other fields with these names, which it then knew earlier: listings have them in
// another place, and facets list them without values.
func levelNameless(e *Evidence, ours, theirs *Parsed) {
	path, _, _ := strings.Cut(e.Request.Path, "?")
	if ours.status != 200 || theirs.status != 200 {
		return
	}
	if strings.HasSuffix(path, "/documents") || strings.HasSuffix(path, "/documents/fetch") {
		e.levelNamelessListing(IndexOf(path), ours.parts[0].Get("results"), theirs.parts[0].Get("results"))
		return
	}
	if index := IndexOf(path); index != "" && strings.HasSuffix(path, "/search") {
		e.levelNamelessFacets(index, &ours.parts[0], &theirs.parts[0])
		return
	}
	if !strings.HasSuffix(path, "/fields") {
		return
	}
	p, q, ok := e.allFields()
	if !ok {
		return
	}
	a, b := fieldNames(p), fieldNames(q)
	dotted := 0
	for i, name := range a {
		if strings.HasPrefix(name, ".") {
			dotted++
			a[i] = strings.TrimLeft(name, ".")
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	if dotted > 0 && slices.Equal(slices.Compact(a), slices.Compact(b)) {
		theirs.parts = ours.parts
	}
}

// levelBatchFields levels facets without values of fields that only one server knows, as it has indexed
// a document that the other one had replaced in the same batch.
func levelBatchFields(e *Evidence, ours, theirs *Parsed) {
	e.eachSearch(ours, theirs, func(e *Evidence, _, a, b *jsonvalue.Value) {
		x, y := a.Get("facetDistribution"), b.Get("facetDistribution")
		index := IndexOf(e.Request.Path)
		if x == nil || y == nil || x.JSON() == y.JSON() || index == "" {
			return
		}
		ours, theirs, ok := e.fieldsOf(index)
		if ok && filledFacets(x, ours, theirs) == filledFacets(y, theirs, ours) {
			*y = *x
		}
	})
}

// filledFacets are facets without those that have no values and are fields of their server only.
func filledFacets(facets *jsonvalue.Value, own, others []string) string {
	var kept []jsonvalue.Member
	for _, m := range facets.Members() {
		if m.Value.Len() > 0 || !slices.Contains(own, m.Name) || slices.Contains(others, m.Name) {
			kept = append(kept, m)
		}
	}
	object := jsonvalue.ObjectValue(kept...)
	return object.JSON()
}

// levelNamelessListing brings the fields whose names members of a field without a name have to
// the front of every document.
func (e *Evidence) levelNamelessListing(index string, x, y *jsonvalue.Value) {
	if x == nil || y == nil || x.JSON() == y.JSON() {
		return
	}
	names := e.namelessMembers(index)
	for _, list := range []*jsonvalue.Value{x, y} {
		for i := range list.Members() {
			slices.SortStableFunc(list.Members()[i].Value.Members(), func(a, b jsonvalue.Member) int {
				return slices.Index(names, "."+b.Name) - slices.Index(names, "."+a.Name)
			})
		}
	}
}

// levelNamelessFacets removes the facets without values that only the reference has.
func (e *Evidence) levelNamelessFacets(index string, a, b *jsonvalue.Value) {
	x, y := a.Get("facetDistribution"), b.Get("facetDistribution")
	if x == nil || y == nil || x.JSON() == y.JSON() {
		return
	}
	names := e.namelessMembers(index)
	kept := map[string]json.RawMessage{}
	for i := range y.Members() {
		m := &y.Members()[i]
		if x.Get(m.Name) != nil || m.Value.Len() > 0 || !slices.Contains(names, "."+m.Name) {
			kept[m.Name] = json.RawMessage(m.Value.JSON())
		}
	}
	if v, err := jsonvalue.Parse(rawBody(kept)); err == nil && len(kept) == x.Len() && v.JSON() == x.JSON() {
		*y = *x
	}
}

// namelessMembers are what we call the members of fields without a name: names with a dot first.
func (e *Evidence) namelessMembers(index string) []string {
	fields, _, _ := e.fieldsOf(index)
	return slices.DeleteFunc(fields, func(name string) bool { return !strings.HasPrefix(name, ".") })
}

// fieldsOf are the names of the fields of an index on both servers.
func (e *Evidence) fieldsOf(index string) (ours, theirs []string, ok bool) {
	p, q, ok := e.Ask(&life.Request{Method: "POST", Path: "/indexes/" + index + "/fields", Body: rawBody(map[string]any{"limit": uncut})})
	if !ok {
		return nil, nil, false
	}
	return fieldNames(p), fieldNames(q), true
}

// fieldNames are the names in a list of fields.
func fieldNames(p *Parsed) (names []string) {
	if list := p.parts[0].Get("results"); list != nil {
		for i := range list.Members() {
			names = append(names, stringAt(&list.Members()[i].Value, "name"))
		}
	}
	return names
}
