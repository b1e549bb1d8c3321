package analytics

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Cell is what was counted in some time.
type Cell struct {
	Searches    uint64 `msgpack:"s" json:"searches"`
	Empty       uint64 `msgpack:"e" json:"searchesWithoutResults"`
	Clicks      uint64 `msgpack:"c" json:"clicks"`
	Conversions uint64 `msgpack:"v" json:"conversions"`
}

func (c *Cell) add(o Cell) {
	c.Searches += o.Searches
	c.Empty += o.Empty
	c.Clicks += o.Clicks
	c.Conversions += o.Conversions
}

// Slot is a cell and its beginning, in seconds since 1970.
type Slot struct {
	At   int64 `msgpack:"a"`
	Cell Cell  `msgpack:"c"`
}

// positions is how many positions of clicks are told apart. The last one stands for all
// further ones.
const positions = 11

// Counts is what was counted for one index.
type Counts struct {
	Index string `msgpack:"x"`
	Sum   Cell   `msgpack:"n"`
	// Hours tells the hours of a day apart. A summary has none.
	Hours []Slot `msgpack:"h"`
	// Positions counts clicks by the position of the hit, from 0 on.
	Positions []uint64 `msgpack:"p"`
	// Times counts searches by duration, see bucket.
	Times []uint64 `msgpack:"t"`
}

// at returns the cell of the hour of a time.
func (c *Counts) at(now time.Time) *Cell {
	hour := now.Truncate(time.Hour).Unix()
	if n := len(c.Hours); n == 0 || c.Hours[n-1].At != hour {
		i, found := slices.BinarySearchFunc(c.Hours, hour, func(s Slot, at int64) int { return cmp.Compare(s.At, at) })
		if !found {
			c.Hours = slices.Insert(c.Hours, i, Slot{At: hour})
		}
		return &c.Hours[i].Cell
	}
	return &c.Hours[len(c.Hours)-1].Cell
}

// add adds the counts of another day or node, without hours.
func (c *Counts) add(o *Counts) {
	c.Sum.add(o.Sum)
	c.Positions = added(c.Positions, o.Positions)
	c.Times = added(c.Times, o.Times)
}

// count adds one to an element, which may lie beyond the end of the list.
func count(list []uint64, i int) []uint64 {
	if i >= len(list) {
		list = slices.Concat(list, make([]uint64, i+1-len(list)))
	}
	list[i]++
	return list
}

func added(a, b []uint64) []uint64 {
	if len(a) < len(b) {
		a = slices.Concat(a, make([]uint64, len(b)-len(a)))
	}
	for i, n := range b {
		a[i] += n
	}
	return a
}

// bucket is the place of a duration in Times: four buckets for each power of two microseconds.
func bucket(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 1))
	n := bits.Len64(us) - 1
	return min(4*n+int(us<<2>>n&3), 127)
}

// quantile returns the duration in ms within which a share of the counted searches ended, a
// fifth too long at most; 0 if none were counted.
func quantile(times []uint64, share float64) float64 {
	all := uint64(0)
	for _, n := range times {
		all += n
	}
	wanted, seen := uint64(math.Ceil(share*float64(all))), uint64(0)
	for i, n := range times {
		if seen += n; n > 0 && seen >= wanted {
			us := uint64(5+i%4) << (i / 4) / 4
			return float64(us) / 1000
		}
	}
	return 0
}

// Summary is what days, or nodes, counted together.
type Summary struct {
	Indexes []Counts `msgpack:"i"` // by name
	// Slots are cells of the interval that was asked for, oldest first. The file of a day has
	// none.
	Slots []Slot `msgpack:"s"`
	// Queries are the most frequent queries, Empty those that found nothing, Clicked those of
	// which a hit was clicked.
	Queries Top `msgpack:"q"`
	Empty   Top `msgpack:"e"`
	Clicked Top `msgpack:"c"`
}

// Sum adds up summaries.
type Sum struct {
	// Index, if not empty, is the only one that counts.
	Index string
	// Interval is the length of a slot.
	Interval time.Duration

	indexes                 map[string]*Counts
	slots                   map[int64]*Cell
	queries, empty, clicked tops
}

// Add adds a day, or what another node added up.
func (s *Sum) Add(o *Summary) {
	if s.indexes == nil {
		s.indexes, s.slots = map[string]*Counts{}, map[int64]*Cell{}
	}
	for i := range o.Indexes {
		c := &o.Indexes[i]
		if s.Index != "" && c.Index != s.Index {
			continue
		}
		if s.indexes[c.Index] == nil {
			s.indexes[c.Index] = &Counts{Index: c.Index}
		}
		s.indexes[c.Index].add(c)
		s.addSlots(c.Hours)
	}
	s.addSlots(o.Slots)
	s.queries.add(o.Queries, s.Index)
	s.empty.add(o.Empty, s.Index)
	s.clicked.add(o.Clicked, s.Index)
}

func (s *Sum) addSlots(slots []Slot) {
	for _, slot := range slots {
		at := time.Unix(slot.At, 0).UTC().Truncate(s.Interval).Unix()
		if s.slots[at] == nil {
			s.slots[at] = new(Cell)
		}
		s.slots[at].add(slot.Cell)
	}
}

// Summary returns the sum, with that many queries in each list.
func (s *Sum) Summary(queries int) *Summary {
	out := &Summary{Queries: s.queries.list(queries), Empty: s.empty.list(queries), Clicked: s.clicked.list(queries)}
	for _, c := range s.indexes {
		out.Indexes = append(out.Indexes, *c)
	}
	slices.SortFunc(out.Indexes, func(a, b Counts) int { return cmp.Compare(a.Index, b.Index) })
	for at, c := range s.slots {
		out.Slots = append(out.Slots, Slot{At: at, Cell: *c})
	}
	slices.SortFunc(out.Slots, func(a, b Slot) int { return cmp.Compare(a.At, b.At) })
	return out
}
