package columnist

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"shoal/shard/rank/columns"
	"shoal/shard/store"
)

// warmer reads files that searches will need, right after their shards were loaded. It
// reads in large parts what searches would read piece by piece from a cold disk. It
// changes no answer. Safe for concurrent use.
type warmer struct {
	mu sync.Mutex
	// shards are the loaded shards that are not warm yet, in load order.
	shards []*coldShard
	// news signals the first cold shard.
	news chan struct{}
	// ended: nothing is warmed any more, or at all.
	ended bool
	// left is the number of bytes that may still be read. Only Warm uses it.
	left int64
}

// coldShard is a shard that is being warmed.
type coldShard struct {
	// files are column files, held until the shard is warm.
	files []*file
	words store.KeyRange
	stage int
}

// stages are executed one after the other, each for all waiting shards. They start with
// what searches use most, relative to its size.
var stages = []func(c *Columnist, ctx context.Context, s *coldShard, pace pace) error{
	func(c *Columnist, ctx context.Context, s *coldShard, pace pace) error {
		return c.warmColumns(ctx, s, columns.Orders, pace)
	},
	func(c *Columnist, ctx context.Context, s *coldShard, pace pace) error {
		n, err := c.o.Store.ReadAhead(ctx, s.words, c.warmer.left, pace)
		c.warmer.left -= n
		return err
	},
	func(c *Columnist, ctx context.Context, s *coldShard, pace pace) error {
		return c.warmColumns(ctx, s, columns.Rest, pace)
	},
}

type pace = func(context.Context) error

// add schedules a shard's mapped column files, which the caller holds, and the posting
// lists of its words for warming. It does nothing if no file is mapped.
func (w *warmer) add(held []holding, words store.KeyRange) {
	s := &coldShard{words: words}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	for _, h := range held {
		if h.Warming() != nil {
			h.refs.Add(1)
			s.files = append(s.files, h.file)
		}
	}
	if len(s.files) == 0 {
		return
	}
	w.shards = append(w.shards, s)
	select {
	case w.news <- struct{}{}:
	default: // already signaled
	}
}

// next returns the shard in the earliest stage, nil if all are warm.
func (w *warmer) next() (least *coldShard) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.shards {
		if least == nil || s.stage < least.stage {
			least = s
		}
	}
	return least
}

// done releases a shard.
func (w *warmer) done(shard *coldShard, log *slog.Logger) {
	w.mu.Lock()
	w.shards = slices.DeleteFunc(w.shards, func(s *coldShard) bool { return s == shard })
	w.mu.Unlock()
	for _, f := range shard.files {
		if err := f.release(); err != nil {
			log.Warn("shard: columns that were read ahead could not be closed", slog.Any("error", err))
		}
	}
}

// end releases all shards and ignores later ones.
func (w *warmer) end(log *slog.Logger) {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	for s := w.next(); s != nil; s = w.next() {
		w.done(s, log)
	}
}

// Warm reads ahead until ctx ends, for all shards loaded until then. Call it once.
func (c *Columnist) Warm(ctx context.Context) {
	w := &c.warmer
	defer w.end(c.o.Log)
	for ctx.Err() == nil {
		s := w.next()
		if s == nil {
			select {
			case <-ctx.Done():
			case <-w.news:
			}
			continue
		}
		err := stages[s.stage](c, ctx, s, c.o.Pacer())
		if err != nil && ctx.Err() == nil {
			c.o.Log.Warn("shard: columns could not be read ahead; the first searches are slower", slog.Any("error", err))
		}
		if s.stage++; err != nil || w.left <= 0 || s.stage == len(stages) {
			w.done(s, c.o.Log)
		}
	}
}

// warmColumns reads a part of the column files of a shard.
func (c *Columnist) warmColumns(ctx context.Context, s *coldShard, part columns.Part, pace pace) error {
	for _, f := range s.files {
		w := f.Warming()
		if w == nil || c.warmer.left <= 0 {
			continue
		}
		n, err := w.Read(ctx, part, c.warmer.left, pace)
		if c.warmer.left -= n; err != nil {
			return err
		}
	}
	return nil
}
