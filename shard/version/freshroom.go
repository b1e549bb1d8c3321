package version

import "sync"

// freshRoom bounds the fresh records of all shards of a node, because there may be many
// shards. Safe for concurrent use; the zero value is ready.
type freshRoom struct {
	mu sync.Mutex
	// of are the bytes of the newest versions with records, used is their sum.
	of   map[*Version]int
	used int
}

// follow records the size of a version that replaces another one. If the total exceeds
// most, it drops records, those of other shards first. 0 means no bound.
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

// forget removes a version that caches nothing any more.
func (r *freshRoom) forget(c *Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(c)
}

// remove removes a version. The caller holds mu.
func (r *freshRoom) remove(c *Version) {
	r.used -= r.of[c]
	delete(r.of, c)
}
