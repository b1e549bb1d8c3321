package facet

import (
	"context"
	"slices"
	"strings"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/text"
	"shoal/text/language"
	"shoal/wire"
)

// Search answers a FacetSearchStep for the candidates. columns caches facets that are
// searched often in this state of the shard; nil caches nothing.
func Search(ctx context.Context, ix Index, columns *Columns, candidates docset.Set, step *wire.FacetSearchStep) (*wire.FacetSearchReply, error) {
	reply := &wire.FacetSearchReply{}
	if candidates.Empty() || !step.ByCount && step.Max <= 0 {
		return reply, nil
	}
	ix = within(ctx, ix)
	// Without a column all values are read, however few the candidates are.
	kept, err := columns.column(ctx, ix, step.Field, ColumnLeast)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		reply.Values, err = columns.search(ctx, ix, kept, candidates, step)
		return reply, err
	}
	if step.Match == wire.FacetAny {
		// The table is in the order of facet forms, so no matching is needed first.
		err := walkCounted(ix, candidates, step, func(form string, n int) bool {
			reply.Values = append(reply.Values, wire.FacetFound{Search: form, Form: form, Count: uint64(n)})
			return step.ByCount || len(reply.Values) < step.Max
		})
		return reply, err
	}
	found, err := matching(ix, step)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, CompareFound)
	for _, f := range found {
		if !step.ByCount && len(reply.Values) >= step.Max {
			break
		}
		docs, err := ix.String(step.Field, f.Form)
		if err != nil {
			return nil, err
		}
		if n := docs.AndLen(candidates); n > 0 {
			f.Count = uint64(n)
			reply.Values = append(reply.Values, f)
		}
	}
	return reply, nil
}

// CompareFound is the order of a facet search.
func CompareFound(a, b wire.FacetFound) int {
	if c := strings.Compare(a.Search, b.Search); c != 0 {
		return c
	}
	return strings.Compare(a.Form, b.Form)
}

func walkCounted(ix Index, candidates docset.Set, step *wire.FacetSearchStep, visit func(form string, n int) bool) error {
	return ix.Strings(step.Field, false, func(form string, docs docset.Set) bool {
		n := docs.AndLen(candidates)
		return n == 0 || visit(form, n)
	})
}

// matching lists the values whose facet-search form matches, without counts.
func matching(ix Index, step *wire.FacetSearchStep) ([]wire.FacetFound, error) {
	locales := language.ParseLanguages(step.Locales)
	matches := func(search string) bool { return search == step.Query }
	if step.Match == wire.FacetPrefix {
		matches = func(search string) bool { return strings.HasPrefix(search, step.Query) }
		if step.Typos > 0 {
			automaton := lexicon.NewAutomaton(step.Query, step.Typos, true)
			matches = func(search string) bool { _, ok := automaton.Match(search); return ok }
		}
	}
	var found []wire.FacetFound
	err := ix.StringForms(step.Field, func(form string, _ func() (docset.Set, error)) bool {
		search := text.FacetSearchForm(form, locales)
		if matches(search) {
			found = append(found, wire.FacetFound{Search: search, Form: strings.Clone(form)})
		}
		return true
	})
	return found, err
}
