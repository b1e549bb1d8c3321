package merge

import (
	"fmt"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/query/rule"
)

// RuleQuery is what the compatibility of one query depends on.
type RuleQuery struct {
	// Position is the position reported to the client.
	Position uint64
	IndexUID string
	// Rules are the ranking rules of the index, as written.
	Rules []string
	// Sort holds the criteria of the query as Sort and Geo rules; HasSort tells
	// whether the parameter was given.
	Sort     []rule.Rule
	HasSort  bool
	Kind     rule.QueryKind
	Strategy api.MatchingStrategy
}

// ruleKind is the kind by which entries of two lists are compared.
type ruleKind uint8

const (
	relevancyRule ruleKind = iota
	ascendingSort
	descendingSort
	ascendingGeo
	descendingGeo
	randomSort
)

var ruleKindNames = [...]string{"relevancy", "ascending sort", "descending sort", "ascending geo sort", "descending geo sort", "random sort"}

// place is the position of a rule: in the ranking rules, or in the sort list of the `sort` rule
// at that position.
type place struct {
	rule   int
	sort   int
	inSort bool
}

func (p place) String() string {
	if p.inSort {
		return fmt.Sprintf("#%d in `query.sort` (as `sort` is #%d in ranking rules)", p.sort, p.rule)
	}
	return fmt.Sprintf("#%d in ranking rules", p.rule)
}

// canonical is the list of rules that a query effectively ranks by, with the changes that led
// to it.
type canonical struct {
	query *RuleQuery
	rules []string
	sort  []rule.Rule
	// notes are numbered lines, one for each change.
	notes []string
}

// canonicalizer walks the rules of one query.
type canonicalizer struct {
	canonical
	fields map[string]place // sorted so far
	seen   map[string]int   // relevancy rules so far
	words  bool             // the list has a rule `words`
	sorted int              // position of the rule `sort`, -1 for none yet
	vector int              // position of the rule that stands for the vector, -1 for none yet
}

// canonicalize removes rules without effect on the order of a query's hits (spec search-api
// 5.5).
func canonicalize(q *RuleQuery) *canonical {
	c := &canonicalizer{canonical: canonical{query: q}, fields: map[string]place{}, seen: map[string]int{}, sorted: -1, vector: -1}
	for i, name := range q.Rules {
		if !c.rule(i, name) {
			break
		}
	}
	return &c.canonical
}

// note adds a line. The one about sort is indented less, as in the reference.
func (c *canonicalizer) note(indent, format string, args ...any) {
	c.notes = append(c.notes, indent+strconv.Itoa(len(c.notes)+1)+". "+fmt.Sprintf(format, args...)+"\n")
}

const indented = "    "

// rule processes the rule at i; false ends the list.
func (c *canonicalizer) rule(i int, name string) bool {
	here := place{rule: i}
	switch {
	case rule.NeedsWords(name):
		return c.relevancy(i, name)
	case name == "sort":
		c.sortRule(i)
	default:
		field, _, _ := cutDirection(name)
		if earlier, twice := c.fields[field]; twice {
			c.note(indented, "Removed duplicate rule `%s` at position %s as it already appears at position %s", c.nameAt(earlier), here, earlier)
			return true
		}
		c.fields[field] = here
		c.rules = append(c.rules, name)
	}
	return true
}

func (c *canonicalizer) relevancy(i int, name string) bool {
	switch c.query.Kind {
	case rule.Placeholder:
		c.note(indented, "Removed relevancy rule `%s` at position %s because the query is a placeholder search (`q`: \"\")", name, place{rule: i})
	case rule.Semantic:
		return c.vectorRule(i, name)
	default:
		c.keywordRule(i, name)
	}
	return true
}

// vectorRule: the first relevancy rule stands for the vector.
func (c *canonicalizer) vectorRule(i int, name string) bool {
	here, first := place{rule: i}, place{rule: c.vector}
	switch {
	case c.vector < 0:
		c.vector = i
		c.rules = append(c.rules, name)
	case len(c.fields) == 0:
		c.note(indented, "Removed relevancy rule `%s` at position %s because the query is a vector search and `vector` was already inserted at position %s", name, here, first)
	default:
		c.note(indented, "Truncated relevancy rule `%s` at position %s and later rules because the query is a vector search and `vector` was inserted at position %s", name, here, first)
		return false
	}
	return true
}

// keywordRule puts words before all other relevancy rules, or removes it when all words must
// match.
func (c *canonicalizer) keywordRule(i int, name string) {
	here := place{rule: i}
	all := c.query.Strategy == api.MatchAll
	earlier, twice := c.seen[name]
	if name == "words" {
		switch {
		case all:
			c.note(indented, "Removed rule `words` at position %s because `query.matchingWords` is set to `all`", here)
			return
		case twice:
			c.note(indented, "Removed duplicate rule `words` at position %s as it already appears at position %s", here, place{rule: earlier})
			return
		case c.words:
			c.note(indented, "Removed rule `words` at position %s because it was previously prepended", here)
		}
		c.words, c.seen[name] = true, i
		c.rules = append(c.rules, name)
		return
	}
	if !all && !c.words {
		c.words = true
		c.note(indented, "Prepended rule `words` before first relevancy rule `%s` at position %s", name, here)
		c.rules = append(c.rules, "words")
	}
	if twice {
		c.note(indented, "Removed duplicate rule `%s` at position %s as it already appears at position %s", name, here, place{rule: earlier})
		return
	}
	c.seen[name] = i
	c.rules = append(c.rules, name)
}

// sortRule expands the criteria of the query.
func (c *canonicalizer) sortRule(i int) {
	switch {
	case c.sorted >= 0:
		c.note(indented, "Removed duplicate rule `sort` at position %s as it already appears at position %s", place{rule: i}, place{rule: c.sorted})
		return
	case !c.query.HasSort:
		c.note("   ", "Removed rule `sort` at position %s because `query.sort` is empty", place{rule: i})
		return
	}
	c.sorted = i
	c.rules = append(c.rules, "sort")
	geo := -1
	for at, r := range c.query.Sort {
		here := place{rule: i, sort: at, inSort: true}
		earlier, twice := c.fields[r.Field]
		if r.Kind == rule.Geo {
			earlier, twice = place{rule: i, sort: geo, inSort: true}, geo >= 0
		}
		if twice {
			c.note(indented, "Removed duplicate rule `%s` at position %s as it already appears at position %s", c.nameAt(earlier), here, earlier)
			continue
		}
		if r.Kind == rule.Geo {
			geo = at
		} else {
			c.fields[r.Field] = here
		}
		c.sort = append(c.sort, r)
	}
}

// nameAt returns the name of the rule at a position of the original lists.
func (c *canonicalizer) nameAt(p place) string {
	if !p.inSort {
		return c.query.Rules[p.rule]
	}
	r := c.query.Sort[p.sort]
	name := r.Field
	switch r.Kind {
	case rule.Geo:
		name = "_geo(..)"
	case rule.Random:
		return name
	}
	if r.Desc {
		return name + ":desc"
	}
	return name + ":asc"
}

// cutDirection splits "price:asc".
func cutDirection(rule string) (field string, desc, ok bool) {
	if f, found := strings.CutSuffix(rule, ":desc"); found {
		return f, true, true
	}
	f, found := strings.CutSuffix(rule, ":asc")
	return f, false, found
}
