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
	// Kinds is one more than the last kind. Numbers of kinds travel: new ones come last,
	// and nodes that do not know one refuse it, so a search uses it once the log is of their version (wire.ValueProgram).
	Kinds
)

// row is what there is to know about one kind of rule. To add a rule, add its kind,
// its row here, its row in shard/rank/rules, and its name in api/settings.
type row struct {
	// of are the names in the settings that bring the rule, none for rules that a
	// request brings.
	of []string
	// label is what explanations call a ranked rule, "" for rules that compare values.
	// detail is its member in the details of a score, with counts; "" when these depend on more than its rank.
	label, detail string
	counts        []Count
	// edge is the greatest cost of an edge from node n to node s, which is not the
	// end; nil: 0.
	edge func(c *CostContext, g *query.Graph, n, s uint16) uint32
	// rank is the maximum rank, for rules whose costs are not those of paths; more is
	// added to that of paths.
	rank uint32
	more func(c *CostContext, g *query.Graph) uint32
	// narrow is what an edge of some order leaves of the derivations of a node; nil:
	// all of them. A rule with narrow, or that skips nodes, narrows even a graph with a
	// single path.
	narrow func(t *query.Term, s query.Subset, order uint32) query.Subset
	skips  bool
	// combines tells whether documents can be ranked by this rule and others at once
	// (package topk of the shards): its costs fit a key, and it needs the graph as it
	// was.
	combines combination
}

// combination is how a rule takes part in the ranking by several rules at once.
type combination uint8

const (
	alone   combination = iota // not at all
	byCost                     // by its costs
	byValue                    // by the place of a value among all values of a field
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

// Count is a number that the details of a score show of a rank.
type Count struct {
	Name string
	// Of computes it of a rank and the greatest one.
	Of func(rank, most uint32) uint32
}

// Label is what explanations call a ranked rule.
func (k Kind) Label() string { return k.row().label }

// Name is what logs call the rule.
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

// Detail is the member that the details of a score have of a rule, with its counts; ""
// when these depend on more than the rank.
func (k Kind) Detail() (name string, counts []Count) {
	r := k.row()
	return r.detail, r.counts
}

// row is that of the kind; a kind of a newer program has none, and costs nothing.
func (k Kind) row() *row {
	if int(k) < len(rows) {
		return &rows[k]
	}
	return &rows[0]
}

// relevancy are the rules that each name in the settings brings, in their order.
var relevancy = func() map[string][]Kind {
	by := map[string][]Kind{}
	for k := range rows {
		for _, name := range rows[k].of {
			by[name] = append(by[name], Kind(k))
		}
	}
	return by
}()

func wordsEdge(c *CostContext, g *query.Graph, _, s uint16) uint32 {
	if c.Removal.Removable(s) {
		return c.size(g, s)
	}
	return 0
}

// phraseWords corrects the maximum rank of Words for the words of phrases.
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

// sized is the edge of a rule that costs so much for each word of a term.
func sized(most func(c *CostContext) uint32) func(*CostContext, *query.Graph, uint16, uint16) uint32 {
	return func(c *CostContext, g *query.Graph, _, s uint16) uint32 { return most(c) * c.size(g, s) }
}

func onlyExact(t *query.Term, s query.Subset, order uint32) query.Subset {
	if order == 0 {
		return t.OnlyExact(s)
	}
	return s
}

// size is the number of words of the term of a node.
func (c *CostContext) size(g *query.Graph, n uint16) uint32 {
	return uint32(c.Terms[g.Nodes[n].Term].Size())
}
