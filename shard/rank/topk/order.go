package topk

import (
	"slices"

	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// follow finds the occurrences of all nodes from a document's word order. The document
// must be among those told by divisible. It returns false if the order is not
// sufficient, or after an error.
func (t *top) follow(ord uint32) bool {
	low, columns := uint16(ord), t.columns.Of(ord)
	if columns == nil {
		return false
	}
	bm, at := t.matched, matchKey{columns, uint16(ord >> 16)}
	if bm == nil || bm.matchKey != at {
		if bm = t.matches[at]; bm == nil {
			if bm, t.err = t.matchBlock(at); t.err != nil {
				return false
			}
			t.matches[at] = bm
		}
		t.matched = bm
	}
	codes := columns.OrderOf(low, &t.codes)
	if t.wordOrder = codes; len(codes) == 0 {
		return false
	}
	nodes := t.extract.Nodes
	for k := range nodes {
		n := &nodes[k]
		n.Words, n.Ahead, n.Ends, n.Heads, n.Own = n.Words[:0], n.Ahead[:0], n.Ends[:0], n.Heads[:0], n.Own[:0]
	}
	bm.doc = followed{low, bm.doc.turn + 1, columns.Distinct(low)}
	for k := range bm.nodes {
		bm.nodes[k].clear()
	}
	if !bm.read(codes, nodes) {
		return false
	}
	for k := range nodes {
		bm.nodes[k].join(t.s, &nodes[k])
	}
	return true
}

// wordsIn counts the words of a field in a document's codes, up to most.
func wordsIn(codes []uint16, field uint16, most int) (n int) {
	in := false
	for _, code := range codes {
		switch {
		case code < columns.CodeBack:
			if in {
				if n++; n == most {
					return n
				}
			}
		case code >= columns.CodeField && code < columns.CodeGap:
			if in {
				return n
			}
			in = code-columns.CodeField == field
		}
	}
	return n
}

// read adds the occurrences of the nodes in the document's codes. It returns false if
// the codes are ambiguous.
func (bm *blockMatch) read(codes []uint16, nodes []scope.NodePlaces) bool {
	filter, field, next := &bm.filter, uint16(0), uint16(0)
	for i := 0; i < len(codes); i++ {
		for i+4 <= len(codes) { // most words belong to no node
			q := codes[i : i+4 : i+4]
			if filter[q[0]>>filterShift]|filter[q[1]>>filterShift]|filter[q[2]>>filterShift]|filter[q[3]>>filterShift] != 0 {
				break
			}
			next += 4
			i += 4
		}
		if i == len(codes) {
			break
		}
		switch code := codes[i]; {
		case code < columns.CodeBack:
			if of := filter[code>>filterShift]; of != 0 && !bm.note(nodes, of, code, record.Occurrence{Field: field, Position: next}) {
				return false
			}
			next++
		case code == columns.CodeBack:
			next--
		case code < columns.CodeGap:
			field, next = code-columns.CodeField, 0
		default:
			next += code - columns.CodeGap
		}
	}
	return true
}

// note adds an occurrence to the nodes that have the word. It returns false if that is
// ambiguous.
func (bm *blockMatch) note(nodes []scope.NodePlaces, of uint8, code uint16, at record.Occurrence) bool {
	for k := range nodes {
		if of>>min(k, LastNode)&1 != 0 && !bm.nodes[k].note(&nodes[k], code, &bm.doc, at) {
			return false
		}
	}
	return true
}

// note adds an occurrence to a node if the word is one of its words. It returns false
// if that is ambiguous.
func (m *match) note(n *scope.NodePlaces, code uint16, doc *followed, at record.Occurrence) bool {
	if code&1 == 0 { // a word without column
		return m.noteRare(n, code, doc, at)
	}
	if code == m.text {
		n.Words, n.Own = append(n.Words, at), append(n.Own, at)
	}
	if code-m.first < m.width && m.first != columns.NoCode {
		switch {
		case m.ahead:
			n.Ahead = append(n.Ahead, at)
		case code != m.own:
			n.Words = append(n.Words, at)
		}
	}
	if _, ok := slices.BinarySearch(m.typos, code); ok {
		n.Words = append(n.Words, at)
	}
	if i, ok := slices.BinarySearchFunc(m.parts, code, part.compare); ok {
		word := m.parts[i].word
		m.places[word] = append(m.places[word], at)
	}
	return true
}

// noteRare is note for words without column.
func (m *match) noteRare(n *scope.NodePlaces, code uint16, doc *followed, at record.Occurrence) bool {
	if in := code - m.first; in <= m.width && m.first != columns.NoCode {
		switch {
		case in == 0 || in == m.width:
			if !m.edges {
				return false
			}
		case m.ahead:
			n.Ahead = append(n.Ahead, at)
		default:
			n.Words = append(n.Words, at)
		}
	}
	for i := range m.rare {
		r := &m.rare[i]
		switch {
		case r.code != code || !r.docs.Contains(doc.low):
			continue
		case r.seen == doc.turn && !doc.distinct:
			return false // ambiguous: only one of the places is its word
		}
		r.seen = doc.turn
		if r.part > 0 {
			m.places[r.part-1] = append(m.places[r.part-1], at)
			continue
		}
		if r.own {
			n.Own = append(n.Own, at)
		}
		if r.ahead {
			n.Ahead = append(n.Ahead, at)
		} else {
			n.Words = append(n.Words, at)
		}
	}
	return true
}
