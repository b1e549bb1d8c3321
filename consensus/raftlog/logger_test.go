package raftlog

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestADeadNodeDoesNotFillTheLog(t *testing.T) {
	var out bytes.Buffer
	l := NewLogger(slog.New(slog.NewTextHandler(&out, nil)))
	now := time.Unix(0, 0)
	l.(*Logger).said.now = func() time.Time { return now }
	for range 1000 {
		l.Error("failed to heartbeat to", "peer", "a", "error", now.String())
		l.Named("other").Error("failed to heartbeat to", "peer", "b", "error", now.String())
		l.Info("not shown at all")
		now = now.Add(time.Second / 10)
	}
	if got := strings.Count(out.String(), "\n"); got != 4 {
		t.Errorf("%d lines instead of one a minute and node:\n%s", got, out.String())
	}
	if !strings.Contains(out.String(), "repeated=599") {
		t.Errorf("what was left out is not counted:\n%s", out.String())
	}
}
