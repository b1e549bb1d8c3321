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
	// CheckTable verifies the checksums of a file. It returns nil for a missing file.
	CheckTable(path string, pace store.Pace) error
}

// Config defines what is read and how fast. All except Log is required.
type Config struct {
	Tables Tables
	// Every is the time from the end of one pass over all files to the next. The first
	// one begins after First. 0 disables passes: only suspects are read.
	Every, First time.Duration
	// Rate bounds reading, in bytes per second.
	Rate int
	// Yield is called between blocks and waits for more urgent work.
	Yield func(ctx context.Context) error
	// Found is called with a damaged file, once for each damage that a reader met and
	// once per pass. It may block.
	Found func(ctx context.Context, file store.TableFile, err error)
	// Passed is called after each pass.
	Passed func(ctx context.Context) error
	Log    *slog.Logger
}

// Scrubber reads table files in the background. Create it with New and run it with Run;
// the other methods are safe for concurrent use.
type Scrubber struct {
	Config
	limit *rate.Limiter

	mu       sync.Mutex
	suspects []string
	wake     chan struct{} // capacity 1

	bytes, passes, whole atomic.Int64
}

// burst is the number of bytes that may be read at once after a pause.
const burst = 1 << 20

// New returns a Scrubber.
func New(c Config) *Scrubber {
	return &Scrubber{Config: c, limit: rate.NewLimiter(rate.Limit(c.Rate), burst), wake: make(chan struct{}, 1)}
}

// Suspect schedules a file for checking because a reader failed. It does not wait.
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

// Figures count what was read since the start.
type Figures struct {
	Bytes, Passes int64
	// Whole is when the newest pass over all files ended, 0 before the first one.
	Whole int64 // Unix seconds
}

// Figures returns the progress of reading.
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
				s.Log.Warn("shard: a pass over the table files failed; the next one starts as scheduled", slog.Any("error", err))
			}
			due.Reset(s.Every)
		}
	}
}

// pass reads all files, suspects first.
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
		s.Log.Warn("shard: a table file that a reader found damaged could not be checked", slog.Any("error", err))
	}
}

// check reads one file. An error means that the check could not finish.
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

// Pace limits a reader to the rate of the Scrubber.
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
