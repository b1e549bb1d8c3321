package task

import "shoal/wire"

// DumpForm describes the details of some tasks in dumps: a tag, and members in snake case (spec
// tasks-auth-ops-api 14.2) with their public names, in public order.
type DumpForm struct {
	Tag     string
	Members []DumpMember
}

// DumpMember is a member of details, by its name in dumps and its public one.
type DumpMember struct {
	Stored, Public string
	// Fixed members exist only in the public form. Optional ones are omitted when null.
	Fixed    string
	Optional bool
}

var dumpForms = map[string]*DumpForm{}

// DumpFormOf returns the form of a tag.
func DumpFormOf(tag string) (f *DumpForm, known bool) {
	f, known = dumpForms[tag]
	return f, known
}

func dumpForm(tag string, members ...DumpMember) *DumpForm {
	f := &DumpForm{tag, members}
	dumpForms[tag] = f
	return f
}

// dumped returns the same form for all tasks of a kind.
func dumped(f *DumpForm) func(*wire.Task) *DumpForm { return func(*wire.Task) *DumpForm { return f } }

// dumpedDeletion returns the form of a deletion of documents.
func dumpedDeletion(t *wire.Task) *DumpForm {
	switch ShapeOf(t) {
	case DeleteFilter:
		return dumpedFilterDeletion
	case Clear:
		return dumpedClear
	}
	return dumpedIDs
}

var (
	dumpedAddition = dumpForm("DocumentAdditionOrUpdate",
		DumpMember{Stored: "received_documents", Public: "receivedDocuments"}, DumpMember{Stored: "indexed_documents", Public: "indexedDocuments"})
	dumpedEdition = dumpForm("DocumentEdition",
		DumpMember{Stored: "edited_documents", Public: "editedDocuments"}, DumpMember{Stored: "deleted_documents", Public: "deletedDocuments"},
		DumpMember{Stored: "original_filter", Public: "originalFilter"}, DumpMember{Stored: "context", Public: "context"}, DumpMember{Stored: "function", Public: "function"})
	dumpedIDs = dumpForm("DocumentDeletion",
		DumpMember{Stored: "provided_ids", Public: "providedIds"}, DumpMember{Stored: "deleted_documents", Public: "deletedDocuments"},
		DumpMember{Public: "originalFilter", Fixed: "null"})
	dumpedFilterDeletion = dumpForm("DocumentDeletionByFilter",
		DumpMember{Public: "providedIds", Fixed: "0"}, DumpMember{Stored: "deleted_documents", Public: "deletedDocuments"},
		DumpMember{Stored: "original_filter", Public: "originalFilter"})
	dumpedClear     = dumpForm("ClearAll", DumpMember{Stored: "deleted_documents", Public: "deletedDocuments"})
	dumpedIndexInfo = dumpForm("IndexInfo", DumpMember{Stored: "primary_key", Public: "primaryKey"},
		DumpMember{Stored: "old_index_uid", Public: "oldIndexUid", Optional: true}, DumpMember{Stored: "new_index_uid", Public: "newIndexUid", Optional: true})
	dumpedCancelation = dumpForm("TaskCancelation", DumpMember{Stored: "matched_tasks", Public: "matchedTasks"},
		DumpMember{Stored: "canceled_tasks", Public: "canceledTasks"}, DumpMember{Stored: "original_filter", Public: "originalFilter"})
	dumpedTaskDeletion = dumpForm("TaskDeletion", DumpMember{Stored: "matched_tasks", Public: "matchedTasks"},
		DumpMember{Stored: "deleted_tasks", Public: "deletedTasks"}, DumpMember{Stored: "original_filter", Public: "originalFilter"})
	dumpedDump       = dumpForm("Dump", DumpMember{Stored: "dump_uid", Public: "dumpUid"})
	dumpedSwap       = dumpForm("IndexSwap", DumpMember{Stored: "swaps", Public: "swaps"})
	dumpedCompaction = dumpForm("IndexCompaction", DumpMember{Stored: "pre_compaction_size", Public: "preCompactionSize", Optional: true},
		DumpMember{Stored: "post_compaction_size", Public: "postCompactionSize", Optional: true})
	dumpedTopology = dumpForm("NetworkTopologyChange", DumpMember{Stored: "moved_documents", Public: "movedDocuments"}, DumpMember{Stored: "message", Public: "message"})
	dumpedRule     = dumpForm("DsrUpdate", DumpMember{Stored: "rule", Public: "rule", Optional: true}, DumpMember{Stored: "updated_rules", Public: "updatedRules"})
)
