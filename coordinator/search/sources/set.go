package sources

import (
	"cmp"
	"context"
	"time"

	"shoal/coordinator/fanout"
	"shoal/wire"
)

// Set are the open sources of one ranking, which together have all documents of the index. Close
// it. Not safe for concurrent use.
type Set []*Source

// Close closes the sources and reports their rounds.
func (s Set) Close() {
	here, elsewhere := 0, 0
	for _, x := range s {
		if x.node == x.opener.self {
			here = max(here, x.rounds)
		} else {
			elsewhere = max(elsewhere, x.rounds)
		}
		// A session that does not close cleanly has no answer left to lose.
		_ = x.front.Close()
	}
	if rounds := cmp.Or(elsewhere, here); rounds > 0 && s[0].opener.searched != nil {
		s[0].opener.searched(elsewhere > 0, rounds)
	}
}

// Waited is the longest wait of a source for the version of the index. Sources wait
// concurrently.
func (s Set) Waited() (most time.Duration) {
	for _, x := range s {
		most = max(most, x.waited)
	}
	return most
}

// Sessions returns the sessions that the driver asks, one for each source. The caller owns the
// slice, the set closes the sessions.
func (s Set) Sessions() []wire.Session {
	sessions := make([]wire.Session, len(s))
	for i, x := range s {
		sessions[i] = x.front
	}
	return sessions
}

// Every chooses all sources.
func Every(int) bool { return true }

// Each runs f for the chosen sources, concurrently when there are several.
func (s Set) Each(ctx context.Context, chosen func(i int) bool, f func(ctx context.Context, i int, session wire.Session) error) error {
	if len(s) == 1 {
		if !chosen(0) {
			return nil
		}
		return f(ctx, 0, s[0].front)
	}
	g, ctx := fanout.WithContext(ctx)
	for i, x := range s {
		if chosen(i) {
			g.Go(func() error { return f(ctx, i, x.front) })
		}
	}
	return g.Wait()
}

// Ask sends each source the step that step returns for it (nil: none), to other nodes at the
// same time, and passes the answers to take.
func (s Set) Ask(ctx context.Context, step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	return fanout.Ask(ctx, s.Sessions(), step, take)
}
