package main

import (
	"encoding/json"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
)

// levelLostNames takes empty facets with dotted names out of our answers that the reference
// does not list. An upload of this life must have had such a name.
func levelLostNames(e *evidence, ours, theirs *parsed) {
	if ours.status != 200 || theirs.status != 200 || len(ours.parts) != 1 || len(theirs.parts) != 1 {
		return
	}
	if path, _, _ := strings.Cut(e.request.Path, "?"); strings.HasSuffix(path, "/fields") {
		e.levelFields(&ours.parts[0], &theirs.parts[0])
		return
	}
	e.dropLost(&ours.parts[0], &theirs.parts[0])
}

// levelFields levels two pages of lists of fields, if the whole lists differ in lost names only.
func (e *evidence) levelFields(a, b *jsonvalue.Value) {
	ours, theirs, ok := e.allFields()
	if !ok {
		return
	}
	x, y := ours.parts[0].Get("results"), theirs.parts[0].Get("results")
	if x == nil || y == nil || x.Len() <= y.Len() {
		return
	}
	others := texts(y)
	kept := slices.DeleteFunc(texts(x), func(field string) bool {
		v, err := jsonvalue.Parse([]byte(field))
		return err == nil && !slices.Contains(others, field) && e.wasUploaded(stringAt(&v, "name"))
	})
	if slices.Equal(kept, others) {
		*b = *a
	}
}

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

// dropLost looks for facets in two values of the same shape.
func (e *evidence) dropLost(a, b *jsonvalue.Value) {
	if a.Kind() != b.Kind() {
		return
	}
	for i := range a.Members() {
		m := &a.Members()[i]
		var other *jsonvalue.Value
		switch {
		case a.Kind() == jsonvalue.KindObject:
			other = b.Get(m.Name)
		case i < b.Len():
			other = &b.Members()[i].Value
		}
		switch {
		case other == nil:
		case m.Name == "facetDistribution" || m.Name == "distribution":
			m.Value = e.kept(&m.Value, other)
		default:
			e.dropLost(&m.Value, other)
		}
	}
}

// kept are facets without those that are lost.
func (e *evidence) kept(facets, others *jsonvalue.Value) jsonvalue.Value {
	text := []byte{'{'}
	for i := range facets.Members() {
		m := &facets.Members()[i]
		if others.Get(m.Name) == nil && m.Value.Kind() == jsonvalue.KindObject && m.Value.Len() == 0 && e.wasUploaded(m.Name) {
			continue
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			panic(err) // a text
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(text, name...), ':')
		text = m.Value.AppendJSON(text)
	}
	v, err := jsonvalue.Parse(append(text, '}'))
	if err != nil {
		panic(err) // made of JSON
	}
	return v
}

// wasUploaded tells whether an upload of this life had the last part of a dotted name.
func (e *evidence) wasUploaded(name string) bool {
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		return false
	}
	for i := range e.sent {
		if !isUpload(&e.sent[i]) {
			continue
		}
		text := e.sent[i].String()
		for rest := name[dot:]; rest != ""; {
			rest = rest[1:]
			if quoted, err := json.Marshal(rest); err == nil && (strings.Contains(text, string(quoted)+":") || strings.Contains(text, `\"`+rest+`\":`)) {
				return true
			}
			rest = rest[max(0, strings.IndexByte(rest, '.')):]
			if !strings.HasPrefix(rest, ".") {
				break
			}
		}
	}
	return false
}
