package wire

import (
	"cmp"
	"math"
	"slices"

	"shoal/query/filter"
)

// ListRequest reads documents of one shard in listing order: by ordinal, or as
// Sort says. Candidates are the documents of IDs (all without HasIDs) that pass
// Filter.
//
// With one shard Offset and Limit are the client's. With several, each is asked
// for the keys of the first offset+limit documents (KeysOnly), the front arranges
// them (ArrangeDocuments) and reads those of its page by Ordinals.
type ListRequest struct {
	Index  PinnedIndex `msgpack:"x"`
	IDs    []string    `msgpack:"ids"`
	HasIDs bool        `msgpack:"hi"`
	Filter []byte      `msgpack:"f"` // JSON as the client sent it
	Sort   []string    `msgpack:"s"`
	Offset int         `msgpack:"of"`
	Limit  int         `msgpack:"l"`
	// Fields restricts the members read; nil = all. Names as the client sent.
	Fields          []string `msgpack:"fl"`
	HasFields       bool     `msgpack:"hf"`
	RetrieveVectors bool     `msgpack:"rv"`
	// StoredVectors appends the vectors in stored form (staged.AppendVectors), for
	// another shard.
	StoredVectors bool `msgpack:"sv"`
	CountOnly     bool `msgpack:"co"`
	// KeysOnly leaves out the documents' bytes.
	KeysOnly bool `msgpack:"ko"`
	// Ordinals, with HasOrdinals, are read in this order and nothing else is done;
	// those that the shard does not hold are left out.
	Ordinals    []uint32 `msgpack:"or"`
	HasOrdinals bool     `msgpack:"ho"`
}

// ListReply holds documents in listing order and the number of all that match.
type ListReply struct {
	Total     uint64     `msgpack:"t"`
	Documents []Document `msgpack:"d"`
}

// Document is one stored document: JSON object bytes with members in field-id
// order, its ordinal, and for sorted lists what it is sorted by, parallel to the
// elements of EffectiveSort. The value of a geo element is the distance in metres.
type Document struct {
	Ordinal uint32      `msgpack:"o"`
	Keys    []SortValue `msgpack:"k"`
	JSON    []byte      `msgpack:"j"`
}

// Bounds of a geo bucket in a sorted list (spec ranking 9): documents within a
// metre of the first one, at most so many, are equal for the next elements.
const (
	geoBucketMetres = 1.0
	geoBucketSize   = 1000
)

// EffectiveSort is a sort list without the fields that no document ever had:
// those are skipped. Keys are parallel to it.
func EffectiveSort(by []filter.SortBy, fields []string) []filter.SortBy {
	return slices.DeleteFunc(slices.Clone(by), func(s filter.SortBy) bool { return !s.Geo && !slices.Contains(fields, s.Field) })
}

// ArrangeDocuments sorts documents by their keys; equal ones by ordinal.
func ArrangeDocuments(docs []Document, by []filter.SortBy) { arrange(docs, by, 0) }

func arrange(docs []Document, by []filter.SortBy, depth int) {
	if len(docs) < 2 {
		return
	}
	if depth == len(by) {
		slices.SortFunc(docs, func(a, b Document) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		return
	}
	desc := by[depth].Desc
	if by[depth].Geo {
		slices.SortFunc(docs, func(a, b Document) int { return compareDistance(&a, &b, depth, desc) })
	} else {
		slices.SortFunc(docs, func(a, b Document) int { return CompareSort(a.Keys[depth], b.Keys[depth], desc) })
	}
	for len(docs) > 0 {
		n := groupSize(docs, depth, by[depth].Geo)
		arrange(docs[:n], by, depth+1)
		docs = docs[n:]
	}
}

// compareDistance orders a geo stream as CompareGeo does, read backwards when
// descending; documents without a point come last in both directions.
func compareDistance(a, b *Document, depth int, desc bool) int {
	x, y := a.Keys[depth], b.Keys[depth]
	if x.Kind != y.Kind {
		return cmp.Compare(x.Kind, y.Kind)
	}
	c := cmp.Or(cmp.Compare(math.Trunc(x.Number), math.Trunc(y.Number)), cmp.Compare(a.Ordinal, b.Ordinal))
	if desc {
		return -c
	}
	return c
}

// groupSize is the number of documents at the start that are equal.
func groupSize(docs []Document, depth int, geo bool) int {
	first := docs[0].Keys[depth]
	n := 1
	for n < len(docs) {
		k := docs[n].Keys[depth]
		switch {
		case k.Kind != first.Kind:
			return n
		case geo && k.Kind != SortNone && (math.Abs(k.Number-first.Number) > geoBucketMetres || n == geoBucketSize):
			return n
		case !geo && (k.Number != first.Number || k.Text != first.Text):
			return n
		}
		n++
	}
	return n
}
