package merge

import (
	"fmt"
	"strings"

	"shoal/api/apierr"
	"shoal/query/rule"
)

// entry is one comparable step of a canonical list: a run of relevancy rules, or one sort.
type entry struct {
	kind     ruleKind
	from, to int // in the canonical rules
	sort     int // in the canonical sort list, -1 for a sort outside of it
}

// entries returns the steps of the list.
func (c *canonical) entries() []entry {
	var out []entry
	for i, name := range c.rules {
		switch {
		case rule.NeedsWords(name):
			if n := len(out); n > 0 && out[n-1].kind == relevancyRule {
				out[n-1].to = i
				continue
			}
			out = append(out, entry{kind: relevancyRule, from: i, to: i, sort: -1})
		case name == "sort":
			for at, r := range c.sort {
				out = append(out, entry{kind: sortKind(r), from: i, to: i, sort: at})
			}
		default:
			field, desc, _ := cutDirection(name)
			r := rule.Rule{Kind: rule.Sort, Desc: desc}
			if field == "_geo" {
				r.Kind = rule.Geo
			}
			out = append(out, entry{kind: sortKind(r), from: i, to: i, sort: -1})
		}
	}
	return out
}

func sortKind(r rule.Rule) ruleKind {
	switch {
	case r.Kind == rule.Geo && r.Desc:
		return descendingGeo
	case r.Kind == rule.Geo:
		return ascendingGeo
	case r.Kind == rule.Random:
		return randomSort
	case r.Desc:
		return descendingSort
	}
	return ascendingSort
}

// describe returns the line about an entry in the error message.
func (c *canonical) describe(e entry) string {
	q := c.query
	where := fmt.Sprintf("`queries[%d]`, `%s.rankingRules[%d]`", q.Position, q.IndexUID, e.from)
	detail := c.rules[e.from]
	switch {
	case e.sort >= 0:
		where = fmt.Sprintf("`queries[%d].sort[%d]`, `%s.rankingRules[%d]`", q.Position, e.sort, q.IndexUID, e.from)
		detail = "default"
		if r := c.sort[e.sort]; r.Kind != rule.Geo {
			detail = "on field `" + r.Field + "`"
		}
	case e.to > e.from:
		where = fmt.Sprintf("`queries[%d]`, `%s.rankingRules[%d..=%d]`", q.Position, q.IndexUID, e.from, e.to)
		detail = strings.Join(c.rules[e.from:e.to+1], ", ")
	}
	return where + ": " + ruleKindNames[e.kind] + " rule(s) " + detail
}

// reason explains why two kinds cannot be compared.
func reason(a, b ruleKind) string {
	geo := func(k ruleKind) bool { return k == ascendingGeo || k == descendingGeo }
	switch {
	case a == randomSort || b == randomSort:
		return "cannot compare a random sort rule with another rule"
	case (a == relevancyRule || b == relevancyRule) && (geo(a) || geo(b)):
		return "cannot compare a relevancy rule with a geosort rule"
	case a == relevancyRule || b == relevancyRule:
		return "cannot compare a relevancy rule with a sort rule"
	case geo(a) && geo(b):
		return "cannot compare two geosort rules in opposite directions"
	case geo(a) || geo(b):
		return "cannot compare a sort rule with a geosort rule"
	}
	return "cannot compare two sort rules in opposite directions"
}

// Compatibility checks queries one after the other against the most constrained list so far.
// The zero value is ready.
type Compatibility struct {
	most    *canonical
	entries []entry
}

// Add checks the next query in processing order (indexes by name, then queries). The error has
// no prefix about the query yet.
func (c *Compatibility) Add(q *RuleQuery) *apierr.Error {
	list := canonicalize(q)
	entries := list.entries()
	if c.most == nil {
		c.most, c.entries = list, entries
		return nil
	}
	for i := range min(len(entries), len(c.entries)) {
		if entries[i].kind != c.entries[i].kind {
			return incompatible(c.most, list, c.entries[i], entries[i])
		}
	}
	if len(entries) >= len(c.entries) {
		c.most, c.entries = list, entries
	}
	return nil
}

func incompatible(prev, cur *canonical, a, b entry) *apierr.Error {
	var m strings.Builder
	fmt.Fprintf(&m, "The results of queries #%d and #%d are incompatible: \n", prev.query.Position, cur.query.Position)
	fmt.Fprintf(&m, "  1. %s\n  2. %s\n  - %s\n", prev.describe(a), cur.describe(b), reason(a.kind, b.kind))
	for _, list := range []*canonical{prev, cur} {
		if len(list.notes) > 0 {
			fmt.Fprintf(&m, "  - note: The ranking rules of query #%d were modified during canonicalization:\n%s", list.query.Position, strings.Join(list.notes, ""))
		}
	}
	return apierr.New(apierr.CodeInvalidMultiSearchQueryRankingRules, m.String())
}
