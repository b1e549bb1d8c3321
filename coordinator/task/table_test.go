package task

import (
	"slices"
	"testing"

	"shoal/wire"
)

// Clients see the order in error texts and statistics. Kinds of our own may stand between those
// of the reference.
func TestKindsOfTheReferenceKeepTheirOrder(t *testing.T) {
	reference := []wire.Kind{
		"documentAdditionOrUpdate", "documentEdition", "documentDeletion", "settingsUpdate", "indexCreation",
		"indexDeletion", "indexUpdate", "indexSwap", "taskCancelation", "taskDeletion", "dumpCreation",
		"snapshotCreation", "export", "upgradeDatabase", "indexCompaction", "networkTopologyChange", "dsrUpdate", "dsrClear",
	}
	theirs := slices.DeleteFunc(Kinds(), func(k wire.Kind) bool { return !slices.Contains(reference, k) })
	if !slices.Equal(theirs, reference) {
		t.Errorf("of the reference's kinds the table has\n%s\nwant\n%s", theirs, reference)
	}
}
