package raftlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Logger passes raft's log records on to slog. Raft's info records become debug; only
// warnings and errors keep their level. Raft repeats its complaints about a node that does
// not answer several times a second; they are passed on only once in a while.
type Logger struct {
	log     *slog.Logger
	name    string
	implied []any
	said    *sayings
}

// NewLogger returns a logger for raft that writes to log and rarely repeats itself.
func NewLogger(log *slog.Logger) hclog.Logger {
	return &Logger{log: log, name: "raft", said: &sayings{last: map[string]*saying{}, now: time.Now}}
}

// levels lowers records that matter less to operators than raft thinks: the state reports a
// node that is away, and elections are the cure.
var levels = map[string]slog.Level{
	"skipping application of old log":                   slog.LevelDebug,
	"rejecting pre-vote request since we have a leader": slog.LevelDebug,
	"rejecting vote request since we have a leader":     slog.LevelDebug,
	"heartbeat timeout reached, starting election":      slog.LevelInfo,
	"failed to make requestVote RPC":                    slog.LevelWarn,
	"failed to heartbeat to":                            slog.LevelWarn,
	"failed to appendEntries to":                        slog.LevelWarn,
	"failed to pipeline appendEntries":                  slog.LevelWarn,
	"failed to flush response":                          slog.LevelInfo,
	"failed to decode incoming command":                 slog.LevelInfo,
}

func (l *Logger) write(level slog.Level, msg string, args []any) {
	if own, ok := levels[msg]; ok {
		level = own
	}
	if termOver(args) {
		level = slog.LevelDebug
	}
	if level >= slog.LevelWarn {
		again, ok := l.said.pass(msg, args)
		if !ok {
			return
		}
		if again > 0 {
			args = append(args[:len(args):len(args)], "repeated", again)
		}
	}
	l.log.Log(context.Background(), level, msg, args...)
}

// ErrTermOver: a message was not sent because this node no longer leads. That is reported
// elsewhere.
var ErrTermOver = errors.New("this node leads no more")

func termOver(args []any) bool {
	return slices.ContainsFunc(args, func(a any) bool {
		err, ok := a.(error)
		return ok && errors.Is(err, ErrTermOver)
	})
}

// repeatAfter is how often a complaint about one node is repeated.
const repeatAfter = time.Minute

// sayings remembers recent records. Safe for concurrent use.
type sayings struct {
	mu   sync.Mutex
	last map[string]*saying
	now  func() time.Time
}

type saying struct {
	at    time.Time
	again int // not written since
}

// pass tells whether to write a record, and how many similar ones were omitted since the
// last one. Records are similar if they have the same message and node; errors and counts
// vary all the time.
func (s *sayings) pass(msg string, args []any) (again int, ok bool) {
	key := msg
	for i := 0; i+1 < len(args); i += 2 {
		if name, _ := args[i].(string); name == "peer" || name == "target" || name == "server-id" {
			key += fmt.Sprint(" ", args[i+1])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	known := s.last[key]
	if known == nil {
		if len(s.last) >= 1000 { // addresses come and go
			clear(s.last)
		}
		s.last[key] = &saying{at: now}
		return 0, true
	}
	if now.Sub(known.at) < repeatAfter {
		known.again++
		return 0, false
	}
	again = known.again
	known.at, known.again = now, 0
	return again, true
}

func slogLevel(level hclog.Level) slog.Level {
	switch level {
	case hclog.Error:
		return slog.LevelError
	case hclog.Warn:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

func (l *Logger) Log(level hclog.Level, msg string, args ...any) {
	l.write(slogLevel(level), msg, args)
}
func (l *Logger) Trace(string, ...any)             {}
func (l *Logger) Debug(msg string, args ...any)    { l.write(slog.LevelDebug, msg, args) }
func (l *Logger) Info(msg string, args ...any)     { l.write(slog.LevelDebug, msg, args) }
func (l *Logger) Warn(msg string, args ...any)     { l.write(slog.LevelWarn, msg, args) }
func (l *Logger) Error(msg string, args ...any)    { l.write(slog.LevelError, msg, args) }
func (l *Logger) IsTrace() bool                    { return false }
func (l *Logger) IsDebug() bool                    { return l.enabled(slog.LevelDebug) }
func (l *Logger) IsInfo() bool                     { return l.enabled(slog.LevelDebug) }
func (l *Logger) IsWarn() bool                     { return l.enabled(slog.LevelWarn) }
func (l *Logger) IsError() bool                    { return l.enabled(slog.LevelError) }
func (l *Logger) enabled(level slog.Level) bool    { return l.log.Enabled(context.Background(), level) }
func (l *Logger) ImpliedArgs() []any               { return l.implied }
func (l *Logger) Name() string                     { return l.name }
func (l *Logger) Named(name string) hclog.Logger   { return l.renamed(l.name + "." + name) }
func (l *Logger) ResetNamed(n string) hclog.Logger { return l.renamed(n) }
func (l *Logger) SetLevel(hclog.Level)             {}

func (l *Logger) With(args ...any) hclog.Logger {
	return &Logger{log: l.log.With(args...), name: l.name, said: l.said, implied: append(l.implied[:len(l.implied):len(l.implied)], args...)}
}

func (l *Logger) renamed(name string) hclog.Logger {
	return &Logger{log: l.log, name: name, implied: l.implied, said: l.said}
}

func (l *Logger) GetLevel() hclog.Level {
	switch {
	case l.IsDebug():
		return hclog.Debug
	case l.IsWarn():
		return hclog.Warn
	default:
		return hclog.Error
	}
}

func (l *Logger) StandardLogger(*hclog.StandardLoggerOptions) *log.Logger {
	return slog.NewLogLogger(l.log.Handler(), slog.LevelDebug)
}

func (l *Logger) StandardWriter(opts *hclog.StandardLoggerOptions) io.Writer {
	return l.StandardLogger(opts).Writer()
}
