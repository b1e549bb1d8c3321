package scrub

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"shoal/shard/store"
)

// Tables are the files to read.
type Tables interface {
	// TableFiles lists the files in use.
	TableFiles() ([]store.TableFile, error)
	// CheckTable compares a file with its checksums, nil when it is gone.
	CheckTable(path string, pace store.Pace) error
}

// Config says what is read and how fast; all but Log is needed.
type Config struct {
	Tables Tables
	// Every is the time from the end of one pass over all files to the next; a first one
	// begins after First. 0 = no passes: only suspects are read.
	Every, First time.Duration
	// Rate bounds the reading, in bytes a second.
	Rate int
	// Yield is called between blocks; it waits for what is more urgent.
	Yield func(ctx context.Context) error
	// Found is told of a damaged file, once for each damage that a reader met and once
	// for each pass. It may take its time.
	Found func(ctx context.Context, file store.TableFile, err error)
	// Passed is called after each pass.
	Passed func(ctx context.Context) error
	Log    *slog.Logger
}

// Scrubber reads table files in the background. Create with New, run with Run; the other
// methods are safe for concurrent use.
type Scrubber struct {
	Config
	limit *rate.Limiter

	mu       sync.Mutex
	suspects []string
	wake     chan struct{} // capacity 1

	bytes, passes, whole atomic.Int64
}

// burst is what may be read at once after a rest.
const burst = 1 << 20

// New returns a Scrubber.
func New(c Config) *Scrubber {
	return &Scrubber{Config: c, limit: rate.NewLimiter(rate.Limit(c.Rate), burst), wake: make(chan struct{}, 1)}
}

// Suspect has a file read soon, because a reader could not. It does not wait.
func (s *Scrubber) Suspect(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.suspects, path) {
		return
	}
	s.suspects = append(s.suspects, path)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Figures are what was read since the start.
type Figures struct {
	Bytes, Passes int64
	// Whole is when the newest pass over all files ended, 0 before the first one.
	Whole int64 // Unix seconds
}

// Figures tells how far the reading is.
func (s *Scrubber) Figures() Figures {
	return Figures{Bytes: s.bytes.Load(), Passes: s.passes.Load(), Whole: s.whole.Load()}
}

// Run reads until ctx ends.
func (s *Scrubber) Run(ctx context.Context) {
	due := time.NewTimer(s.First)
	defer due.Stop()
	if s.Every <= 0 {
		due.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			s.checkSuspects(ctx)
		case <-due.C:
			if err := s.pass(ctx); err != nil && ctx.Err() == nil {
				s.Log.Warn("shard: a pass over the table files was given up", slog.Any("error", err))
			}
			due.Reset(s.Every)
		}
	}
}

// pass reads all files; suspects go before.
func (s *Scrubber) pass(ctx context.Context) error {
	files, err := s.Tables.TableFiles()
	if err != nil {
		return err
	}
	for _, f := range files {
		s.checkSuspects(ctx)
		if err := s.check(ctx, f); err != nil {
			return err
		}
	}
	if err := s.Passed(ctx); err != nil {
		return err
	}
	s.passes.Add(1)
	s.whole.Store(time.Now().Unix())
	return nil
}

func (s *Scrubber) checkSuspects(ctx context.Context) {
	s.mu.Lock()
	paths := s.suspects
	s.suspects = nil
	s.mu.Unlock()
	if len(paths) == 0 {
		return
	}
	files, err := s.Tables.TableFiles()
	for _, f := range files {
		if slices.Contains(paths, f.Path) && err == nil {
			err = s.check(ctx, f)
		}
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("shard: a table file that a reader found damaged was not looked at", slog.Any("error", err))
	}
}

// check reads one file; the error says that it could not be decided.
func (s *Scrubber) check(ctx context.Context, f store.TableFile) error {
	err := s.Tables.CheckTable(f.Path, s.Pace(ctx))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	case store.Damaged(err):
		s.Found(ctx, f, err)
		return nil
	}
	return err
}

// Pace lets a reader read as fast as the Scrubber may.
func (s *Scrubber) Pace(ctx context.Context) store.Pace {
	return func(n int) error {
		s.bytes.Add(int64(n))
		for n > 0 {
			part := min(n, burst)
			if err := s.limit.WaitN(ctx, part); err != nil {
				return err
			}
			n -= part
		}
		return s.Yield(ctx)
	}
}
