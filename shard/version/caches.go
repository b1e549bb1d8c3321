package version

import (
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
)

// Caches keeps what was worked out for one space of ordinals: here, for one version
// of a shard, or for versions of several. Who reads that space shares it.
type Caches struct {
	memo   scope.Memo
	facets facet.Columns
	ranges rangeCache
	schema atomic.Pointer[schemaOf]
}

// Bounds are the bytes that one version keeps at most of results that cost much: of
// ranking (package rank), of facets (package facet), of ranges of facet values. What is
// 0 takes the package's own bound.
type Bounds struct{ Ranking, Facets, Ranges int }

func (c *Caches) bound(b Bounds) {
	c.memo.Bound(b.Ranking)
	c.facets.Bound(b.Facets)
	c.ranges.max = b.Ranges
}

// Kept tells what is kept of such results, in bytes.
func (s *Space) Kept() Bounds {
	return Bounds{Ranking: s.caches.memo.Bytes(), Facets: s.caches.facets.Bytes(), Ranges: s.caches.ranges.held()}
}

// Columns tell where frequent words stand, as far as they are known by now.
func (c *Version) Columns() *columns.Columns {
	if !c.searched.Load() {
		c.searched.Store(true)
	}
	return c.columns.Load()
}

// SetColumns tells what is known of frequent words by now. release is called with the
// last reference to the version. Calls follow one another, and the caller knows that a
// reference is held.
func (c *Version) SetColumns(known *columns.Columns, release func() error) {
	c.held = append(c.held, release)
	c.columns.Store(known)
	if f := c.fresh.Load(); f != nil && f.docs.And(c.live).AndNot(known.Covered()).Empty() {
		c.fresh.Store(nil)
		c.shared.fresh.forget(c)
	}
}

// Searched tells whether some search looked for columns.
func (c *Version) Searched() bool { return c.searched.Load() }

// inherit takes over what an older version of the same line had worked out and what
// does not concern the documents that changed.
func (c *Caches) inherit(old *Caches, changed docset.Set) { c.memo.Inherit(&old.memo, changed) }
