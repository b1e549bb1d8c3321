package turns

import "github.com/cockroachdb/pebble/v2"

// Compactions schedules the compactions of one pebble store, as many concurrently as pebble
// allows. The zero value is ready.
type Compactions struct{ turns *turns }

// Register implements pebble.CompactionScheduler.
func (c *Compactions) Register(_ int, db pebble.DBForCompaction) {
	c.turns = newTurns(db.GetAllowedWithoutPermission, func() bool {
		waits, _ := db.GetWaitingCompaction()
		return waits && db.Schedule(c)
	})
}

// Unregister implements pebble.CompactionScheduler.
func (c *Compactions) Unregister() { c.turns.End() }

// TrySchedule implements pebble.CompactionScheduler.
func (c *Compactions) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !c.turns.Take() {
		return false, nil
	}
	return true, c
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler.
func (c *Compactions) UpdateGetAllowedWithoutPermission() { c.turns.Look() }

// Done implements pebble.CompactionGrantHandle.
func (c *Compactions) Done() { c.turns.Done() }

// Started implements pebble.CompactionGrantHandle; it does nothing.
func (c *Compactions) Started() {}

// MeasureCPU implements pebble.CompactionGrantHandle; it does nothing.
func (c *Compactions) MeasureCPU(pebble.CompactionGoroutineKind) {}

// CumulativeStats implements pebble.CompactionGrantHandle; it does nothing.
func (c *Compactions) CumulativeStats(pebble.CompactionGrantHandleStats) {}
