package node

import (
	"context"
	"errors"

	"shoal/api/apierr"
	"shoal/coordinator/queue"
	"shoal/httpfront/admin"
)

// streams is the feed as the front asks for it.
type streams struct{ feed *queue.Feed }

// FollowTasks see admin.Streams.
func (s streams) FollowTasks(ctx context.Context, authorized []string) (admin.Stream, error) {
	return s.follow(ctx, queue.TaskFeed, authorized)
}

// FollowBatches see admin.Streams.
func (s streams) FollowBatches(ctx context.Context, authorized []string) (admin.Stream, error) {
	return s.follow(ctx, queue.BatchFeed, authorized)
}

func (s streams) follow(ctx context.Context, kind queue.FeedKind, authorized []string) (admin.Stream, error) {
	stream, err := s.feed.Open(ctx, kind, authorized)
	if errors.Is(err, queue.ErrTooManyStreams) {
		return nil, apierr.TooManyStreams(queue.MaxStreams)
	}
	if err != nil {
		return nil, err
	}
	return stream, nil
}
