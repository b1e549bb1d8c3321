package version

import "sync"

// freshRoom bounds what all shards of a node keep of fresh records: each has a bound of its
// own, but there may be many. Safe for concurrent use; the zero value is ready.
type freshRoom struct {
	mu sync.Mutex
	// of are the bytes of those newest versions that keep some, used is their sum.
	of   map[*Version]int
	used int
}

// follow notes what a version keeps, which comes after another one. What is more than most
// is given up, by other shards first; 0 is no bound.
func (r *freshRoom) follow(before, c *Version, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(before)
	n := c.FreshBytes()
	if n == 0 {
		return
	}
	if r.of == nil {
		r.of = make(map[*Version]int)
	}
	r.of[c], r.used = n, r.used+n
	if most == 0 {
		return
	}
	for other := range r.of {
		if r.used > most && other != c {
			other.fresh.Store(nil)
			r.remove(other)
		}
	}
	if r.used > most {
		c.fresh.Store(nil)
		r.remove(c)
	}
}

// forget is told of a version that keeps nothing any more.
func (r *freshRoom) forget(c *Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(c)
}

// remove takes a version off the list. The caller holds mu.
func (r *freshRoom) remove(c *Version) {
	r.used -= r.of[c]
	delete(r.of, c)
}
