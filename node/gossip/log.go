package gossip

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
)

// listLog turns memberlist's "[LEVEL] memberlist: text" lines into records until it is
// closed. memberlist does not wait for its goroutines when it shuts down, and their
// complaints about a closed socket help nobody.
type listLog struct {
	log    *slog.Logger
	closed atomic.Bool
}

func (g *listLog) Write(p []byte) (int, error) {
	if g.closed.Load() {
		return len(p), nil
	}
	line := strings.TrimSpace(string(p))
	level := slog.LevelDebug
	if i := strings.Index(line, "["); i >= 0 {
		if j := strings.Index(line[i:], "] "); j > 0 {
			// Losing a member is normal in a cluster; the node logs it itself.
			if line[i+1:i+j] == "ERR" {
				level = slog.LevelInfo
			}
			line = line[i+j+2:]
		}
	}
	line = strings.TrimPrefix(line, "memberlist: ")
	if i := strings.IndexAny(line, ":0123456789"); i > 0 {
		// The varying part is an attribute, because lines are counted by message.
		g.log.Log(context.Background(), level, strings.TrimRight(line[:i], ": "), "memberlist", line)
		return len(p), nil
	}
	g.log.Log(context.Background(), level, line)
	return len(p), nil
}
