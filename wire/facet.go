package wire

import (
	"cmp"
	"slices"
)

// FacetScanLimit is the number of candidates, over all shards, up to which
// alphabetical facets sort their numbers as text (spec ranking 7.1).
const FacetScanLimit = 3000

// FacetOrder determines how the values of a facet are ordered and cut.
type FacetOrder uint8

// Orders of facet values (spec ranking 7.1).
const (
	// FacetText: few candidates, alphabetical. Numbers come by their text, then strings by
	// facet form; the cut is exact.
	FacetText FacetOrder = iota
	// FacetValue: many candidates, alphabetical. Numbers come by value, then strings.
	FacetValue
	// FacetCount: numbers by descending count, then strings. Of equal counts the greater value
	// comes first.
	FacetCount
)

// OrderOfFacet chooses the order by the setting of the field and the number of candidates over
// all shards.
func OrderOfFacet(byCount bool, candidates uint64) FacetOrder {
	switch {
	case byCount:
		return FacetCount
	case candidates <= FacetScanLimit:
		return FacetText
	}
	return FacetValue
}

// FacetsStep asks for the values of facets among the candidates of a session. Max is the
// setting maxValuesPerFacet.
type FacetsStep struct {
	Fields []FacetAsk `msgpack:"f"`
	Max    int        `msgpack:"m"`
}

// Ahead returns the step that all shards will likely be asked. s is in the form for few
// candidates; candidates were found in the fraction part of the documents.
func (s *FacetsStep) Ahead(candidates uint64, part float64) *FacetsStep {
	out := &FacetsStep{Fields: slices.Clone(s.Fields), Max: s.Max}
	if part > 0 {
		candidates = uint64(float64(candidates) / part)
	}
	for i := range out.Fields {
		out.Fields[i].Order = OrderOfFacet(out.Fields[i].Order == FacetCount, candidates)
	}
	return out
}

// FacetAsk is one facet.
type FacetAsk struct {
	Field uint16     `msgpack:"f"`
	Order FacetOrder `msgpack:"o"`
}

// FacetsReply is parallel to the requested fields.
type FacetsReply struct {
	Facets []FacetPart `msgpack:"f"`
}

// FacetPart is one shard's count of one facet, in the facet's order. Lists contain at least
// every value that can be among the first Max of all shards.
type FacetPart struct {
	Numbers []FacetNumber `msgpack:"n"`
	Strings []FacetString `msgpack:"s"`
	// Min and Max bound the numbers of all candidates, if any has one.
	HasNumbers bool    `msgpack:"h"`
	Min        float64 `msgpack:"lo"`
	Max        float64 `msgpack:"hi"`
}

// FacetNumber counts the candidates with a number.
type FacetNumber struct {
	Value float64 `msgpack:"v"`
	Count uint64  `msgpack:"c"`
}

// FacetString counts the candidates with a string. If Labelled, First is the lowest of their
// ordinals and Label the spelling in that document.
type FacetString struct {
	Form     string `msgpack:"f"`
	Count    uint64 `msgpack:"c"`
	Labelled bool   `msgpack:"k"`
	First    uint32 `msgpack:"o"`
	Label    string `msgpack:"l"`
}

// Leading returns the places of the n strings that come first by descending count, then
// descending form, or of all if there are fewer. list ascends by form.
func Leading(list []FacetString, n int) []int {
	if n = min(n, len(list)); n <= 0 {
		return nil
	}
	counts := make([]uint64, len(list))
	for i := range list {
		counts[i] = list[i].Count
	}
	slices.Sort(counts)
	least := counts[len(counts)-n]
	above, _ := slices.BinarySearch(counts, least+1)
	room := n - (len(counts) - above) // for strings that count least
	places := make([]int, 0, n)
	for i := len(list) - 1; i >= 0; i-- {
		switch count := list[i].Count; {
		case count < least || count == least && room == 0:
			continue
		case count == least:
			room--
		}
		places = append(places, i)
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(list[b].Count, list[a].Count) })
	return places
}

// FacetLabelsStep asks for the labels of strings: their spelling in the lowest document among
// the candidates or, with Whole, among all documents of the shard.
type FacetLabelsStep struct {
	Field uint16   `msgpack:"f"`
	Forms []string `msgpack:"s"`
	Whole bool     `msgpack:"w"`
}

// FacetLabelsReply is parallel to the requested forms. A form without a document is not Found.
type FacetLabelsReply struct {
	Labels []FacetLabel `msgpack:"l"`
}

// FacetLabel is the spelling of a string in one document.
type FacetLabel struct {
	Found bool   `msgpack:"k"`
	First uint32 `msgpack:"o"`
	Text  string `msgpack:"t"`
}

// FacetMatch determines how a facet search compares the facet-search forms of values with its
// query.
type FacetMatch uint8

// The comparisons of a facet search (spec ranking 7.3).
const (
	// FacetAny: no query; every value matches.
	FacetAny FacetMatch = iota
	// FacetPrefix: the form starts with the query within Typos edits.
	FacetPrefix
	// FacetWhole: the form equals the query.
	FacetWhole
)

// FacetSearchStep asks for the matching strings of a facet, with their counts among the
// candidates of the session. Locales are those of the facet's localized rule, by name.
type FacetSearchStep struct {
	Field   uint16     `msgpack:"f"`
	Match   FacetMatch `msgpack:"m"`
	Query   string     `msgpack:"q"` // facet-search form
	Typos   int        `msgpack:"t"`
	ByCount bool       `msgpack:"c"`
	Max     int        `msgpack:"x"`
	Locales []string   `msgpack:"l"`
}

// FacetSearchReply lists values with counts, by facet-search form, then facet form. Without
// ByCount it has only the first Max.
type FacetSearchReply struct {
	Values []FacetFound `msgpack:"v"`
}

// FacetFound is one value of a facet search.
type FacetFound struct {
	Search string `msgpack:"s"` // facet-search form
	Form   string `msgpack:"f"`
	Count  uint64 `msgpack:"c"`
}
