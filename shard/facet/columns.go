package facet

import (
	"cmp"
	"sync"
)

// Columns caches, for one state of a shard, the values by document of facets that are
// counted often. They change no answer. Safe for concurrent use; the zero value is
// ready, and a nil *Columns caches nothing.
type Columns struct {
	mu    sync.Mutex
	asked map[uint16]int
	kept  map[uint16]*column // nil for facets that are too large
	bytes int
	max   int // 0 is maxColumnBytes
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

// column returns the column of a facet if having one is worthwhile.
func (c *Columns) column(ix Index, fid uint16, candidates int) (*column, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock() // concurrent callers wait for the column
	if kept, ok := c.kept[fid]; ok {
		return kept, nil
	}
	if candidates < ColumnLeast {
		return nil, nil
	}
	if c.asked == nil {
		c.asked, c.kept = make(map[uint16]int), make(map[uint16]*column)
	}
	if c.asked[fid]++; c.asked[fid] < ColumnAsks {
		return nil, nil
	}
	made, err := makeColumn(ix, fid, cmp.Or(c.max, maxColumnBytes)-c.bytes)
	if err != nil {
		return nil, err
	}
	c.kept[fid] = made
	if made != nil {
		c.bytes += made.bytes()
	}
	return made, nil
}
