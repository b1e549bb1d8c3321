package admin

import (
	"context"
	"io"
	"net/http"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// LogRoutes are the rows of logs.
func (h *Handlers) LogRoutes() []routing.Route {
	return []routing.Route{
		{Method: "POST", Pattern: "/logs/stream", Actions: []string{"metrics.get"}, Serve: h.serveLogStream, Partial: true, Body: logStreamFields},
		{Method: "DELETE", Pattern: "/logs/stream", Actions: []string{"metrics.get"}, Serve: h.serveStopLogStream, Partial: true, Status: http.StatusNoContent},
		{Method: "POST", Pattern: "/logs/stderr", Actions: []string{"metrics.get"}, Serve: h.serveLogTarget, Partial: true, Status: http.StatusNoContent, Body: logTargetFields},
	}
}

// logStream is the body of POST /logs/stream (spec tasks-auth-ops-api 10.6).
type logStream struct {
	Target, Mode  string
	ProfileMemory bool
}

var logStreamFields = decode.NewObject(
	decode.Plain("target", apierr.Code{}, logTarget, func(l *logStream) *string { return &l.Target }),
	decode.Plain("mode", apierr.Code{}, decode.OneOf("human", "json", "profile"), func(l *logStream) *string { return &l.Mode }),
	decode.Plain("profileMemory", apierr.Code{}, decode.Bool, func(l *logStream) *bool { return &l.ProfileMemory }),
)

var logTargetFields = decode.NewObject(
	decode.Plain("target", apierr.Code{}, logTarget, func(l *logStream) *string { return &l.Target }),
)

var logLevels = []string{"off", "error", "warn", "info", "debug", "trace", "0", "1", "2", "3", "4", "5"}

// logTarget accepts a comma-separated list of "path=level", bare levels and bare paths.
func logTarget(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	text, err := decode.String(at, v)
	if err != nil {
		return "", err
	}
	if text == "" {
		return "", at.Invalid("Empty string is not a valid target. If you want to get no logs use `OFF`. Usage: `info`, `meilisearch=info`, or you can write multiple filters in one target: `index_scheduler=info,milli=trace`")
	}
	for directive := range strings.SplitSeq(text, ",") {
		switch parts := strings.Split(directive, "="); {
		case len(parts) > 2:
			return "", at.Invalid("invalid filter directive: too many '=' in filter directive, expected 0 or 1")
		case len(parts) == 2 && parts[1] != "" && !isLevel(parts[1]):
			return "", at.Invalid("invalid filter directive: error parsing level filter: expected one of \"off\", \"error\", \"warn\", \"info\", \"debug\", \"trace\", or a number 0-5")
		}
	}
	return text, nil
}

func isLevel(text string) bool {
	for _, l := range logLevels {
		if strings.EqualFold(l, text) {
			return true
		}
	}
	return false
}

func gateLogs(x *routing.Exchange) error {
	if x.Features().LogsRoute {
		return nil
	}
	return apierr.FeatureNotEnabled("Modifying logs through the `/logs/*` routes", "logs route", 721)
}

func (h *Handlers) serveLogStream(x *routing.Exchange) error {
	l := logStream{Target: "info", Mode: "human"}
	if err := routing.ReadBody(x, logStreamFields, &l); err != nil {
		return err
	}
	if l.ProfileMemory && l.Mode != "profile" {
		mode := strings.ToUpper(l.Mode[:1]) + l.Mode[1:]
		// The code is the reference's, a slip of its authors.
		return apierr.New(settings.CodeTypoTolerance, "Invalid value: `profile_memory` can only be used while profiling code and is not compatible with the "+mode+" mode.")
	}
	if err := gateLogs(x); err != nil {
		return err
	}
	out := &logWriter{x: x}
	busy, err := h.Logs.Stream(x.Context(), l.Target, l.Mode, out, out.begin)
	if busy {
		return apierr.New(apierr.CodeBadRequest, "The `/logs/stream` route is currently in use by someone else.")
	}
	if err != nil && out.out == nil {
		return err
	}
	out.begin()
	return nil
}

// logWriter sends the head of the answer only with the first line, so that a refusal can
// still be an error object.
type logWriter struct {
	x   *routing.Exchange
	out http.ResponseWriter // nil before the head is sent
}

// begin flushes the buffer. The first call sends the head before it.
func (w *logWriter) begin() {
	if w.out == nil {
		w.out = w.x.Stream(http.StatusOK)
		h := w.out.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("X-Accel-Buffering", "no")
		w.out.WriteHeader(http.StatusOK)
	}
	// A flush fails only if the client has left. The stream then ends with the request's
	// context.
	_ = http.NewResponseController(w.out).Flush()
}

func (w *logWriter) Write(p []byte) (int, error) {
	if w.out == nil {
		w.begin()
	}
	return w.out.Write(p)
}

func (h *Handlers) serveStopLogStream(x *routing.Exchange) error {
	if err := gateLogs(x); err != nil {
		return err
	}
	h.Logs.Interrupt()
	return x.Empty(http.StatusNoContent)
}

func (h *Handlers) serveLogTarget(x *routing.Exchange) error {
	l := logStream{Target: "info"}
	if err := routing.ReadBody(x, logTargetFields, &l); err != nil {
		return err
	}
	if err := gateLogs(x); err != nil {
		return err
	}
	h.Logs.SetTarget(l.Target)
	return x.Empty(http.StatusNoContent)
}

// Logs gives access to the log of this node.
type Logs interface {
	// Stream copies lines that pass the target to w until ctx ends or Interrupt is called.
	// It calls flush after each line. If another reader already streams, busy is true and
	// nothing was written.
	Stream(ctx context.Context, target, mode string, w io.Writer, flush func()) (busy bool, err error)
	Interrupt()
	// SetTarget changes the level of the console log.
	SetTarget(target string)
}
