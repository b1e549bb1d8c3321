package facet

import (
	"cmp"
	"sync"
)

// Columns keeps, for one state of a shard, the values of facets that are counted
// often by document. They change no answer. Safe for concurrent use; the zero
// value is ready, a nil *Columns keeps nothing.
type Columns struct {
	mu    sync.Mutex
	asked map[uint16]int
	kept  map[uint16]*column // nil for facets that are too large
	bytes int
	max   int // 0 is maxColumnBytes
}

// Bound sets how many bytes are kept at most, before the first use; 0 is a default.
func (c *Columns) Bound(bytes int) { c.max = bytes }

// Bytes returns what is kept.
func (c *Columns) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Bounds of what is kept. Variables so that tests can reach both ways.
var (
	// columnAsks is the number of times that a facet is counted before it gets a
	// column, columnLeast the number of candidates from which on that counts.
	columnAsks, columnLeast = 2, 512
	// shortIDs is the number of values from which on their numbers take four bytes, and of
	// lists from which on each document has its own.
	shortIDs = 1 << 16
	// maxColumnBytes bounds the columns of one state of a shard unless it is told
	// otherwise.
	maxColumnBytes = 64 << 20
)

// column returns the column of a facet if it is worth having one.
func (c *Columns) column(ix Index, fid uint16, candidates int) (*column, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock() // who comes meanwhile waits for the column
	if kept, ok := c.kept[fid]; ok {
		return kept, nil
	}
	if candidates < columnLeast {
		return nil, nil
	}
	if c.asked == nil {
		c.asked, c.kept = make(map[uint16]int), make(map[uint16]*column)
	}
	if c.asked[fid]++; c.asked[fid] < columnAsks {
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
