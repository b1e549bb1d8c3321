package link

import (
	"context"
	"slices"
	"sync"
	"time"

	"shoal/node/peer"
	"shoal/wire"
)

// stream is one to another node that carries searches, one after the other.
type stream struct {
	*peer.ClientStream
	node wire.NodeID
	end  context.CancelFunc
	idle time.Time // since when nobody uses it
	// held: the other end still has the session of the last search. The next one ends it,
	// or a message that says so.
	held bool
	// new: nothing was sent on it yet.
	new bool
	// elsewhere is what SearchOpen.Meanwhile took when it was last opened.
	elsewhere time.Duration
}

// opening is the message that opens a session on a stream that was kept.
func (x *stream) opening(req *wire.SearchOpen) any {
	if x.new {
		x.new = false
		return req
	}
	return &wire.SearchStep{Open: req}
}

// Streams that nobody uses are kept: so many of each node, so long. The other end keeps the
// session of the last search for releaseTime: most often the next search comes before, and
// no message is needed to end it.
const (
	maxIdle     = 32
	idleTime    = time.Minute
	releaseTime = 20 * time.Millisecond
)

// streams are those that nobody uses at the moment: beginning a stream costs both ends as
// much as a message and its answer. Safe for concurrent use; the zero value is ready.
type streams struct {
	mu sync.Mutex
	of map[wire.NodeID][]*stream // the one used last comes last
	// releasing: a timer runs out after which held sessions are looked at.
	releasing bool
	// tidying: one runs out after which those that nobody has used are.
	tidying bool
}

// take returns a stream to where a node is now, nil when there is none: a direct one if it
// can be.
func (s *streams) take(n wire.NodeID) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy(time.Now().Add(-idleTime))
	list := s.of[n]
	if len(list) == 0 {
		return nil
	}
	at := len(list) - 1
	for i := at; i >= 0; i-- {
		if list[i].Direct() {
			at = i
			break
		}
	}
	taken := list[at]
	if !taken.Current() {
		s.end(n)
		return nil
	}
	s.of[n], taken.held = slices.Delete(list, at, at+1), false
	return taken
}

// tidy ends the streams to all nodes that nobody has used since a moment: those of a burst,
// and of nodes that are not asked any more. The caller holds mu.
func (s *streams) tidy(since time.Time) {
	for n, list := range s.of {
		old := 0
		for ; old < len(list) && list[old].idle.Before(since); old++ {
			list[old].end()
		}
		if s.of[n] = slices.Delete(list, 0, old); len(s.of[n]) == 0 {
			delete(s.of, n)
		}
	}
}

// sweep ends the streams that nobody has used for long.
func (s *streams) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy(time.Now().Add(-idleTime))
	if s.tidying = len(s.of) > 0; s.tidying {
		time.AfterFunc(idleTime, s.sweep)
	}
}

// drop ends the streams to a node that nobody uses.
func (s *streams) drop(n wire.NodeID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(n)
}

// end is drop for those who hold mu.
func (s *streams) end(n wire.NodeID) {
	for _, old := range s.of[n] {
		old.end()
	}
	delete(s.of, n)
}

// put keeps a stream for the next search, or ends it.
func (s *streams) put(x *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.of[x.node]) >= maxIdle {
		x.end()
		return
	}
	if s.of == nil {
		s.of = make(map[wire.NodeID][]*stream)
	}
	x.idle = time.Now()
	s.of[x.node] = append(s.of[x.node], x)
	if !s.tidying {
		s.tidying = true
		time.AfterFunc(idleTime, s.sweep)
	}
	if x.held && !s.releasing {
		s.releasing = true
		time.AfterFunc(releaseTime, s.release)
	}
}

// release ends the sessions whose streams nobody has used for a while, at the other end. It
// is called again as long as there are others.
func (s *streams) release() {
	for _, x := range s.overdue(time.Now().Add(-releaseTime)) {
		if x.Notify(&wire.SearchStep{Release: true}) != nil {
			x.end()
			continue
		}
		x.held = false
		s.put(x)
	}
}

// overdue takes the streams out that nobody has used since a moment and whose sessions are
// held.
func (s *streams) overdue(since time.Time) (out []*stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releasing = false
	for n, list := range s.of {
		s.of[n] = slices.DeleteFunc(list, func(x *stream) bool {
			due := x.held && !x.idle.After(since)
			if due {
				out = append(out, x)
			}
			s.releasing = s.releasing || x.held && !due
			return due
		})
	}
	if s.releasing {
		time.AfterFunc(releaseTime, s.release)
	}
	return out
}
