package peer

import (
	"sync"
	"sync/atomic"
)

// Traffic counts the messages between this node and others, and their bytes, by method. It
// leaves out what framing, TLS and TCP add. Safe for concurrent use; the zero value is ready.
type Traffic struct {
	methods sync.Map // method to *counts
}

// Direction tells who sends.
type Direction int

// Directions of a message.
const (
	Sent Direction = iota
	Received
)

func (d Direction) String() string {
	if d == Sent {
		return "sent"
	}
	return "received"
}

// counts are the counts of one method, by direction.
type counts [2]struct{ messages, bytes atomic.Uint64 }

// method returns the counts of a method. Only names used by a handler or a caller of ours
// get here.
func (t *Traffic) method(name string) *counts {
	if c, ok := t.methods.Load(name); ok {
		return c.(*counts)
	}
	c, _ := t.methods.LoadOrStore(name, new(counts))
	return c.(*counts)
}

func (c *counts) add(d Direction, f *frame) {
	c[d].messages.Add(1)
	c[d].bytes.Add(uint64(1 + len(f.data)))
}

// Each calls tell with the counts of every method that was used.
func (t *Traffic) Each(tell func(method string, d Direction, messages, bytes uint64)) {
	t.methods.Range(func(name, value any) bool {
		c := value.(*counts)
		for _, d := range []Direction{Sent, Received} {
			tell(name.(string), d, c[d].messages.Load(), c[d].bytes.Load())
		}
		return true
	})
}
