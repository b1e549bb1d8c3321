package facet

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"shoal/shard/lexicon"
	"shoal/text"
	"shoal/text/language"
	"shoal/wire"
)

// names are the strings of a column in the order of a facet search.
type names struct {
	locales string // of the facet-search forms
	list    []name
	bytes   int
}

// name is one string: its facet-search form, and its number among the forms of the
// column.
type name struct {
	search string
	form   uint32
}

// namesKey identifies the names of a facet.
type namesKey struct {
	fid     uint16
	locales string
}

// nameBytes and labelBytes are the sizes of a name and of a label without their texts.
// A label that is longer than its form by more than labelSlack is not kept.
const nameBytes, labelBytes, labelSlack = 24, 8 + 32, 16

// namesOf returns the names of a column, which are cached if there is room.
func (c *Columns) namesOf(ctx context.Context, fid uint16, kept *column, locales []string) (*names, error) {
	key := namesKey{fid, strings.Join(locales, ",")}
	if n := c.knownNames(key); n != nil {
		return n, nil
	}
	return c.naming.Do(ctx, key, func() (*names, error) {
		if n := c.knownNames(key); n != nil {
			return n, nil
		}
		n := nameForms(kept.forms, locales)
		n.locales = key.locales
		c.keepNames(fid, n)
		return n, nil
	})
}

func (c *Columns) knownNames(key namesKey) *names {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.names[key.fid]; n != nil && n.locales == key.locales {
		return n
	}
	return nil
}

// keepNames caches names instead of those for other languages.
func (c *Columns) keepNames(fid uint16, n *names) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.names[fid]; old != nil {
		c.bytes -= old.bytes
		delete(c.names, fid)
	}
	if !c.take(n.bytes) {
		return
	}
	if c.names == nil {
		c.names = make(map[uint16]*names)
	}
	c.names[fid] = n
}

// nameForms sorts forms by their facet-search forms, then by themselves.
func nameForms(forms []string, locales []string) *names {
	languages := language.ParseLanguages(locales)
	n := &names{list: make([]name, len(forms)), bytes: nameBytes * len(forms)}
	for i, form := range forms {
		search := text.FacetSearchForm(form, languages)
		if search != form {
			n.bytes += len(search)
		}
		n.list[i] = name{search, uint32(i)}
	}
	slices.SortStableFunc(n.list, func(a, b name) int { return strings.Compare(a.search, b.search) })
	return n
}

// matching returns the names that a step looks for.
func (n *names) matching(step *wire.FacetSearchStep) []name {
	if step.Match == wire.FacetPrefix && step.Typos > 0 {
		automaton := lexicon.NewAutomaton(step.Query, step.Typos, true)
		var found []name
		for _, one := range n.list {
			if _, ok := automaton.Match(one.search); ok {
				found = append(found, one)
			}
		}
		return found
	}
	from := sort.Search(len(n.list), func(i int) bool { return n.list[i].search >= step.Query })
	rest := n.list[from:]
	return rest[:sort.Search(len(rest), func(i int) bool {
		return step.Match == wire.FacetWhole && rest[i].search != step.Query || !strings.HasPrefix(rest[i].search, step.Query)
	})]
}

// labels are the spellings of strings in their lowest document, by number of the form,
// as far as they are known.
type labels []atomic.Pointer[wire.FacetLabel]

// labelsOf returns the labels of a column; nil if there is no room for them.
func (c *Columns) labelsOf(fid uint16, kept *column) labels {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.labels[fid]; ok {
		return l
	}
	bytes := labelBytes * len(kept.forms)
	for _, form := range kept.forms {
		bytes += len(form) + labelSlack
	}
	var l labels
	if c.take(bytes) {
		l = make(labels, len(kept.forms))
	}
	if c.labels == nil {
		c.labels = make(map[uint16]labels)
	}
	c.labels[fid] = l
	return l
}

// finder looks up numbers of forms, fastest in ascending order.
type finder struct {
	forms []string
	at    int
}

func (f *finder) find(form string) (number int, ok bool) {
	if f.at >= len(f.forms) || f.forms[f.at] > form {
		f.at = 0
	}
	// The form is mostly near the previous one.
	from, step := f.at, 1
	for from+step < len(f.forms) && f.forms[from+step] < form {
		from, step = from+step, 2*step
	}
	i, ok := slices.BinarySearch(f.forms[from:min(from+step+1, len(f.forms))], form)
	f.at = from + i
	return f.at, ok
}
