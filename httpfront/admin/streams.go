package admin

import (
	"context"
	"time"

	"shoal/api/apierr"
	"shoal/httpfront/routing"
)

// streamBeat is how long a stream may be silent.
const streamBeat = 30 * time.Second

// Streams follows tasks and batches as they change.
type Streams interface {
	// FollowTasks and FollowBatches begin a stream of what changes from now on. authorized
	// are the patterns of indexes that its reader may see, nil for all. It must be closed.
	FollowTasks(ctx context.Context, authorized []string) (Stream, error)
	FollowBatches(ctx context.Context, authorized []string) (Stream, error)
}

// Stream belongs to one goroutine.
type Stream interface {
	// Next waits for the next changes, at most the time; none when there were none. An error
	// ends the stream: it has a gap, or the context has ended.
	Next(ctx context.Context, wait time.Duration) (objects [][]byte, err error)
	Close()
}

// serveStream answers with an event for each change, until the client leaves. A stream that
// ends otherwise breaks off: the client opens another one and asks for what it waits for.
func (h *Handlers) serveStream(route string, follow func(s Streams, ctx context.Context, authorized []string) (Stream, error)) routing.Handler {
	return func(x *routing.Exchange) error {
		if !x.Features().TasksStreamingRoute {
			return apierr.FeatureNotEnabled("Using the "+route+" route", "tasks streaming route", 889)
		}
		s, err := follow(h.Streams, x.Context(), x.Auth.Indexes())
		if err != nil {
			return err
		}
		defer s.Close()
		events := x.Events()
		for {
			objects, err := s.Next(x.Context(), streamBeat)
			if err != nil || !x.Authorized() || !x.Features().TasksStreamingRoute {
				return nil // what was sent is whole: the client connects again, and is told why
			}
			if len(objects) == 0 {
				if events.Beat() != nil {
					return nil // the client has left
				}
			}
			for _, o := range objects {
				if events.Send(o) != nil {
					return nil // the client has left, or does not read
				}
			}
		}
	}
}
