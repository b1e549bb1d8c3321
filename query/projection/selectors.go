package projection

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Selectors are dotted names relative to an object. The zero value selects nothing. A
// lookup costs the logarithm of their number and copies nothing, because a document may
// have as many members as there are names.
type Selectors struct {
	names []string // sorted, different, equal up to from
	from  int      // start of the part that is relative to the object
}

// NewSelectors returns the selectors of the names, which it does not keep.
func NewSelectors(names []string) Selectors {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return Selectors{names: slices.Compact(sorted)}
}

// Empty tells that nothing is selected.
func (s Selectors) Empty() bool { return len(s.names) == 0 }

// Has tells whether a member is selected whole.
func (s Selectors) Has(member string) bool {
	_, ok := slices.BinarySearchFunc(s.names, member, func(name, member string) int { return cmp.Compare(name[s.from:], member) })
	return ok
}

// covers tells whether a member is selected whole by its name or, if the name has dots, by
// its beginning.
func (s Selectors) covers(member string) bool {
	for i := range len(member) {
		if member[i] == '.' && s.Has(member[:i]) {
			return true
		}
	}
	return s.Has(member)
}

// Under returns the selectors inside a member that is not selected whole.
func (s Selectors) Under(member string) Selectors {
	// Names with a dot after the member are adjacent. They begin after the names that lack
	// the dot, and end before names with a greater byte there.
	lo := sort.Search(len(s.names), func(i int) bool { return s.continues(i, member) >= 0 })
	n := sort.Search(len(s.names)-lo, func(i int) bool { return s.continues(lo+i, member) > 0 })
	return Selectors{names: s.names[lo : lo+n], from: s.from + len(member) + 1}
}

// continues compares the i-th name with the names that begin with the member and a dot.
func (s Selectors) continues(i int, member string) int {
	name := s.names[i][s.from:]
	if len(name) <= len(member) {
		if c := cmp.Compare(name, member); c != 0 {
			return c
		}
		return -1
	}
	if c := strings.Compare(name[:len(member)], member); c != 0 {
		return c
	}
	return cmp.Compare(name[len(member)], '.')
}
