package lease

import (
	"log/slog"
	"testing"
	"time"

	"shoal/consensus/fsm"
	"shoal/consensus/state"
	"shoal/wire"
)

// It lost its lease before it reported, and a node without a lease was not counted as late,
// because leases had become shorter than such a stall. So it held up tasks for ever.
func TestANodeThatStallsOftenIsJudgedSlow(t *testing.T) {
	cfg := Config{Length: 900 * time.Millisecond, FormerLength: 1500 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}
	for _, c := range []struct {
		stall time.Duration
		slow  bool
	}{
		{400 * time.Millisecond, false}, {800 * time.Millisecond, true}, {1200 * time.Millisecond, true}, {1600 * time.Millisecond, true},
		{2 * time.Second, false}, // it was gone
	} {
		stalls, quick := new(standing), new(standing)
		cfg.FSM = &fsm.FSM{Machine: new(state.Machine)}
		table := &Table{cfg: cfg, length: int64(cfg.Length), nodes: map[wire.NodeID]*standing{"stalls": stalls, "quick": quick}}
		now, slow := int64(time.Second), false
		for range lateTimes {
			stalls.until = now + table.length + slack(table.length)
			cfg.FSM.LastAwaited.Store(now)
			quick.at = now
			at, end := now, now+int64(c.stall)
			for ; now < end; now += table.length / 10 {
				table.watch(stalls, now)
			}
			now = end
			slow = !table.judge("stalls", stalls, at, now)
			stalls.at = at
			now += int64(100 * time.Millisecond)
		}
		if slow != c.slow {
			t.Errorf("a node that stalled %d times for %s is slow: %v", lateTimes, c.stall, slow)
		}
	}
}
