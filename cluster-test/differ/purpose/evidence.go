package purpose

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/life"
)

// Evidence is what a row may look at beside the two answers.
type Evidence struct {
	Request *life.Request
	Sent    []life.Request // before it, in this life
	After   []life.Request // behind it, in its batch; their tasks succeeded
	Batch   []life.Request // all of its batch, which were sent without waiting for their tasks
	// Ask sends both servers a request that only reads; ok is false unless both answer 200.
	Ask func(r *life.Request) (ours, theirs *Parsed, ok bool)
}

// again sends both servers the same request with another body.
func (e *Evidence) again(body json.RawMessage) (ours, theirs *Parsed, ok bool) {
	r := *e.Request
	if r.Body = body; strings.HasSuffix(r.Path, "/search") {
		v, err := jsonvalue.Parse(body)
		if err != nil {
			return nil, nil, false
		}
		r.Body = without(&v, "indexUid") // which a query of several has
	}
	return e.Ask(&r)
}

// agreesFor tells whether both servers answer alike to a search for other words, or to a merged one
// with other words in each query; not if there are none.
func (e *Evidence) agreesFor(body *jsonvalue.Value, change func(words string) string) bool {
	search, changed := reworded(body, change)
	if queries := body.Get("queries"); queries != nil {
		list := make([]map[string]json.RawMessage, queries.Len())
		for i := range list {
			other := false
			list[i], other = reworded(&queries.Members()[i].Value, change)
			changed = changed || other
		}
		search["queries"] = rawBody(list)
	}
	if !changed {
		return false
	}
	p, q, ok := e.again(rawBody(search))
	return ok && p.text() == q.text()
}

// reworded is a query with other words.
func reworded(query *jsonvalue.Value, change func(words string) string) (search map[string]json.RawMessage, changed bool) {
	search = membersOf(query)
	words := stringAt(query, "q")
	if changed = words != "" && change(words) != words; changed {
		search["q"] = rawBody(change(words))
	}
	return search, changed
}

// membersOf are the members of an object, which answers and the bodies of searches are.
func membersOf(v *jsonvalue.Value) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v.JSON()), &members); err != nil {
		panic(err) // an object
	}
	return members
}

// scores are those of hits, with one of the commas beside them.
var scores = regexp.MustCompile(`,"_rankingScore":[0-9.e-]+|"_rankingScore":[0-9.e-]+,?`)

// bodyOf parses the body of a request; a GET has none.
func bodyOf(r *life.Request) (v jsonvalue.Value, ok bool) {
	body, ok := r.Body.(interface{ MarshalJSON() ([]byte, error) })
	if !ok {
		return v, false
	}
	raw, err := body.MarshalJSON()
	if err != nil {
		return v, false
	}
	v, err = jsonvalue.Parse(raw)
	return v, err == nil
}

// IndexOf is the index that a path names; empty for a path of none.
func IndexOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/indexes/")
	if !ok {
		return ""
	}
	index, _, _ := strings.Cut(rest, "/")
	return index
}

// renamed is what an index is called after the batch, in which it may be swapped or renamed.
func (e *Evidence) renamed(index string) string {
	for i := range e.After {
		r := &e.After[i]
		body, ok := bodyOf(r)
		switch {
		case !ok:
		case r.Path == "/swap-indexes":
			for k := range body.Members() {
				if pair := body.Members()[k].Value.Get("indexes"); pair != nil && pair.Len() == 2 {
					a, b := pair.Members()[0].Value.String(), pair.Members()[1].Value.String()
					switch index {
					case a:
						index = b
					case b:
						index = a
					}
				}
			}
		case r.Method == "PATCH" && r.Path == "/indexes/"+index && body.Get("uid") != nil:
			index = body.Get("uid").String()
		}
	}
	return index
}

// wasOrderedBefore tells whether this life made an attribute sortable, distinct or part of a ranking
// rule, or filterable without facet search, or not filterable any more, and filterable afterwards or
// at the same time.
func (e *Evidence) wasOrderedBefore(attribute string) bool {
	ordered := false
	for i := range e.Sent {
		path, _, _ := strings.Cut(e.Sent[i].Path, "?")
		if e.Sent[i].Method == "GET" || !strings.Contains(path, "/settings") {
			continue
		}
		body, ok := bodyOf(&e.Sent[i])
		if !ok {
			ordered = ordered || e.Sent[i].Method == "DELETE" && (strings.HasSuffix(path, "/settings") || strings.HasSuffix(path, "/filterable-attributes"))
			continue
		}
		part := func(name, route string) *jsonvalue.Value {
			if strings.HasSuffix(path, "/settings/"+route) {
				return &body
			}
			return body.Get(name)
		}
		ordered = ordered || covers(part("sortableAttributes", "sortable-attributes"), attribute) ||
			covers(part("distinctAttribute", "distinct-attribute"), attribute) || covers(part("rankingRules", "ranking-rules"), attribute)
		rules := part("filterableAttributes", "filterable-attributes")
		if ordered && rules != nil {
			return true
		}
		ordered = ordered || rules != nil && !covers(rules, attribute)
		ordered = ordered || leavesOut(rules, attribute)
	}
	return false
}

// leavesOut tells whether a filterable rule covers an attribute without facet search.
func leavesOut(rules *jsonvalue.Value, attribute string) bool {
	return rules != nil && slices.ContainsFunc(rules.Members(), func(m jsonvalue.Member) bool {
		patterns := m.Value.Get("attributePatterns")
		if patterns == nil {
			return false
		}
		searched := m.Value.Get("features")
		if searched != nil {
			searched = searched.Get("facetSearch")
		}
		return (strings.Contains(patterns.JSON(), "*") || covers(patterns, attribute)) && (searched == nil || !searched.Bool())
	})
}

// covers tells whether a setting names an attribute or one above it.
func covers(setting *jsonvalue.Value, attribute string) bool {
	if setting == nil {
		return false
	}
	names := []string{setting.String()}
	for i := range setting.Members() {
		names = append(names, setting.Members()[i].Value.String())
	}
	return slices.ContainsFunc(names, func(name string) bool {
		name = strings.TrimSuffix(strings.TrimSuffix(name, ":asc"), ":desc")
		return name != "" && (name == "*" || name == attribute || strings.HasPrefix(attribute, name+"."))
	})
}
