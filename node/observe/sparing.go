package observe

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Repeated lines of one kind are written after firstPause, then after twice the pause each
// time, up to longestPause.
const (
	firstPause   = time.Second
	longestPause = 10 * time.Second
	// maxKinds bounds the kinds that are distinguished, because messages from libraries may
	// have varying parts.
	maxKinds = 256
)

// Sparing returns a logger for events that strangers can cause. Lines of one kind, that is
// level and message, are written at most once a second, and less often while they continue.
// The attribute "more" of the next line counts the omitted ones. All debug lines are
// written, because an operator asked for them.
func Sparing(log *slog.Logger) *slog.Logger {
	return slog.New(&sparing{next: log.Handler(), seen: &kinds{of: map[kindOf]*kind{}}})
}

type sparing struct {
	next slog.Handler
	seen *kinds
}

// kinds are the recently written kinds of lines.
type kinds struct {
	mu sync.Mutex
	of map[kindOf]*kind
}

type kindOf struct {
	level   slog.Level
	message string
}

type kind struct {
	pause time.Duration
	again time.Time // the next line is written from then on
	more  int       // lines that were omitted
}

// Enabled implements slog.Handler.
func (s *sparing) Enabled(ctx context.Context, level slog.Level) bool {
	return s.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (s *sparing) Handle(ctx context.Context, rec slog.Record) error {
	if rec.Level < slog.LevelInfo {
		return s.next.Handle(ctx, rec)
	}
	more, write := s.seen.admit(kindOf{rec.Level, rec.Message}, rec.Time)
	if !write {
		return nil
	}
	if more > 0 {
		rec = rec.Clone()
		rec.AddAttrs(slog.Int("more", more))
	}
	return s.next.Handle(ctx, rec)
}

// admit tells whether to write a line at a time, and how many were omitted before it.
func (k *kinds) admit(of kindOf, at time.Time) (more int, write bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	this := k.of[of]
	if this == nil {
		if len(k.of) >= maxKinds {
			of = kindOf{}
		}
		if this = k.of[of]; this == nil {
			this = &kind{}
			k.of[of] = this
		}
	}
	if at.Before(this.again) {
		this.more++
		return 0, false
	}
	if this.pause == 0 || at.Sub(this.again) > this.pause {
		this.pause = firstPause // there was no such line for a while
	} else {
		this.pause = min(2*this.pause, longestPause)
	}
	this.again = at.Add(this.pause)
	more, this.more = this.more, 0
	return more, true
}

// WithAttrs implements slog.Handler.
func (s *sparing) WithAttrs(as []slog.Attr) slog.Handler {
	return &sparing{next: s.next.WithAttrs(as), seen: s.seen}
}

// WithGroup implements slog.Handler.
func (s *sparing) WithGroup(name string) slog.Handler {
	return &sparing{next: s.next.WithGroup(name), seen: s.seen}
}
