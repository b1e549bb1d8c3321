package state

import (
	"github.com/cockroachdb/pebble/v2"

	"shoal/wire/turns"
)

// compactions limits the compactions of the state, as many at a time as pebble allows.
type compactions struct{ turns *turns.Turns }

// Register implements pebble.CompactionScheduler.
func (c *compactions) Register(_ int, db pebble.DBForCompaction) {
	c.turns = turns.New(db.GetAllowedWithoutPermission, func() bool {
		waits, _ := db.GetWaitingCompaction()
		return waits && db.Schedule(c)
	})
}

// Unregister implements pebble.CompactionScheduler.
func (c *compactions) Unregister() { c.turns.End() }

// TrySchedule implements pebble.CompactionScheduler.
func (c *compactions) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !c.turns.Take() {
		return false, nil
	}
	return true, c
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler.
func (c *compactions) UpdateGetAllowedWithoutPermission() { c.turns.Look() }

// Done implements pebble.CompactionGrantHandle, as do the methods that measure.
func (c *compactions) Done()                                               { c.turns.Done() }
func (c *compactions) Started()                                            {}
func (c *compactions) MeasureCPU(pebble.CompactionGoroutineKind)           {}
func (c *compactions) CumulativeStats(_ pebble.CompactionGrantHandleStats) {}
