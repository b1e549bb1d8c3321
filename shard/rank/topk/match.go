package topk

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// blockMatch maps the codes of a block to words of the nodes of a chain.
type blockMatch struct {
	matchKey
	nodes []match
	// filter has, for every 32 codes, the nodes of which they may be words, by bit. It
	// is nonzero for codes that are not words, too.
	filter [1 << 16 >> filterShift]uint8
	doc    followed // the present one
}

// matchKey identifies columns and the block of the space that they are used for.
type matchKey struct {
	columns *columns.BlockColumns
	block   uint16
}

// followed is a document whose word order is being followed. turn numbers these
// documents. distinct means that each of its codes is one word.
type followed struct {
	low      uint16
	turn     uint32
	distinct bool
}

const (
	filterShift = 5
	// maxRareRange is the largest number of words without column in a prefix range that
	// are looked up. Beyond it, reading the record is faster.
	maxRareRange = 64
)

// LastNode is the filter bit that all later nodes share. It changes no answer; tests
// lower it from 7.
var LastNode = 7

// match tells which codes of a block are words of a node.
type match struct {
	// text is the code of the term's own word if it has a column, else NoCode.
	text uint16
	// first is the code before the words in the prefix range of the node, and
	// first+width is the code after them. Codes in between are in the range. The two
	// outer codes are ambiguous unless edges is set; then rare has the words of the
	// range with these codes. ahead: words of the range count only after their left
	// neighbour. own is the code of the word in the range that is not an extension.
	first, width uint16
	ahead, edges bool
	own          uint16
	// typos are the codes of typos with columns, ascending. rare are the words without
	// column.
	typos []uint16
	rare  []rareWord
	// phrases are those of the node. parts are their words with columns, by code, and
	// places the occurrences of all their words in the present document.
	phrases []phrase
	parts   []part
	places  [][]record.Occurrence
}

// rareWord is a word of a node without a column in the block. Its code may be shared. A
// document that has the word and the code once has the word there.
type rareWord struct {
	code  uint16
	ahead bool
	// own: it is the term itself. part: it is a word of a phrase, with this number plus
	// one.
	own  bool
	part int
	docs docset.Container
	// seen is the turn of the last document with it.
	seen uint32
}

// matchBlock finds the codes of the nodes in the columns of a block.
func (t *top) matchBlock(at matchKey) (*blockMatch, error) {
	bm := &blockMatch{matchKey: at, nodes: make([]match, len(t.refs))}
	for k, ref := range t.refs {
		var err error
		if bm.nodes[k], err = bm.match(t.s, ref, &t.keys[k], t.spreads[k]); err != nil {
			return nil, err
		}
		bm.pass(&bm.nodes[k], 1<<min(k, LastNode))
	}
	for i := columns.CodeBack >> filterShift; i < len(bm.filter); i++ {
		bm.filter[i] |= 1 << LastNode
	}
	return bm, nil
}

// match finds the codes of a node.
func (bm *blockMatch) match(s *scope.Scope, ref query.Ref, keys *nodeKeys, sp *columns.Spread) (match, error) {
	t, sub := &s.Terms[ref.Term], ref.Sub
	m := match{text: columns.NoCode, first: columns.NoCode, own: columns.NoCode}
	at := sp.At(bm.columns)
	find := func(i int) columns.WordAt {
		if i < len(at) {
			return at[i]
		}
		return bm.find(keys.list[i].Text)
	}
	if sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		var own columns.WordAt
		if keys.plain && !keys.list[0].Prefix {
			own = find(0)
		} else {
			own = bm.find(t.Text)
		}
		if m.own = codeAt(own); t.Known {
			m.text = m.own
			if err := bm.rare(s, &m, t.Text, own, rareWord{}); err != nil {
				return m, err
			}
			if len(m.rare) > 0 {
				m.rare[0].own = true
			}
		}
		m.ahead = t.UsesCache(sub)
		if m.ahead || sub&query.Zero != 0 && len(t.Extensions) > 0 {
			if err := bm.matchRange(s, &m, t, sp); err != nil {
				return m, err
			}
		}
	}
	first := 0
	if keys.plain {
		first = 1
	}
	for i := first; i < keys.alone; i++ {
		typo := find(i)
		if typo.Found {
			m.typos = append(m.typos, codeAt(typo))
		} else if err := bm.rare(s, &m, keys.list[i].Text, typo, rareWord{}); err != nil {
			return m, err
		}
	}
	slices.Sort(m.typos)
	return m, bm.matchPhrases(s, &m, keys)
}

// find looks up a word.
func (bm *blockMatch) find(w string) columns.WordAt {
	n, ok := bm.columns.Find(w)
	return columns.WordAt{Number: n, Found: ok}
}

// codeAt returns the code of a word, NoCode if it has no column.
func codeAt(at columns.WordAt) uint16 {
	if at.Found {
		return uint16(2*at.Number + 1)
	}
	return columns.NoCode
}

// matchRange finds the codes of a prefix range.
func (bm *blockMatch) matchRange(s *scope.Scope, m *match, t *query.Term, sp *columns.Spread) error {
	last := ""
	if !m.ahead {
		last = scope.LastExtension(t)
	}
	lo, n := bm.columns.RangeAt(t.Text, last)
	if m.first, m.width = uint16(2*lo), uint16(2*n); !sp.Listed {
		return nil
	}
	before, behind := sp.Ranged, []string(nil)
	if n > 0 { // words between words with columns have codes in between
		from, _ := slices.BinarySearch(sp.Ranged, bm.columns.WordAt(lo))
		to, _ := slices.BinarySearch(sp.Ranged, bm.columns.WordAt(lo+n-1))
		before, behind = sp.Ranged[:from], sp.Ranged[to:]
	}
	if m.edges = len(before)+len(behind) <= maxRareRange; !m.edges {
		return nil
	}
	for _, words := range [2][]string{before, behind} {
		for _, w := range words {
			if !m.ahead && w == t.Text {
				continue
			}
			if err := bm.rare(s, m, w, bm.find(w), rareWord{ahead: m.ahead}); err != nil {
				return err
			}
		}
	}
	return nil
}

// rare adds a word of a node if the block has documents with it but no column.
func (bm *blockMatch) rare(s *scope.Scope, m *match, w string, at columns.WordAt, r rareWord) error {
	if at.Found {
		return nil
	}
	docs, err := s.Word(w, false)
	if err != nil {
		return err
	}
	if r.docs = docs.Block(bm.block); !r.docs.Empty() {
		r.code = uint16(2 * at.Number)
		m.rare = append(m.rare, r)
	}
	return nil
}

// pass lets the codes of a node pass the filter.
func (bm *blockMatch) pass(m *match, bit uint8) {
	let := func(code uint16) { bm.filter[code>>filterShift] |= bit }
	if m.text != columns.NoCode {
		let(m.text)
	}
	if m.first != columns.NoCode {
		for c := m.first >> filterShift; c <= (m.first+m.width)>>filterShift; c++ {
			bm.filter[c] |= bit
		}
	}
	for _, c := range m.typos {
		let(c)
	}
	for i := range m.rare {
		let(m.rare[i].code)
	}
	for i := range m.parts {
		let(m.parts[i].code)
	}
}
