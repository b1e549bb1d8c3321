package consensus

import (
	"fmt"
	"time"

	"shoal/wire/await"
)

// watchDisk ends the node if one append to the log takes too long.
func (g *Group) watchDisk() {
	wait := appendWait{every: min(time.Second, g.cfg.DiskTimeout/4), limit: g.cfg.DiskTimeout}
	for await.Sleep(g.ctx, await.Until(wait.every)) == nil {
		if wait.tooLong(g.logs.Appending()) {
			g.history.fatal(fmt.Errorf("the disk of the log has not answered for %s", wait.waited))
			return
		}
	}
}

// appendWait is how long an append to the log has taken so far. It counts looks instead
// of reading a clock: a process that was stopped, or whose machine slept, did not wait
// for its disk.
type appendWait struct {
	every, limit time.Duration
	last         int64 // the append that ran at the last look
	waited       time.Duration
}

// tooLong is called regularly with the running append (0 for none).
func (w *appendWait) tooLong(running int64) bool {
	if running == 0 || running != w.last {
		w.last, w.waited = running, 0
		return false
	}
	w.waited += w.every
	return w.waited >= w.limit
}
