package rank

import (
	"slices"

	"shoal/query"
	"shoal/shard/record"
)

// match tells which codes of a block are words of a node.
type match struct {
	// text is the code of the term itself when it is a word, noCode without.
	text uint16
	// first is the code before the words in the prefix range of the node and width
	// the distance to the one behind them: what is in between is in the range, of
	// these two themselves nobody knows. ahead: words of the range only count behind
	// their left neighbour; own is the one of them that is no extension.
	first, width uint16
	ahead        bool
	own          uint16
	// typos ascend; hint has the bits of their low ends.
	typos []uint16
	hint  uint64
}

// noCode is the code of no word.
const noCode = 0xffff

// match finds the codes of a node.
func (b *BlockColumns) match(s *Session, ref query.Ref) match {
	t, sub := &s.terms[ref.Term], ref.Sub
	m := match{text: noCode, first: noCode, own: noCode}
	if sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		if m.own = b.code(t.Text); t.Known {
			m.text = m.own
		}
		m.ahead = t.UsesCache(sub)
		if m.ahead || sub&query.Zero != 0 && len(t.Extensions) > 0 {
			last := ""
			if !m.ahead {
				last = lastExtension(t)
			}
			lo, n := b.rangeAt(t.Text, last)
			m.first, m.width = uint16(2*lo), uint16(2*n)
		}
	}
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if sub&group == 0 {
			continue
		}
		for _, w := range typoList(t, group) {
			if c := b.code(w); c != noCode {
				m.typos, m.hint = append(m.typos, c), m.hint|1<<(c>>1&63)
			}
		}
	}
	slices.Sort(m.typos)
	return m
}

// code returns the code of a word, noCode without column.
func (b *BlockColumns) code(w string) uint16 {
	if i, ok := b.find(w); ok {
		return uint16(2*i + 1)
	}
	return noCode
}

// may tells whether a code may be a word of the node.
func (m *match) may(code uint16) bool {
	return code == m.text || code-m.first <= m.width || m.hint>>(code>>1&63)&1 != 0
}

// note adds a place to a node if the word there is one of its words; false when
// that cannot be told.
func (m *match) note(n *nodePlaces, code uint16, at record.Occurrence) bool {
	if code == m.text {
		n.words = append(n.words, at)
	}
	if in := code - m.first; in <= m.width && m.first != noCode {
		switch {
		case in == 0 || in == m.width:
			return false
		case m.ahead:
			n.ahead = append(n.ahead, at)
		case code != m.own:
			n.words = append(n.words, at)
		}
	}
	if _, ok := slices.BinarySearch(m.typos, code); ok {
		n.words = append(n.words, at)
	}
	return true
}

// follow reads the places of all nodes off the words of a document in their order.
// The columns must tell everything about the document (divisible). It returns false
// when they do not tell the order, or not exactly.
func (t *top) follow(ord uint32) bool {
	low, block := uint16(ord), uint16(ord>>16)
	b := t.columns.blocks[block]
	codes := b.order.of(low)
	if len(codes) == 0 {
		return false
	}
	nodes := t.extract.nodes
	matches, ok := t.matches[block]
	if !ok {
		for _, ref := range t.refs {
			matches = append(matches, b.match(t.s, ref))
		}
		t.matches[block] = matches
	}
	for k := range nodes {
		n := &nodes[k]
		n.words, n.ahead, n.ends, n.heads = n.words[:0], n.ahead[:0], n.ends[:0], n.heads[:0]
	}
	field, next := uint16(0), uint16(0)
	for _, code := range codes {
		switch {
		case code < codeBack:
			for k := range matches {
				if m := &matches[k]; m.may(code) && !m.note(&nodes[k], code, record.Occurrence{Field: field, Position: next}) {
					return false
				}
			}
			next++
		case code == codeBack:
			next--
		case code < codeGap:
			field, next = code-codeField, 0
		default:
			next += code - codeGap
		}
	}
	return true
}
