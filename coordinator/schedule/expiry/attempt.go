package expiry

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
	firstPause = 2 * every
	maxPause   = time.Hour
)

// attempt is the last deletion of an index. Attempts are remembered so that a deletion that fails
// whenever it is tried does not fill the queue.
type attempt struct {
	attribute string
	task      uint32
	running   bool // its result is not known yet
	// pause follows the last failure, 0 if there was none. After it ends, in seconds since 1970,
	// the index is tried again.
	pause time.Duration
	after int64
}

// began notes that a task was enqueued for an index.
func (d *Deleter) began(index uint32, attribute string, uid uint32) {
	a := d.attempts[index]
	if a == nil {
		a = &attempt{}
		d.attempts[index] = a
	}
	a.attribute, a.task, a.running = attribute, uid, true
}

// pauses tells whether the next deletion of an index has to wait.
func (d *Deleter) pauses(x *wire.Index, attribute string, now int64) (bool, error) {
	a := d.attempts[x.ID]
	if a == nil {
		return false, nil
	}
	if a.attribute != attribute { // somebody has mended the settings
		delete(d.attempts, x.ID)
		return false, nil
	}
	if a.running {
		t, ok, err := d.tasks.Task(a.task)
		if err != nil {
			return false, fmt.Errorf("task %d: %w", a.task, err)
		}
		if !ok || t.Status == wire.Succeeded {
			delete(d.attempts, x.ID)
			return false, nil
		}
		if t.Status <= wire.Processing {
			return true, nil
		}
		if a.pause == 0 {
			d.log.Warn("documents that have expired stay, because the task that deletes them does not succeed; look at its error, it is tried again after growing pauses of up to an hour", "index", x.UID, "task", a.task)
		}
		a.pause = min(max(2*a.pause, firstPause), maxPause)
		a.running, a.after = false, now+int64(a.pause/time.Second)
	}
	return now < a.after, nil
}

// forget drops what is remembered of indexes that are gone.
func (d *Deleter) forget(c coordinator.Catalog) {
	maps.DeleteFunc(d.attempts, func(index uint32, _ *attempt) bool {
		_, exists := c.IndexByID(index)
		return !exists
	})
}
