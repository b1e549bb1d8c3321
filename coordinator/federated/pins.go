package federated

import (
	"cmp"
	"math"
	"slices"

	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
)

// pinnedHit is a hit that dynamic search rules pin, here or in another instance. Its Ref is the index
// in the hits of the index or remote.
type pinnedHit struct {
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
				position: p.Position,
				ranked:   merge.Ranked{Global: p.Details.Score() * q.weight, Query: q.position, Ref: len(x.hits)},
			})
			x.hits = append(x.hits, localHit{query: i, hit: p.Hit})
		}
	}
	slices.SortStableFunc(x.pinned, func(a, b pinnedHit) int { return cmp.Compare(a.position, b.position) })
}

// placePins inserts the pinned hits of all indexes, then those of remotes, into the merged list. Only
// positions below limit matter.
func placePins(merged []merge.Ranked, origins []mergedHit, local *localResult, remotes []*remoteResult, limit uint64) ([]merge.Ranked, []mergedHit) {
	positions := map[int]uint32{} // by Ref
	var pins []merge.Ranked
	add := func(pin merge.Ranked, position uint32, origin mergedHit) {
		origins = append(origins, origin)
		pin.Ref = len(origins) - 1
		positions[pin.Ref] = position
		pins = append(pins, pin)
	}
	for source, x := range local.indexes {
		for i := range x.pinned {
			p := &x.pinned[i]
			add(p.ranked, p.position, mergedHit{remote: -1, source: source, ref: p.ranked.Ref})
		}
	}
	for i, r := range remotes {
		for k := range r.pinned {
			p := &r.pinned[k]
			add(p.ranked, p.position, mergedHit{remote: i, ref: p.ranked.Ref})
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

// hasPins tells whether the list of an index or a remote has pinned hits.
func hasPins(local *localResult, remotes []*remoteResult) bool {
	return slices.ContainsFunc(local.indexes, func(x *localIndex) bool { return len(x.pinned) > 0 }) ||
		slices.ContainsFunc(remotes, func(r *remoteResult) bool { return len(r.pinned) > 0 })
}
