package state

import (
	"github.com/cockroachdb/pebble/v2"

	"shoal/wire/turns"
)

// compactions gives the compactions of the state their turns, as many at a time as pebble allows.
type compactions struct{ turns *turns.Turns }

// Register see pebble.CompactionScheduler.
func (c *compactions) Register(_ int, db pebble.DBForCompaction) {
	c.turns = turns.New(db.GetAllowedWithoutPermission, func() bool {
		waits, _ := db.GetWaitingCompaction()
		return waits && db.Schedule(c)
	})
}

// Unregister see pebble.CompactionScheduler.
func (c *compactions) Unregister() { c.turns.End() }

// TrySchedule see pebble.CompactionScheduler.
func (c *compactions) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !c.turns.Take() {
		return false, nil
	}
	return true, c
}

// UpdateGetAllowedWithoutPermission see pebble.CompactionScheduler.
func (c *compactions) UpdateGetAllowedWithoutPermission() { c.turns.Look() }

// Done see pebble.CompactionGrantHandle; so the others, which measure.
func (c *compactions) Done()                                               { c.turns.Done() }
func (c *compactions) Started()                                            {}
func (c *compactions) MeasureCPU(pebble.CompactionGoroutineKind)           {}
func (c *compactions) CumulativeStats(_ pebble.CompactionGrantHandleStats) {}
