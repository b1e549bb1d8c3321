package consensus

import (
	"context"
	"io"
	"log"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// raftLog passes raft's log records on to slog. Raft tells its life story at
// level info; here that is debug, and only warnings and errors keep their level.
type raftLog struct {
	log     *slog.Logger
	name    string
	implied []any
}

func newRaftLog(log *slog.Logger) hclog.Logger { return &raftLog{log: log, name: "raft"} }

func (l *raftLog) write(level slog.Level, msg string, args []any) {
	l.log.Log(context.Background(), level, msg, args...)
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

func (l *raftLog) Log(level hclog.Level, msg string, args ...any) {
	l.write(slogLevel(level), msg, args)
}
func (l *raftLog) Trace(string, ...any)             {}
func (l *raftLog) Debug(msg string, args ...any)    { l.write(slog.LevelDebug, msg, args) }
func (l *raftLog) Info(msg string, args ...any)     { l.write(slog.LevelDebug, msg, args) }
func (l *raftLog) Warn(msg string, args ...any)     { l.write(slog.LevelWarn, msg, args) }
func (l *raftLog) Error(msg string, args ...any)    { l.write(slog.LevelError, msg, args) }
func (l *raftLog) IsTrace() bool                    { return false }
func (l *raftLog) IsDebug() bool                    { return l.enabled(slog.LevelDebug) }
func (l *raftLog) IsInfo() bool                     { return l.enabled(slog.LevelDebug) }
func (l *raftLog) IsWarn() bool                     { return l.enabled(slog.LevelWarn) }
func (l *raftLog) IsError() bool                    { return l.enabled(slog.LevelError) }
func (l *raftLog) enabled(level slog.Level) bool    { return l.log.Enabled(context.Background(), level) }
func (l *raftLog) ImpliedArgs() []any               { return l.implied }
func (l *raftLog) Name() string                     { return l.name }
func (l *raftLog) Named(name string) hclog.Logger   { return l.renamed(l.name + "." + name) }
func (l *raftLog) ResetNamed(n string) hclog.Logger { return l.renamed(n) }
func (l *raftLog) SetLevel(hclog.Level)             {}

func (l *raftLog) With(args ...any) hclog.Logger {
	return &raftLog{log: l.log.With(args...), name: l.name, implied: append(l.implied[:len(l.implied):len(l.implied)], args...)}
}

func (l *raftLog) renamed(name string) hclog.Logger {
	return &raftLog{log: l.log, name: name, implied: l.implied}
}

func (l *raftLog) GetLevel() hclog.Level {
	switch {
	case l.IsDebug():
		return hclog.Debug
	case l.IsWarn():
		return hclog.Warn
	default:
		return hclog.Error
	}
}

func (l *raftLog) StandardLogger(*hclog.StandardLoggerOptions) *log.Logger {
	return slog.NewLogLogger(l.log.Handler(), slog.LevelDebug)
}

func (l *raftLog) StandardWriter(opts *hclog.StandardLoggerOptions) io.Writer {
	return l.StandardLogger(opts).Writer()
}
