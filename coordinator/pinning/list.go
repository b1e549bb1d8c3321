package pinning

import (
	"cmp"
	"slices"

	"shoal/api"
)

// List answers POST /dynamic-search-rules with the rules of the page. total counts all matches.
// The most recently changed rules come first. With a query, rules that have more of its leading
// words precede others.
func (s *Store) List(q *api.SearchRuleQuery) (page []*api.SearchRule, total uint64) {
	type match struct {
		*rule
		words int
	}
	var wanted []string
	if q.Query != nil {
		wanted = wordsOf(*q.Query)
	}
	var found []match
	for _, r := range s.rules {
		if q.Active != nil && *q.Active != r.Active {
			continue
		}
		n := r.leading(wanted)
		if n == 0 && len(wanted) > 0 {
			continue
		}
		found = append(found, match{r, n})
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.UpdatedAt, a.UpdatedAt))
	})
	total = uint64(len(found))
	found = found[min(q.Offset, total):]
	for _, m := range found[:min(q.Limit, uint64(len(found)))] {
		page = append(page, &m.SearchRule)
	}
	return page, total
}

// leading counts the leading words of a query that the rule has.
func (p *rule) leading(wanted []string) int {
	for i, w := range wanted {
		if !slices.Contains(p.description, w) && !slices.Contains(p.words, w) {
			return i
		}
	}
	return len(wanted)
}
