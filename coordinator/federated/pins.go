package federated

import (
	"cmp"
	"math"
	"slices"

	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
)

// pinnedHit is a hit of an index that dynamic search rules pin.
type pinnedHit struct {
	localHit
	position uint32
	ranked   merge.Ranked
}

// pin gathers the documents that the queries of the index pin. They are not merged by rank
// (spec search-api 14). As in the reference, a document that several queries pin is there
// for each of them. They are sorted by position.
func (x *localIndex) pin() {
	for i, ranking := range x.rankings {
		q := &x.queries[i]
		for _, p := range ranking.Ranked.Within(len(ranking.Hits), ranking.Plan.Drive.Length) {
			x.pinned = append(x.pinned, pinnedHit{
				localHit: localHit{query: i, hit: p.Hit}, position: p.Position,
				ranked: merge.Ranked{Global: p.Details.Score() * q.weight, Query: q.position, Ref: len(x.hits)},
			})
			x.hits = append(x.hits, localHit{query: i, hit: p.Hit})
		}
	}
	slices.SortStableFunc(x.pinned, func(a, b pinnedHit) int { return cmp.Compare(a.position, b.position) })
}

// placePins inserts the pinned hits of all local indexes into the merged list. Only positions
// below limit matter.
func placePins(merged []merge.Ranked, origins []mergedHit, local *localResult, limit uint64) ([]merge.Ranked, []mergedHit) {
	positions := map[int]uint32{} // by Ref
	var pins []merge.Ranked
	for source, x := range local.indexes {
		for i := range x.pinned {
			r := x.pinned[i].ranked
			origins = append(origins, mergedHit{remote: -1, source: source, ref: r.Ref})
			r.Ref = len(origins) - 1
			positions[r.Ref] = x.pinned[i].position
			pins = append(pins, r)
		}
	}
	if len(pins) == 0 {
		return merged, origins
	}
	slices.SortStableFunc(pins, func(a, b merge.Ranked) int { return cmp.Compare(positions[a.Ref], positions[b.Ref]) })
	position := func(r merge.Ranked) uint32 { return positions[r.Ref] }
	return driver.Place(merged, pins, position, int(min(limit, math.MaxInt32))), origins
}

// makeRoom cuts the list of the index, hits and pins, to its first limit places.
func (x *localIndex) makeRoom(limit uint64) {
	position := func(i int) uint32 { return x.pinned[i].position }
	pinned, hits := driver.Standing(len(x.pinned), position, len(x.merged), int(min(limit, math.MaxInt32)))
	x.pinned, x.merged = x.pinned[:pinned], x.merged[:hits]
}

// hasPins tells whether the list of an index has pinned hits.
func (l *localResult) hasPins() bool {
	return slices.ContainsFunc(l.indexes, func(x *localIndex) bool { return len(x.pinned) > 0 })
}
