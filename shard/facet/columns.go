package facet

import (
	"cmp"
	"context"
	"sync"

	"shoal/shard/docset"
	"shoal/wire"
	"shoal/wire/await"
)

// Columns caches, for one state of a shard, the values by document of facets that are
// counted often, and what facet searches derive from them. They change no answer. Safe
// for concurrent use; the zero value is ready, and a nil *Columns caches nothing.
type Columns struct {
	mu     sync.Mutex
	asked  map[uint16]int
	kept   map[uint16]*column // nil for facets that are too large
	names  map[uint16]*names
	labels map[uint16]labels
	bytes  int
	max    int // 0 is maxColumnBytes
	// making and naming let concurrent searches share the work.
	making await.Flight[uint16, *column]
	naming await.Flight[namesKey, *names]
}

// Bound limits the cached bytes; 0 is the default. Call it before the first use.
func (c *Columns) Bound(bytes int) { c.max = bytes }

// Bytes returns the cached bytes.
func (c *Columns) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Thresholds. They are variables so that tests can reach both branches.
var (
	// ColumnAsks is how often a facet is counted before it gets a column. Counts of
	// fewer than ColumnLeast candidates do not matter.
	ColumnAsks, ColumnLeast = 2, 512
	// shortIDs is the number of values at which their numbers take four bytes, and of
	// lists at which each document has its own.
	shortIDs = 1 << 16
	// maxColumnBytes is the default size limit of the columns of one state of a shard.
	maxColumnBytes = 64 << 20
)

// count counts a facet from its first values or from its column. ok is false if neither is
// worthwhile.
func (c *Columns) count(ctx context.Context, ix Index, candidates docset.Set, ask wire.FacetAsk, limit int) (p wire.FacetPart, ok bool, err error) {
	kept, _, _ := c.look(ask.Field)
	few := kept != nil && (kept.valueCount() <= firstBudget*limit || kept.visits(candidates.Len()) < firstVisits)
	if candidates.Len() >= ColumnLeast && !few {
		if p, ok, err = countFirst(ix, candidates, ask, limit, kept != nil); ok || err != nil {
			return p, ok, err
		}
	}
	if kept, err = c.column(ctx, ix, ask.Field, candidates.Len()); kept == nil || err != nil {
		return p, false, err
	}
	p, err = kept.count(ix, candidates, ask, limit)
	return p, true, err
}

// column returns the column of a facet if having one is worthwhile. Concurrent callers
// wait for one of them to make it.
func (c *Columns) column(ctx context.Context, ix Index, fid uint16, candidates int) (*column, error) {
	if c == nil {
		return nil, nil
	}
	if kept, worthwhile := c.ask(fid, candidates); kept != nil || !worthwhile {
		return kept, nil
	}
	return c.making.Do(ctx, fid, func() (*column, error) {
		kept, room, ok := c.look(fid)
		if ok {
			return kept, nil
		}
		made, err := makeColumn(ix, fid, room)
		if err != nil {
			return nil, err
		}
		return c.keep(fid, made), nil
	})
}

// ask counts a use of a facet. It returns the column that is known, and whether one is
// to be made.
func (c *Columns) ask(fid uint16, candidates int) (kept *column, worthwhile bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.kept[fid]; ok || candidates < ColumnLeast {
		return kept, false
	}
	if c.asked == nil {
		c.asked = make(map[uint16]int)
	}
	c.asked[fid]++
	return nil, c.asked[fid] >= ColumnAsks
}

// look returns a known column, nil for a facet that is too large, and the bytes that are
// left.
func (c *Columns) look(fid uint16) (kept *column, room int, ok bool) {
	if c == nil {
		return nil, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok = c.kept[fid]
	return kept, cmp.Or(c.max, maxColumnBytes) - c.bytes, ok
}

// keep caches a column, nil if the facet is too large. The columns of other facets may
// have taken the room meanwhile. It returns what is kept.
func (c *Columns) keep(fid uint16, made *column) *column {
	c.mu.Lock()
	defer c.mu.Unlock()
	if made != nil && !c.take(made.bytes()) {
		made = nil
	}
	if c.kept == nil {
		c.kept = make(map[uint16]*column)
	}
	c.kept[fid] = made
	return made
}

// take reserves bytes if they are left. The caller holds mu.
func (c *Columns) take(bytes int) bool {
	if c.bytes+bytes > cmp.Or(c.max, maxColumnBytes) {
		return false
	}
	c.bytes += bytes
	return true
}
