package sources

import (
	"sync"

	"shoal/wire"
)

// asked counts the sources that this node has open on each node. Safe for concurrent use; the
// zero value is ready.
type asked struct {
	mu sync.Mutex
	of map[wire.NodeID]int
}

// add counts sources that were opened, or closed with a negative number.
func (a *asked) add(n wire.NodeID, by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = make(map[wire.NodeID]int)
	}
	if a.of[n] += by; a.of[n] == 0 {
		delete(a.of, n)
	}
}

func (a *asked) count(n wire.NodeID) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of[n]
}
