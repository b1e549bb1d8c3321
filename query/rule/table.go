package rule

import (
	"shoal/query"
)

// Kind names what a ranking rule compares.
type Kind uint8

// The kinds of rules. ExactAttribute and ExactWords are the two halves of
// exactness; attribute is AttributeRank followed by WordPosition.
const (
	Words Kind = iota + 1
	Typo
	Proximity
	AttributeRank
	WordPosition
	ExactAttribute
	ExactWords
	Sort
	Geo
	Vector
	Random
	// Kinds is one more than the last kind. The numbers are sent between nodes, so new
	// kinds come last. Nodes refuse unknown kinds, so a search uses one only once the log
	// is of their version (wire.ValueProgram).
	Kinds
)

// row holds everything about one kind of rule. To add a rule, add its kind, its row here,
// its row in shard/rank/rules, and its name in api/settings.
type row struct {
	// of are the names in the settings that select the rule. It is empty for rules that a
	// request brings.
	of []string
	// label is the name of a ranked rule in explanations, "" for rules that compare values.
	// detail is its member in the details of a score, with counts. It is "" if the counts
	// depend on more than the rank.
	label, detail string
	counts        []Count
	// edge is the greatest cost of an edge from node n to node s, which is not End; nil
	// means 0.
	edge func(c *CostContext, g *query.Graph, n, s uint16) uint32
	// rank is the maximum rank of a rule whose costs are not those of paths. more is added
	// to the maximum rank of paths.
	rank uint32
	more func(c *CostContext, g *query.Graph) uint32
	// narrow is the part of a node's derivations that remains after an edge of some order;
	// nil means all of them. A rule with narrow or skips narrows even a graph with a single
	// path.
	narrow func(t *query.Term, s query.Subset, order uint32) query.Subset
	skips  bool
	// combines tells whether this rule can rank documents together with others at once
	// (package topk of the shards): its costs fit into a key, and it needs the graph
	// unnarrowed.
	combines combination
}

// combination is how a rule takes part in ranking by several rules at once.
type combination uint8

const (
	alone   combination = iota // not at all
	byCost                     // by its costs
	byValue                    // by the rank of a value among all values of a field
)

var rows = [Kinds]row{
	Words: {
		of: []string{"words"}, label: "words", detail: "words",
		counts: []Count{
			{"matchingWords", func(rank, _ uint32) uint32 { return rank }},
			{"maxMatchingWords", func(_, most uint32) uint32 { return most }},
		},
		edge: wordsEdge, more: phraseWords, skips: true,
	},
	Typo: {
		of: []string{"typo"}, label: "typo", detail: "typo",
		counts: []Count{
			{"typoCount", func(rank, most uint32) uint32 { return most - rank }},
			{"maxTypoCount", func(_, most uint32) uint32 { return most - 1 }},
		},
		edge: typoEdge, narrow: func(_ *query.Term, s query.Subset, order uint32) query.Subset { return s.TypoGroup(int(order)) },
	},
	Proximity: {
		of: []string{"proximity"}, label: "proximity", detail: "proximity",
		edge: proximityEdge, combines: byCost,
	},
	AttributeRank: {
		of: []string{"attribute", "attributeRank"}, label: "attribute rank",
		edge: sized(func(c *CostContext) uint32 { return c.MaxWeight }), combines: byCost,
	},
	WordPosition: {
		of: []string{"attribute", "wordPosition"}, label: "word position", detail: "wordPosition",
		edge: sized(func(*CostContext) uint32 { return MaxPosition }), combines: byCost,
	},
	ExactAttribute: {of: []string{"exactness"}, label: "exact attribute", rank: 3, combines: byCost},
	ExactWords: {
		of: []string{"exactness"}, label: "exact words",
		edge: sized(func(*CostContext) uint32 { return 1 }), narrow: onlyExact, combines: byCost,
	},
	Sort:   {combines: byValue},
	Geo:    {},
	Vector: {},
	Random: {},
}

// Count is a number that the details of a score derive from a rank.
type Count struct {
	Name string
	// Of computes it from a rank and the greatest rank.
	Of func(rank, most uint32) uint32
}

// Label is the name of a ranked rule in explanations.
func (k Kind) Label() string { return k.row().label }

// Name is the name of the rule in logs.
func (k Kind) Name() string {
	switch k {
	case Sort:
		return "sort"
	case Geo:
		return "geo"
	case Vector:
		return "vector"
	case Random:
		return "random"
	}
	return k.Label()
}

// Detail is the rule's member in the details of a score, with its counts. It is "" if the
// counts depend on more than the rank.
func (k Kind) Detail() (name string, counts []Count) {
	r := k.row()
	return r.detail, r.counts
}

// row returns the row of the kind. A kind of a newer program has none, and costs nothing.
func (k Kind) row() *row {
	if int(k) < len(rows) {
		return &rows[k]
	}
	return &rows[0]
}

// relevancy maps each name in the settings to its rules, in order.
var relevancy = func() map[string][]Kind {
	by := map[string][]Kind{}
	for k := range rows {
		for _, name := range rows[k].of {
			by[name] = append(by[name], Kind(k))
		}
	}
	return by
}()

// NeedsWords tells whether a name in the settings selects rules that compare words.
func NeedsWords(name string) bool { return len(relevancy[name]) > 0 }

func wordsEdge(c *CostContext, g *query.Graph, _, s uint16) uint32 {
	if c.Removal.Removable(s) {
		return c.size(g, s)
	}
	return 0
}

// phraseWords corrects the maximum rank of Words for the words in phrases.
func phraseWords(c *CostContext, g *query.Graph) uint32 {
	words := 0
	for i := 2; i < len(g.Nodes); i++ {
		if t := &c.Terms[g.Nodes[i].Term]; t.HasPhrase(g.Nodes[i].Sub) {
			words += t.PhraseWords()
		}
	}
	return uint32(max(0, words-1))
}

func typoEdge(c *CostContext, g *query.Graph, _, s uint16) uint32 {
	t := &c.Terms[g.Nodes[s].Term]
	return TypoBase(t) + uint32(t.MaxTypos(g.Nodes[s].Sub))
}

func proximityEdge(c *CostContext, g *query.Graph, n, s uint16) uint32 {
	if n != query.Start && Adjacent(&c.Terms[g.Nodes[n].Term], &c.Terms[g.Nodes[s].Term]) {
		return c.size(g, s) - 1 + FarProximity
	}
	return c.size(g, s) - 1
}

// sized is the edge function of a rule with a fixed cost per word of a term.
func sized(most func(c *CostContext) uint32) func(*CostContext, *query.Graph, uint16, uint16) uint32 {
	return func(c *CostContext, g *query.Graph, _, s uint16) uint32 { return most(c) * c.size(g, s) }
}

func onlyExact(t *query.Term, s query.Subset, order uint32) query.Subset {
	if order == 0 {
		return t.OnlyExact(s)
	}
	return s
}

// size is the number of words of a node's term.
func (c *CostContext) size(g *query.Graph, n uint16) uint32 {
	return uint32(c.Terms[g.Nodes[n].Term].Size())
}
