package filter

// Names is a list of attribute names, each of which covers itself and everything
// below it, in a form in which a look costs the same whatever their number: both
// an index and its settings may have tens of thousands. Immutable.
type Names struct {
	first   map[string]int      // the place of a name in the list
	parents map[string]struct{} // what names lie below
}

// NewNames compiles a list, which it does not keep.
func NewNames(list []string) *Names {
	n := &Names{first: make(map[string]int, len(list)), parents: map[string]struct{}{}}
	for i, name := range list {
		if _, ok := n.first[name]; ok {
			continue
		}
		n.first[name] = i
		for parent := range Parents(name) {
			n.parents[parent] = struct{}{}
		}
	}
	return n
}

// Covering returns the place of the first name that is the field or above it.
func (n *Names) Covering(field string) (place int, ok bool) {
	place, ok = n.first[field]
	for parent := range Parents(field) {
		if i, found := n.first[parent]; found && (!ok || i < place) {
			place, ok = i, true
		}
	}
	return place, ok
}

// Covers tells whether the field or what it lies below is in the list.
func (n *Names) Covers(field string) bool {
	_, ok := n.Covering(field)
	return ok
}

// Reaches tells whether a name lies below the field.
func (n *Names) Reaches(field string) bool {
	_, ok := n.parents[field]
	return ok
}

// Match is PatternWhole for a field that is covered, PatternParent for one that a
// name lies below.
func (n *Names) Match(field string) PatternMatch {
	switch {
	case n.Covers(field):
		return PatternWhole
	case n.Reaches(field):
		return PatternParent
	}
	return PatternNone
}

// Parents yields the names that a dotted name lies below, the shortest first.
func Parents(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if name[i] == '.' && !yield(name[:i]) {
				return
			}
		}
	}
}
