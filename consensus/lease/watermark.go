package lease

import (
	"context"
	"time"

	"shoal/wire"
)

// The watermark. A task shows as finished only when every node that answers for tasks has
// applied its end (architecture 4). Otherwise a client could read "succeeded" here and the
// old state there. A change without a task (keys, features, webhooks ...) is answered only
// then, too. Other writes never wait for it: nodes report the log time up to which they
// have applied, and the leader tells them the minimum. It is soft state, so a lost message
// only delays an answer.

// Current is the minimum over this node and the other leased nodes. It never decreases.
func (t *Table) Current() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.advance()
}

func (t *Table) advance() int64 {
	lowest := t.cfg.FSM.LastAt.Load()
	now := t.now()
	for _, s := range t.nodes {
		if now < s.until {
			lowest = min(lowest, s.at)
		}
		t.watch(s, now)
	}
	if lowest > t.watermark {
		t.watermark = lowest
		t.observe(now)
	}
	return t.watermark
}

// Spread keeps distributing the watermark while the term lasts: after each applied entry that
// clients wait for, and when a lease runs out.
func (t *Table) Spread() {
	own, machine, every := t.cfg.Own, t.cfg.FSM, t.cfg.Length/10
	tick := time.NewTimer(every)
	defer tick.Stop()
	for {
		change := machine.Applied.Next()
		if at := t.Current(); at > own.Seen() && own.Seen() < machine.LastAwaited.Load() {
			own.Learn(at)
			t.push()
		}
		// There is nothing to distribute unless clients wait for something.
		late := tick.C
		if own.Seen() < machine.LastAwaited.Load() {
			tick.Reset(every)
		} else {
			late = nil
		}
		select {
		case <-t.ctx.Done():
			return
		case <-change:
		case <-late:
		}
	}
}

// push sends the watermark to every node that has not heard it, with at most one call per
// node at a time.
func (t *Table) push() {
	if t.cfg.Tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.nodes {
		if s.pushed || s.told >= t.watermark || t.ctx.Err() != nil || t.now() >= s.until {
			continue
		}
		s.pushed = true
		t.cfg.Begin(func() { t.pushTo(id, s) })
	}
}

func (t *Table) pushTo(id wire.NodeID, s *standing) {
	for {
		t.mu.Lock()
		at := t.watermark
		if s.told >= at || t.ctx.Err() != nil {
			s.pushed = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.ctx, t.cfg.FormerLength/5)
		err := t.cfg.Tell(ctx, id, at)
		cancel()
		t.mu.Lock()
		if err == nil {
			s.told = max(s.told, at)
		}
		s.pushed = s.pushed && err == nil // the node's next report repeats the watermark
		stop := !s.pushed
		t.mu.Unlock()
		if stop {
			return
		}
	}
}
