package store

import (
	"github.com/cockroachdb/pebble/v2"

	"shoal/wire/turns"
)

// compactions schedules a store's compactions, as many concurrently as pebble allows.
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

// These implement pebble.CompactionGrantHandle. Only Done has an effect.
func (c *compactions) Done()                                               { c.turns.Done() }
func (c *compactions) Started()                                            {}
func (c *compactions) MeasureCPU(pebble.CompactionGoroutineKind)           {}
func (c *compactions) CumulativeStats(_ pebble.CompactionGrantHandleStats) {}
