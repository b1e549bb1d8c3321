package node

import (
	"context"
	"errors"

	"shoal/api/apierr"
	"shoal/coordinator/queue"
	"shoal/httpfront/admin"
)

// streams adapts the feed to the front.
type streams struct{ feed *queue.Feed }

// FollowTasks implements admin.Streams.
func (s streams) FollowTasks(ctx context.Context, authorized []string) (admin.Stream, error) {
	return s.follow(ctx, queue.TaskFeed, authorized)
}

// FollowBatches implements admin.Streams.
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
