package schedule

import (
	"fmt"
	"maps"
	"time"

	"shoal/coordinator"
	"shoal/wire"
)

// How long an index whose deletion of expired documents failed waits for the next one: twice as
// long each time.
const (
	firstExpiryPause = 2 * expireEvery
	maxExpiryPause   = time.Hour
)

// expiryFailures remembers the deletions of expired documents by index, so that one that fails
// whenever it is tried does not fill the queue. It belongs to one goroutine of one term: the next
// leader tries each index at once.
type expiryFailures map[uint32]*expiryAttempt

// expiryAttempt is the last deletion of an index.
type expiryAttempt struct {
	attribute string
	task      uint32
	running   bool // its result is not known yet
	// pause follows the last failure, 0 if there was none. After it ends, in seconds since 1970,
	// the index is tried again.
	pause time.Duration
	after int64
}

// began notes that a task was enqueued for an index.
func (f expiryFailures) began(index uint32, attribute string, uid uint32) {
	a := f[index]
	if a == nil {
		a = &expiryAttempt{}
		f[index] = a
	}
	a.attribute, a.task, a.running = attribute, uid, true
}

// pauses tells whether the next deletion of an index has to wait.
func (l *leader) pauses(x *wire.Index, attribute string, now int64) (bool, error) {
	a := l.expiryFailures[x.ID]
	if a == nil {
		return false, nil
	}
	if a.attribute != attribute { // somebody has mended the settings
		delete(l.expiryFailures, x.ID)
		return false, nil
	}
	if a.running {
		t, ok, err := l.log.Task(a.task)
		if err != nil {
			return false, fmt.Errorf("task %d: %w", a.task, err)
		}
		if !ok || t.Status == wire.Succeeded {
			delete(l.expiryFailures, x.ID)
			return false, nil
		}
		if t.Status <= wire.Processing {
			return true, nil
		}
		if a.pause == 0 {
			l.cfg.Log.Warn("documents that have expired stay, because the task that deletes them does not succeed; look at its error, it is tried again after growing pauses of up to an hour", "index", x.UID, "task", a.task)
		}
		a.pause = min(max(2*a.pause, firstExpiryPause), maxExpiryPause)
		a.running, a.after = false, now+int64(a.pause/time.Second)
	}
	return now < a.after, nil
}

// forget drops what is remembered of indexes that are gone.
func (f expiryFailures) forget(c coordinator.Catalog) {
	maps.DeleteFunc(f, func(index uint32, _ *expiryAttempt) bool {
		_, exists := c.IndexByID(index)
		return !exists
	})
}
