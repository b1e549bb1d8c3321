package rule

import (
	"slices"
	"strings"

	"shoal/api/settings"
)

// Rule is one step of the bucket sort. Field belongs to Sort and Random, Desc to Sort and
// Geo, the point to Geo, Limit to Vector.
type Rule struct {
	Kind  Kind    `msgpack:"k"`
	Field string  `msgpack:"f"`
	Desc  bool    `msgpack:"d"`
	Lat   float64 `msgpack:"la"`
	Lng   float64 `msgpack:"ln"`
	Limit int     `msgpack:"l"`
	// Key selects the random numbers that Random gives to documents.
	Key uint64 `msgpack:"ky"`
}

// Ranked tells whether the kind gives documents a rank with a maximum, instead of a value
// to sort by.
func (k Kind) Ranked() bool { return k.row().label != "" }

// OnGraph tells whether the kind ranks by paths of the query graph.
func (k Kind) OnGraph() bool { return k.Ranked() && k != ExactAttribute }

// QueryKind is the kind of query that rules are made for.
type QueryKind uint8

// The kinds of queries.
const (
	Keyword QueryKind = iota
	Placeholder
	Semantic
)

// NewRules turns the ranking rules of an index into the rules of one search (spec ranking 4
// and 5.9). sort holds the request's criteria as Sort and Geo rules. vector replaces the
// first relevancy rule of a Semantic query.
func NewRules(settings *settings.Settings, kind QueryKind, strategy Strategy, sort []Rule, vector Rule) []Rule {
	b := ruleBuilder{kind: kind, words: strategy == All, vector: vector}
	for _, name := range settings.RankingRules {
		if kinds := relevancy[name]; len(kinds) > 0 {
			b.relevancy(name, kinds)
			continue
		}
		if name == "sort" {
			for _, r := range sort {
				b.sort(r)
			}
			sort = nil
			continue
		}
		if field, ok := strings.CutSuffix(name, ":asc"); ok {
			b.sort(Rule{Kind: Sort, Field: field})
		} else if field, ok := strings.CutSuffix(name, ":desc"); ok {
			b.sort(Rule{Kind: Sort, Field: field, Desc: true})
		}
	}
	return b.rules
}

type ruleBuilder struct {
	kind     QueryKind
	rules    []Rule
	words    bool // the Words rule is present or not wanted
	vector   Rule
	semantic bool
	met      []Kind
	fields   []string
}

func (b *ruleBuilder) relevancy(name string, kinds []Kind) {
	switch b.kind {
	case Placeholder:
		return
	case Semantic:
		if !b.semantic {
			b.semantic = true
			b.rules = append(b.rules, b.vector)
		}
		return
	}
	if !b.words {
		b.words = true
		b.rules = append(b.rules, Rule{Kind: Words})
	}
	if name == "words" || slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(b.met, k) }) {
		return // an earlier rule covers it, in whole or in part
	}
	b.met = append(b.met, kinds...)
	for _, kind := range kinds {
		b.rules = append(b.rules, Rule{Kind: kind})
	}
}

func (b *ruleBuilder) sort(r Rule) {
	if r.Kind == Sort {
		if slices.Contains(b.fields, r.Field) {
			return
		}
		b.fields = append(b.fields, r.Field)
	}
	b.rules = append(b.rules, r)
}
