package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// allFields asks both servers for the whole list of fields.
func (e *evidence) allFields() (ours, theirs *parsed, ok bool) {
	var asked map[string]json.RawMessage
	body, ok := bodyOf(e.request)
	if !ok || json.Unmarshal([]byte(body.JSON()), &asked) != nil {
		return nil, nil, false
	}
	asked["offset"], asked["limit"] = rawBody(0), rawBody(100_000)
	return e.again(rawBody(asked))
}

// levelNameless levels two lists of fields in which ours has names that begin with a dot, for
// members of a field without a name, and the reference has the names without it.
func levelNameless(e *evidence, ours, theirs *parsed) {
	path, _, _ := strings.Cut(e.request.Path, "?")
	if !strings.HasSuffix(path, "/fields") || ours.status != 200 || theirs.status != 200 {
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

// fieldNames are the names in a list of fields.
func fieldNames(p *parsed) (names []string) {
	if list := p.parts[0].Get("results"); list != nil {
		for i := range list.Members() {
			names = append(names, stringAt(&list.Members()[i].Value, "name"))
		}
	}
	return names
}
