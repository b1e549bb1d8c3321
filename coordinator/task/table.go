package task

import "shoal/wire"

// The types of tasks as clients name them.
const (
	DocumentAddition   wire.Kind = "documentAdditionOrUpdate"
	DocumentEdition    wire.Kind = "documentEdition"
	DocumentDeletion   wire.Kind = "documentDeletion"
	SettingsUpdate     wire.Kind = "settingsUpdate"
	IndexCreation      wire.Kind = "indexCreation"
	IndexDeletion      wire.Kind = "indexDeletion"
	IndexUpdate        wire.Kind = "indexUpdate"
	IndexSwap          wire.Kind = "indexSwap"
	TaskCancelation    wire.Kind = "taskCancelation"
	TaskDeletion       wire.Kind = "taskDeletion"
	DumpCreation       wire.Kind = "dumpCreation"
	SnapshotCreation   wire.Kind = "snapshotCreation"
	Export             wire.Kind = "export"
	UpgradeDatabase    wire.Kind = "upgradeDatabase"
	IndexCompaction    wire.Kind = "indexCompaction"
	NetworkTopology    wire.Kind = "networkTopologyChange"
	DynamicRulesUpdate wire.Kind = "dsrUpdate"
	DynamicRulesClear  wire.Kind = "dsrClear"
)

// Table lists every kind in the declaration order of the public interface,
// which is also the order of error texts and of stats.types (spec tasks-auth-ops-api 2.4).
var Table []Kind

func init() { // shapes are looked up in the table
	Table = []Kind{
		{Name: DocumentAddition, Aliases: true, Class: ClassIndex, Shape: always(Add), Failed: zeroed("indexedDocuments"), Dumped: dumped(dumpedAddition)},
		{Name: DocumentEdition, Aliases: true, Class: ClassIndex, Failed: zeroed("editedDocuments"), Dumped: dumped(dumpedEdition)},
		{Name: DocumentDeletion, Aliases: true, Class: ClassIndex, Shape: deletionShape, Failed: zeroed("deletedDocuments"), Dumped: dumpedDeletion},
		{Name: SettingsUpdate, Aliases: true, Class: ClassIndex, Shape: always(Settings)},
		{Name: IndexCreation, Class: ClassIndex, Dumped: dumped(dumpedIndexInfo)},
		{Name: IndexDeletion, Class: ClassIndex, Shape: always(DropIndex), Failed: zeroed("deletedDocuments"), Dumped: dumped(dumpedClear)},
		{Name: IndexUpdate, Class: ClassIndex, Dumped: dumped(dumpedIndexInfo)},
		{Name: IndexSwap, Class: ClassIndex, Dumped: dumped(dumpedSwap)},
		{Name: TaskCancelation, Class: ClassCancel, Newest: true, Failed: zeroed("canceledTasks"), Dumped: dumped(dumpedCancelation)},
		{Name: TaskDeletion, Class: ClassDeleteTasks, Together: true, Failed: zeroed("deletedTasks"), Dumped: dumped(dumpedTaskDeletion)},
		{Name: DumpCreation, Class: ClassDump, Dumped: dumped(dumpedDump)},
		{Name: SnapshotCreation, Class: ClassSnapshot, Together: true},
		{Name: Export, Class: ClassExport},
		{Name: UpgradeDatabase, Class: ClassUpgrade, Together: true, Plain: true},
		{Name: IndexCompaction, Aliases: true, Class: ClassCompaction, Dumped: dumped(dumpedCompaction)},
		{Name: NetworkTopology, Class: ClassTopology, Dumped: dumped(dumpedTopology), Plain: true},
		{Name: DynamicRulesUpdate, Class: ClassIndex, Shape: always(Rules), Dumped: dumped(dumpedRule), Plain: true},
		{Name: DynamicRulesClear, Class: ClassIndex, Shape: always(Rules), Failed: zeroed("deletedDocuments"), Dumped: dumped(dumpedClear), Plain: true},
	}
}
