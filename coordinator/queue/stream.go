package queue

import (
	"context"
	"slices"
	"time"

	"shoal/api"
	"shoal/wire"
)

// Stream is one reader's position in a Feed. It belongs to one goroutine.
type Stream struct {
	feed       *Feed
	kind       FeedKind
	authorized []string
	next       uint64 // guarded by feed.mu, as is lost
	lost       bool
}

// Next waits up to wait for changes that the reader may see; it returns none if there were
// none. The bodies are shared. Errors: ErrStreamLost, that of ctx.
func (s *Stream) Next(ctx context.Context, wait time.Duration) (bodies [][]byte, err error) {
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		events, more, err := s.read()
		if err != nil {
			return nil, err
		}
		for i := range events {
			ok, err := s.may(&events[i])
			if err != nil {
				return nil, err
			}
			if ok {
				bodies = append(bodies, events[i].body)
			}
		}
		if len(bodies) > 0 {
			return bodies, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			return nil, nil
		case <-more:
		}
	}
}

// read takes the shown events; more closes when more events are shown.
func (s *Stream) read() (events []feedEvent, more <-chan struct{}, err error) {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.lines[s.kind]
	if s.lost || s.next < l.first {
		return nil, nil, ErrStreamLost
	}
	if l.shown > s.next {
		events = slices.Clone(l.events[s.next-l.first : l.shown-l.first])
		s.next = l.shown
		l.trim()
	}
	return events, l.more, nil
}

// may tells whether the reader may see an event, with the rules of lists (spec
// tasks-auth-ops-api 3.2).
func (s *Stream) may(e *feedEvent) (bool, error) {
	if s.authorized == nil || slices.Contains(s.authorized, "*") {
		return true, nil
	}
	if e.task == nil {
		page, _, err := s.feed.log.Batches(&wire.TaskQuery{BatchUIDs: []uint32{e.uid}, Limit: 1, Authorized: s.authorized})
		return len(page) > 0, err
	}
	if e.task.IndexUID == nil || !api.MatchesIndex(s.authorized, *e.task.IndexUID) {
		return false, nil
	}
	return !slices.ContainsFunc(e.task.Indexes, func(name string) bool { return !api.MatchesIndex(s.authorized, name) }), nil
}

// Close ends the stream.
func (s *Stream) Close() {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.lines[s.kind]
	delete(l.streams, s)
	l.trim()
	if f.open--; f.open == 0 {
		f.watch(nil)
		f.arrived = wire.Moves{}
	}
	f.nudge()
}
