package byattribute

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/wire"
)

// pairCondition is one condition of the rule proximity with byAttribute while it is
// found out. present is the set of derivations with ranked documents on any shard:
// single words of left, phrases of left, phrases of right, then every phrase of
// left with every phrase of right. Only these are asked for.
type pairCondition struct {
	f           *Pairs
	left, right *side
	index       int
	present     []uint64
	// touched is the set of terms whose splits were looked up.
	touched uint64
	// absent are the single words of left that are not asked for.
	absent map[string]struct{}
}

func bitAt(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }

// derivations is the number of derivations that present tells about.
func derivations(left, right *side) int {
	return len(left.words) + len(left.phrases) + len(right.phrases) + len(left.phrases)*len(right.phrases)
}

// present finds the derivations of a condition that have ranked documents. Single
// words of left are not looked at when right has one derivation only.
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

// ranked tells whether a ranked document has a word in a searched field; derived
// words count in fields that are not exact.
func (a *Rule) ranked(w string, derived bool) (bool, error) {
	docs, err := a.s.Word(w, derived)
	if err != nil || !a.s.Restricted || !docs.Intersects(a.left) {
		return docs.Intersects(a.left), err
	}
	docs, err = a.s.InFields(columns.Key{Text: w}, derived, a.left)
	return !docs.Empty(), err
}

// typo tells whether a single word of the node is a typo.
func (d *side) typo(w string) bool {
	_, ok := d.typos[w]
	return ok
}

// asked tells whether the pairs of a phrase (or none, -1) of each node are asked
// for.
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

// note records what the condition asks for among the ranked documents, in the
// order in which it does.
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

// notePhrases records what is asked for with one phrase of left, or with its single
// words, and the phrases of right.
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

// any tells whether a document matches the condition by one of the pairs it has.
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
