package peer

import "sync"

// directSet are the direct connections of one side that last, with where they lead to or
// come from, and the goroutines that see to them. Nothing is added once it is closed.
type directSet struct {
	mu     sync.Mutex // guards closed and live
	closed bool
	live   map[*direct]target
	work   sync.WaitGroup
}

func (d *directSet) forget(c *direct) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.live, c)
}

// close ends all connections and waits for the goroutines.
func (d *directSet) close() {
	d.mu.Lock()
	d.closed = true
	for c := range d.live {
		_ = c.Close() // it fails only when it was closed before
	}
	d.mu.Unlock()
	d.work.Wait()
}
