package observe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"

	"shoal/node/config"
)

// Logs is the destination of log records: the console, whose level can change at run time,
// and at most one reader of /logs/stream. Safe for concurrent use.
type Logs struct {
	console slog.Handler
	level   *slog.LevelVar
	reader  atomic.Pointer[logReader]
	recent  recent
}

// logReader is the one stream. If its client is slow, lines are dropped, because nothing
// waits for it.
type logReader struct {
	level   slog.Level
	json    bool
	lines   chan []byte
	stopped context.CancelFunc
}

// streamBuffer is how many lines a slow reader may lag behind.
const streamBuffer = 1024

// NewLogs makes the log output of a node on w.
func NewLogs(w io.Writer, levelName string, json bool) (*Logs, error) {
	level, err := config.ParseLevel(levelName)
	if err != nil {
		return nil, fmt.Errorf("--log-level: %w", err)
	}
	l := &Logs{level: new(slog.LevelVar)}
	l.level.Set(level)
	l.console = lineHandler(io.MultiWriter(w, &l.recent), l.level, json)
	return l, nil
}

func lineHandler(w io.Writer, level slog.Leveler, json bool) slog.Handler {
	opt := &slog.HandlerOptions{Level: level}
	if json {
		return slog.NewJSONHandler(w, opt)
	}
	return slog.NewTextHandler(w, opt)
}

// Logger returns the logger over this output.
func (l *Logs) Logger() *slog.Logger { return slog.New(&logHandler{out: l, console: l.console}) }

// SetTarget changes the console's level. target is "info", or a list whose first bare level
// counts (there are no targets by module here).
func (l *Logs) SetTarget(target string) {
	if level, ok := targetLevel(target); ok {
		l.level.Set(level)
	}
}

func targetLevel(target string) (slog.Level, bool) {
	found, ok := slog.LevelError+100, false
	for part := range strings.SplitSeq(target, ",") {
		name := part
		if _, after, has := strings.Cut(part, "="); has {
			name = after
		}
		if level, err := config.ParseLevel(strings.TrimSpace(name)); err == nil {
			found, ok = min(found, level), true
		}
	}
	return found, ok
}

// Stream copies lines to w until ctx ends or Interrupt is called. busy means that another
// reader streams.
func (l *Logs) Stream(ctx context.Context, target, mode string, w io.Writer, flush func()) (busy bool, err error) {
	level, ok := targetLevel(target)
	if !ok {
		level = slog.LevelInfo
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &logReader{level: level, json: mode == "json", lines: make(chan []byte, streamBuffer), stopped: cancel}
	if !l.reader.CompareAndSwap(nil, r) {
		return true, nil
	}
	defer l.reader.Store(nil)
	flush() // the client sees the headers before the first line
	for {
		select {
		case line := <-r.lines:
			if _, err := w.Write(line); err != nil {
				return false, fmt.Errorf("write a log line: %w", err)
			}
			flush()
		case <-ctx.Done():
			return false, nil
		}
	}
}

// Interrupt ends the running stream, if any.
func (l *Logs) Interrupt() {
	if r := l.reader.Load(); r != nil {
		r.stopped()
	}
}

// wants returns the reader if it wants records of this level, otherwise nil.
func (l *Logs) wants(level slog.Level) *logReader {
	if r := l.reader.Load(); r != nil && level >= r.level {
		return r
	}
	return nil
}

// logHandler sends each record to the console and to the reader. chain repeats the calls of
// WithAttrs and WithGroup on the handlers that are made per record for the reader.
type logHandler struct {
	out     *Logs
	console slog.Handler
	chain   []func(slog.Handler) slog.Handler
}

func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.console.Enabled(ctx, level) || h.out.wants(level) != nil
}

func (h *logHandler) Handle(ctx context.Context, rec slog.Record) error {
	if r := h.out.wants(rec.Level); r != nil {
		var buf bytes.Buffer
		var one slog.Handler = lineHandler(&buf, r.level, r.json)
		for _, f := range h.chain {
			one = f(one)
		}
		if err := one.Handle(ctx, rec); err == nil {
			select {
			case r.lines <- buf.Bytes():
			default: // a slow reader loses lines, the node does not wait
			}
		}
	}
	if !h.console.Enabled(ctx, rec.Level) {
		return nil
	}
	return h.console.Handle(ctx, rec)
}

func (h *logHandler) WithAttrs(as []slog.Attr) slog.Handler {
	return h.with(func(n slog.Handler) slog.Handler { return n.WithAttrs(as) })
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return h.with(func(n slog.Handler) slog.Handler { return n.WithGroup(name) })
}

func (h *logHandler) with(f func(slog.Handler) slog.Handler) slog.Handler {
	chain := append(append([]func(slog.Handler) slog.Handler(nil), h.chain...), f)
	return &logHandler{out: h.out, console: f(h.console), chain: chain}
}
