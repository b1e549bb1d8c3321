package wire

import (
	"cmp"
	"math"
	"slices"

	"shoal/query/filter"
)

// ListRequest reads documents of one shard in listing order: by ordinal, or by Sort. Candidates
// are the documents of IDs (all without HasIDs) that pass Filter.
//
// With one shard Offset and Limit are the client's. With several shards, each returns the keys
// of its first offset+limit documents (KeysOnly). The caller sorts them (ArrangeDocuments) and
// reads those of its page by Ordinals.
type ListRequest struct {
	Index  PinnedIndex `msgpack:"x"`
	IDs    []string    `msgpack:"ids"`
	HasIDs bool        `msgpack:"hi"`
	Filter []byte      `msgpack:"f"` // JSON as the client sent it
	Sort   []string    `msgpack:"s"`
	Offset int         `msgpack:"of"`
	Limit  int         `msgpack:"l"`
	// Fields restricts the members read, with the client's names; nil means all.
	Fields          []string `msgpack:"fl"`
	HasFields       bool     `msgpack:"hf"`
	RetrieveVectors bool     `msgpack:"rv"`
	// UnknownVectors keeps, without RetrieveVectors, the part of `_vectors` that belongs to no
	// embedder.
	UnknownVectors bool `msgpack:"uv"`
	// StoredVectors appends the vectors in stored form (staged.AppendVectors), for another
	// shard.
	StoredVectors bool `msgpack:"sv"`
	CountOnly     bool `msgpack:"co"`
	// KeysOnly omits the bytes of the documents.
	KeysOnly bool `msgpack:"ko"`
	// Ordinals, with HasOrdinals, are read in this order, and nothing else is done. Those that
	// the shard lacks are omitted.
	Ordinals    []uint32 `msgpack:"or"`
	HasOrdinals bool     `msgpack:"ho"`
}

// ListReply holds documents in listing order. Total counts all matches.
type ListReply struct {
	Total     uint64     `msgpack:"t"`
	Documents []Document `msgpack:"d"`
}

// Document is one stored document: JSON object bytes with members in field-id order, its
// ordinal, and for sorted lists its sort keys, parallel to the elements of EffectiveSort. The
// key of a geo element is the distance in metres.
type Document struct {
	Ordinal uint32      `msgpack:"o"`
	Keys    []SortValue `msgpack:"k"`
	JSON    []byte      `msgpack:"j"`
}

// Bounds of a geo bucket in a sorted list (spec ranking 9): documents within geoBucketMetres of
// the first one, at most geoBucketSize, are equal for the next elements.
const (
	geoBucketMetres = 1.0
	geoBucketSize   = 1000
)

// EffectiveSort returns a sort list without the fields that no document ever had, which are
// skipped. Keys are parallel to it.
func EffectiveSort(by []filter.SortBy, fields []string) []filter.SortBy {
	return slices.DeleteFunc(slices.Clone(by), func(s filter.SortBy) bool { return !s.Geo && !slices.Contains(fields, s.Field) })
}

// ArrangeDocuments sorts documents by their keys, equal ones by ordinal.
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

// compareDistance orders a geo stream like CompareGeo, reversed when descending. Documents
// without a point come last in both directions.
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

// groupSize returns the number of equal documents at the start.
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
