package topk

import (
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
)

// scorer computes the key of a document from its word order or its record.
type scorer struct {
	ready   bool
	extract scope.Extractor
	// exactSets are the documents with the exact form of each node, filled when the
	// rule exact words needs them.
	exactSets []*docset.Set
	// exactNodes are the nodes of the words of the rule exact attribute, -1 for those
	// of phrases.
	exactNodes []int
	// matches has the node words in each block's columns; matched is that of the last
	// block.
	matches map[matchKey]*blockMatch
	matched *blockMatch
	// wordOrder is that of the document that was followed. codes is scratch space for it.
	wordOrder, codes []uint16
	// followed means that the word order of the present document was sufficient, read
	// that its record was read.
	followed, read bool
	// fields is scratch space of the rule exact attribute.
	fields []uint16
	// near counts the examined documents for which the first rule has its least cost,
	// least.
	near  int
	least uint32
}

// scoreAll offers the documents of a set one by one, until no later one can beat the
// worst of the best. ordered means that their word order may be followed.
func (t *top) scoreAll(set docset.Set, ordered bool) error {
	n := 0
	t.each(set, ordered, func(ord uint32) bool {
		if !t.welcome(t.ranked(t.leastKey, ord)) {
			return t.order != nil // a later one may have a lower ordinal
		}
		if t.outdone(t.leastKey, ord) {
			return true
		}
		if n++; n&255 == 0 {
			if t.err = t.interrupted(); t.err != nil {
				return false
			}
		}
		t.score(ord, ordered)
		return t.err == nil
	})
	return t.err
}

// prepare prepares the scorer.
func (t *top) prepare() error {
	t.ready, t.least = true, t.kinds[0].leastCost(t)
	x := &t.extract
	x.Features = &scope.Features{Scope: t.s}
	x.Doc.Scope = t.s
	x.Nodes = make([]scope.NodePlaces, len(t.refs))
	t.matches = make(map[matchKey]*blockMatch)
	for k, ref := range t.refs {
		if err := x.Prepare(&x.Nodes[k], ref); err != nil {
			return err
		}
	}
	for _, k := range t.kinds {
		if k.prepare == nil {
			continue
		}
		if err := k.prepare(t); err != nil {
			return err
		}
	}
	return nil
}

// score offers a document with its key. ordered means that its word order may be
// followed (divisible), which then replaces the record.
func (t *top) score(ord uint32, ordered bool) {
	if !t.ready {
		if t.err = t.prepare(); t.err != nil {
			return
		}
	}
	t.read, t.followed = false, ordered && t.placed && t.follow(ord)
	if !t.followed {
		if t.err != nil || !t.open(ord) {
			return
		}
		if x := &t.extract; t.placed {
			for k := range x.Nodes {
				x.Collect(&x.Nodes[k], ord)
			}
		}
	}
	key := uint64(0)
	for i, k := range t.kinds {
		cost, ok := k.cost(t, i, ord)
		if !ok {
			return
		}
		if i == 0 && cost == t.least {
			t.near++
		}
		key += uint64(cost) << t.shift[i]
		if !t.welcome(ranked{key: key}) || t.outdone(key, ord) {
			return // later rules cannot improve it
		}
	}
	t.keep(t.ranked(key, ord))
}

// open reads the record of a document. It returns false if there is none.
func (t *top) open(ord uint32) bool {
	if t.read {
		return true
	}
	t.extract.Doc.Tokens, t.read, t.err = t.s.Tokens().Read(ord)
	return t.read && t.err == nil
}
