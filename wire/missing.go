package wire

// Missing names what a replica lacks to reach the newest version of its shard.
type Missing struct {
	Key ShardKey
	// Deltas have to be fetched, oldest first. Empty: the deltas known to the
	// catalogue do not lead here from what the replica has; it must be copied.
	Deltas []PendingRef
	// Damaged tells what is wrong with what is here: it is of no use, a copy replaces it.
	Damaged string
}
