package union

import (
	"slices"
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/posting"
	"shoal/shard/rank/columns"
	"shoal/shard/version"
)

// State is some shards of an index, each at one version, read as one. Immutable and
// reference counted; safe for concurrent use.
type State struct {
	version.Space
	parts []*version.Version
	// bases are the first blocks of the parts.
	bases []uint16
	line  *line
	// kept are the cached posting lists of the line when the state was created. number
	// is the state's position in the line, 0 while it may not be the newest.
	kept   posting.Line
	number atomic.Uint64

	columns atomic.Pointer[united]
	refs    atomic.Int32
}

// united are united columns and their sources.
type united struct {
	of  []*columns.Columns
	all *columns.Columns
}

// newState unites versions, whose references it takes over, and returns a state with
// one reference for the caller. before is an older state of the line, or nil.
func newState(l *line, parts []*version.Version, bases []uint16, before *State) *State {
	s := &State{parts: parts, bases: bases, line: l}
	s.refs.Store(1)
	s.Space.Unite(l.shared, parts, bases, s.posting)
	var change version.Change
	follows := false
	if before != nil {
		change, follows = since(parts, bases, before)
	}
	words, exact, known := (*lexicon.Dictionary)(nil), (*lexicon.Dictionary)(nil), false
	if follows {
		words, exact, known = derived(before, parts, &change)
	}
	if known {
		s.SetDictionaries(words, exact)
	} else {
		s.SumDictionaries()
	}
	if follows && slices.Equal(bases, before.bases) {
		s.Space.Inherit(&before.Space, change.Docs)
	}
	return s
}

// derived returns the dictionaries after a change since an older state. ok is false if those
// of the older state or of a part were not used yet.
func derived(before *State, parts []*version.Version, change *version.Change) (words, exact *lexicon.Dictionary, ok bool) {
	if words, exact, ok = before.UsedDictionaries(); !ok {
		return nil, nil, false
	}
	all, exacts := make([]*lexicon.Dictionary, len(parts)), make([]*lexicon.Dictionary, len(parts))
	for i, part := range parts {
		if all[i], exacts[i], ok = part.UsedDictionaries(); !ok {
			return nil, nil, false
		}
	}
	return words.Overlay(counts(change.Words, all)), exact.Overlay(counts(change.Exact, exacts)), true
}

// since returns how versions differ from those of an older state.
func since(parts []*version.Version, bases []uint16, before *State) (all version.Change, ok bool) {
	docs := make([]docset.Set, len(parts))
	for i, part := range parts {
		change, ok := part.Since(before.parts[i])
		if !ok {
			return version.Change{}, false
		}
		docs[i] = change.Docs
		all.Words, all.Exact = append(all.Words, change.Words...), append(all.Exact, change.Exact...)
	}
	all.Docs = docset.Joined(docs, bases)
	slices.Sort(all.Words)
	slices.Sort(all.Exact)
	all.Words, all.Exact = slices.Compact(all.Words), slices.Compact(all.Exact)
	return all, true
}

// counts adds up the counts of some words.
func counts(words []string, dictionaries []*lexicon.Dictionary) []lexicon.Change {
	out := make([]lexicon.Change, len(words))
	for i, w := range words {
		out[i].Word = w
		for _, d := range dictionaries {
			out[i].Count += d.Count(w)
		}
	}
	return out
}

// acquire takes a reference. It returns false if the state is already released.
func (s *State) acquire() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release releases a reference. The last one releases the versions.
func (s *State) Release() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, part := range s.parts {
		part.Release()
	}
}

// Newest returns the version of the newest part. Its settings apply to all parts.
func (s *State) Newest() *version.Version {
	newest := s.parts[0]
	for _, part := range s.parts[1:] {
		if part.State().Version > newest.State().Version {
			newest = part
		}
	}
	return newest
}

// posting returns a posting list of all parts together. For the newest state the united
// list is cached, for others the lists of the parts.
func (s *State) posting(p posting.List) (docset.Set, error) {
	if n := s.number.Load(); n != 0 {
		return s.kept.Posting(p, n, s.line.caching.Load, func(p posting.List) (docset.Set, error) {
			return s.unite(p, (*version.Version).ReadPosting)
		})
	}
	return s.unite(p, (*version.Version).Posting)
}

func (s *State) unite(p posting.List, read func(*version.Version, posting.List) (docset.Set, error)) (docset.Set, error) {
	sets := make([]docset.Set, len(s.parts))
	var err error
	for i, part := range s.parts {
		if sets[i], err = read(part, p); err != nil {
			return docset.Set{}, err
		}
	}
	return docset.Joined(sets, s.bases), nil
}

// Columns returns the positions of frequent words known so far.
func (s *State) Columns() *columns.Columns {
	known := s.columns.Load()
	same := known != nil
	for i, part := range s.parts {
		same = part.Columns() == at(known, i) && same // calls Columns on each part, which records the search
	}
	if same {
		return known.all
	}
	made := &united{of: make([]*columns.Columns, len(s.parts))}
	for i, part := range s.parts {
		made.of[i] = part.Columns()
	}
	made.all = columns.Joined(made.of, s.bases)
	s.columns.Store(made)
	return made.all
}

func at(c *united, i int) *columns.Columns {
	if c == nil {
		return nil
	}
	return c.of[i]
}
