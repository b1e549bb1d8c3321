package admin

import (
	"context"
	"time"

	"shoal/api/apierr"
	"shoal/httpfront/routing"
)

// streamBeat is the longest silence of a stream.
const streamBeat = 30 * time.Second

// Streams reports changes of tasks and batches.
type Streams interface {
	// FollowTasks and FollowBatches begin a stream of the changes from now on. authorized
	// are the patterns of indexes that the reader may see, nil for all. The caller closes
	// the stream.
	FollowTasks(ctx context.Context, authorized []string) (Stream, error)
	FollowBatches(ctx context.Context, authorized []string) (Stream, error)
}

// Stream belongs to one goroutine.
type Stream interface {
	// Next waits for the next changes, at most the given time, and returns none if there
	// were none. An error ends the stream: it has a gap, or ctx has ended.
	Next(ctx context.Context, wait time.Duration) (objects [][]byte, err error)
	Close()
}

// serveStream answers with an event for each change until the client leaves. If the stream
// fails, it breaks off: the client opens a new one and looks up what it waits for.
func (h *Handlers) serveStream(route string, follow func(s Streams, ctx context.Context, authorized []string) (Stream, error)) routing.Handler {
	return func(x *routing.Exchange) error {
		if !x.Features().TasksStreamingRoute {
			return apierr.FeatureNotEnabled("Using the "+route+" route", "tasks streaming route", 889)
		}
		s, err := follow(h.Streams, x.Context(), h.tasksOf(x))
		if err != nil {
			return err
		}
		defer s.Close()
		events := x.Events()
		for {
			objects, err := s.Next(x.Context(), streamBeat)
			if err != nil || !x.Authorized() || !x.Features().TasksStreamingRoute {
				return nil // all sent events are complete; the client reconnects and then gets the reason
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
