package api

// TaskKinds are the types of tasks as clients name them, in the order of error texts and of
// statistics (spec tasks-auth-ops-api 2.4). What is known of each is its row in
// coordinator/task.
var TaskKinds = []string{
	"documentAdditionOrUpdate", "documentEdition", "documentDeletion", "settingsUpdate", "indexCreation",
	"indexDeletion", "indexUpdate", "indexSwap", "taskCancelation", "taskDeletion", "dumpCreation",
	"snapshotCreation", "export", "upgradeDatabase", "indexCompaction", "networkTopologyChange", "dsrUpdate", "dsrClear",
}
