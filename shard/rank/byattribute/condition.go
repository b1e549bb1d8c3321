package byattribute

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/wire"
)

// pairCondition evaluates one condition of the rule proximity with byAttribute. present
// is the set of derivations that have ranked documents on any shard: single words of
// left, phrases of left, phrases of right, then every phrase of left with every phrase
// of right. Only these are queried.
type pairCondition struct {
	f           *Pairs
	left, right *side
	index       int
	present     []uint64
	// touched is the set of terms whose splits were looked up.
	touched uint64
	// absent are the single words of left that are not queried.
	absent map[string]struct{}
}

func bitAt(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }

// derivations returns the number of derivations in present.
func derivations(left, right *side) int {
	return len(left.words) + len(left.phrases) + len(right.phrases) + len(left.phrases)*len(right.phrases)
}

// present finds the derivations of a condition with ranked documents. If right has one
// derivation only, single words of left are not checked.
func (a *Rule) present(c *wire.SharedFieldCondition) ([]uint64, error) {
	if c.Index == wire.NearWhole {
		return nil, nil
	}
	left, right, err := a.f.ends(c)
	if err != nil {
		return nil, err
	}
	set := query.NewBits(derivations(left, right) + 1)
	for i, w := range left.words {
		if right.firsts() <= 1 {
			set.Add(uint16(i))
			continue
		}
		some, err := a.ranked(w, left.term.IsNgram() || left.typo(w))
		if err != nil {
			return nil, err
		}
		if some {
			set.Add(uint16(i))
		}
	}
	if len(left.phrases)+len(right.phrases) == 0 {
		return set, nil
	}
	at := uint16(len(left.words))
	note := func(docs docset.Set) {
		if !docs.Empty() {
			set.Add(at)
		}
		at++
	}
	rights := make([]docset.Set, len(right.phrases))
	lefts := make([]docset.Set, len(left.phrases))
	for i, p := range left.phrases {
		if lefts[i], err = a.s.PhraseWithin(p, a.left); err != nil {
			return nil, err
		}
		note(lefts[i])
	}
	for i, p := range right.phrases {
		if rights[i], err = a.s.PhraseWithin(p, a.left); err != nil {
			return nil, err
		}
		note(rights[i])
	}
	for i := range lefts {
		for k := range rights {
			note(lefts[i].And(rights[k]))
		}
	}
	return set, nil
}

// ranked reports whether a ranked document has a word in a searched field. For derived
// words, exact fields do not count.
func (a *Rule) ranked(w string, derived bool) (bool, error) {
	docs, err := a.s.Word(w, derived)
	if err != nil || !a.s.Restricted || !docs.Intersects(a.left) {
		return docs.Intersects(a.left), err
	}
	docs, err = a.s.InFields(columns.Key{Text: w}, derived, a.left)
	return !docs.Empty(), err
}

// typo reports whether a single word of the node is a typo.
func (d *side) typo(w string) bool {
	_, ok := d.typos[w]
	return ok
}

// asked reports whether the pairs of a phrase of each node are queried; -1 stands for
// no phrase.
func (m *pairCondition) asked(lp, rp int) bool {
	at := len(m.left.words)
	switch {
	case lp < 0 && rp < 0:
		return true
	case rp < 0:
		return bitAt(m.present, at+lp)
	case lp < 0:
		return bitAt(m.present, at+len(m.left.phrases)+rp)
	}
	at += len(m.left.phrases) + len(m.right.phrases)
	return bitAt(m.present, at+lp*len(m.right.phrases)+rp)
}

// note records the pairs that the condition queries among the ranked documents, in the
// order of its queries.
func (m *pairCondition) note(ranked docset.Set) error {
	singles := wordSet{of: m.left}
	if m.right.prefix != "" {
		prefix := oneWord(m.right.prefix)
		see(&m.f.prefixed, singles, prefix, ranked, m.touched)
		see(&m.f.plain, prefix, singles, ranked, m.touched)
	}
	for i, w := range m.left.words {
		if !bitAt(m.present, i) {
			if m.absent == nil {
				m.absent = make(map[string]struct{})
			}
			m.absent[w] = struct{}{}
		}
	}
	singles.without = m.absent
	see(&m.f.plain, singles, wordSet{of: m.right}, ranked, m.touched)
	if m.index >= 1 {
		see(&m.f.plain, wordSet{of: m.right}, singles, ranked, m.touched)
	}
	for lp := -1; lp < len(m.left.phrases); lp++ {
		if err := m.notePhrases(lp, singles, ranked); err != nil {
			return err
		}
	}
	return nil
}

// notePhrases records the pairs of one phrase of left, or its single words, with the
// phrases of right.
func (m *pairCondition) notePhrases(lp int, singles wordSet, ranked docset.Set) (err error) {
	left, within := singles, ranked
	if lp >= 0 {
		p := m.left.phrases[lp]
		if p[len(p)-1] == "" || !m.asked(lp, -1) {
			return nil
		}
		if within, err = m.f.s.PhraseWithin(p, ranked); err != nil {
			return err
		}
		left = oneWord(p[len(p)-1])
		if m.right.prefix != "" {
			see(&m.f.prefixed, left, oneWord(m.right.prefix), within, m.touched)
		}
		see(&m.f.plain, left, wordSet{of: m.right}, within, m.touched)
	}
	for rp, q := range m.right.phrases {
		if q[0] == "" || !m.asked(lp, rp) {
			continue
		}
		docs, err := m.f.s.PhraseWithin(q, within)
		if err != nil {
			return err
		}
		see(&m.f.plain, left, oneWord(q[0]), docs, m.touched)
	}
	return nil
}

// any reports whether a document matches the condition by one of its pairs.
func (m *pairCondition) any(ord uint32, pairs []shared) bool {
	for i := range pairs {
		if m.holds(ord, &pairs[i]) {
			return true
		}
	}
	return false
}

func (m *pairCondition) holds(ord uint32, p *shared) bool {
	if !m.asked(int(p.lp), int(p.rp)) || p.lp >= 0 && !m.asked(int(p.lp), -1) {
		return false
	}
	switch p.kind {
	case prefixPair:
		return m.f.matchesPrefix(ord, p.l, p.r)
	case behindPair:
		return m.f.matches(ord, p.r, p.l)
	}
	if _, ok := m.absent[p.l]; ok && p.lp < 0 {
		return false
	}
	if m.f.matches(ord, p.l, p.r) {
		return true
	}
	return m.index >= 1 && p.lp < 0 && p.rp < 0 && m.f.matches(ord, p.r, p.l)
}
