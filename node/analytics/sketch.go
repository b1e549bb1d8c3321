package analytics

import (
	"cmp"
	"slices"
)

// key is a query on an index.
type key struct{ index, query string }

// counter counts a key. Its true count is at most count and at least count - over.
type counter struct {
	key
	count, over uint64
	place       int // in the heap
}

// sketch counts the most frequent keys with a fixed number of counters (Metwally and others,
// "space-saving"). A new key takes over the smallest counter. After n additions to a sketch of
// k counters every key that was added more than n/k times has a counter, and no counter is more
// than n/k too high. Counts are exact while there are at most k keys.
type sketch struct {
	most int
	// base is how often a key without a counter may have been counted before there was the
	// sketch: the floor of the list that it goes on from.
	base uint64
	// heap has the smallest counter first.
	heap []*counter
	of   map[key]*counter
}

func newSketch(most int) *sketch { return &sketch{most: most, of: map[key]*counter{}} }

// add counts a key n times.
func (s *sketch) add(k key, n uint64) {
	if c := s.of[k]; c != nil {
		c.count += n
		s.down(c)
		return
	}
	if len(s.heap) < s.most {
		s.insert(&counter{key: k, count: s.base + n, over: s.base})
		return
	}
	least := s.heap[0]
	delete(s.of, least.key)
	s.of[k] = least
	least.key, least.count, least.over = k, least.count+n, least.count
	s.down(least)
}

func (s *sketch) insert(c *counter) {
	c.place = len(s.heap)
	s.heap = append(s.heap, c)
	s.of[c.key] = c
	s.up(c)
}

// up moves a counter towards the top of the heap to where it belongs.
func (s *sketch) up(c *counter) {
	i := c.place
	for i > 0 && c.count < s.heap[(i-1)/2].count {
		s.put(i, s.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	s.put(i, c)
}

// down moves a counter away from the top of the heap to where it belongs.
func (s *sketch) down(c *counter) {
	i := c.place
	for {
		child := 2*i + 1
		if child+1 < len(s.heap) && s.heap[child+1].count < s.heap[child].count {
			child++
		}
		if child >= len(s.heap) || s.heap[child].count >= c.count {
			break
		}
		s.put(i, s.heap[child])
		i = child
	}
	s.put(i, c)
}

func (s *sketch) put(i int, c *counter) { s.heap[i], c.place = c, i }

// top returns the counters as a list.
func (s *sketch) top() Top {
	t := Top{Floor: s.base}
	for _, c := range s.heap {
		t.Items = append(t.Items, Item{Index: c.index, Query: c.query, Count: c.count, Over: c.over})
	}
	if len(s.heap) == s.most {
		t.Floor = max(t.Floor, s.heap[0].count)
	}
	t.sort()
	return t
}

// sketchOf returns a sketch that goes on from a list.
func sketchOf(most int, t Top) *sketch {
	s := newSketch(most)
	t = t.cut(most)
	s.base = t.Floor
	for _, i := range t.Items {
		s.insert(&counter{key: key{i.Index, i.Query}, count: i.Count, over: i.Over})
	}
	return s
}

// Top is a list of the most frequent queries, most frequent first.
type Top struct {
	Items []Item `msgpack:"i"`
	// Floor is how often a query that is not in the list may have been counted.
	Floor uint64 `msgpack:"f"`
}

// Item is a query of an index. It was counted at most Count times and at least Count - Over
// times.
type Item struct {
	Index string `msgpack:"x"`
	Query string `msgpack:"q"`
	Count uint64 `msgpack:"c"`
	Over  uint64 `msgpack:"o"`
}

// sort orders the items by how often they were counted for certain.
func (t *Top) sort() {
	slices.SortFunc(t.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Count-b.Over, a.Count-a.Over), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Query, b.Query))
	})
}

// cut returns the first items of a sorted list. Those that go raise the floor.
func (t Top) cut(most int) Top {
	if len(t.Items) > most {
		for _, i := range t.Items[most:] {
			t.Floor = max(t.Floor, i.Count)
		}
		t.Items = t.Items[:most:most]
	}
	return t
}

// tops adds up lists.
type tops struct {
	items map[key]*sum
	floor uint64
}

// sum adds up the items of one query. floors are those of the lists that had it.
type sum struct{ count, over, floors uint64 }

func (t *tops) add(list Top, index string) {
	if t.items == nil {
		t.items = map[key]*sum{}
	}
	t.floor += list.Floor
	for _, i := range list.Items {
		if index != "" && i.Index != index {
			continue
		}
		s := t.items[key{i.Index, i.Query}]
		if s == nil {
			s = new(sum)
			t.items[key{i.Index, i.Query}] = s
		}
		s.count, s.over, s.floors = s.count+i.Count, s.over+i.Over, s.floors+list.Floor
	}
}

// list returns the sum: the most frequent queries. A query that a list does not have may have
// been counted there as often as the floor of that list says.
func (t *tops) list(most int) Top {
	out := Top{Floor: t.floor}
	for k, s := range t.items {
		missed := t.floor - s.floors
		out.Items = append(out.Items, Item{Index: k.index, Query: k.query, Count: s.count + missed, Over: s.over + missed})
	}
	out.sort()
	return out.cut(most)
}
