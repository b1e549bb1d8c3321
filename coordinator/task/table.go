package task

// Table lists every kind in the declaration order of the public interface,
// which is also the order of error texts and of stats.types.
var Table = []Kind{
	{Name: DocumentAddition, Class: ClassIndex, Shape: always(Add), Failed: zeroed("indexedDocuments")},
	{Name: DocumentEdition, Class: ClassIndex, Failed: zeroed("editedDocuments")},
	{Name: DocumentDeletion, Class: ClassIndex, Shape: deletionShape, Failed: zeroed("deletedDocuments")},
	{Name: SettingsUpdate, Class: ClassIndex, Shape: always(Settings)},
	{Name: IndexCreation, Class: ClassIndex},
	{Name: IndexDeletion, Class: ClassIndex, Shape: always(DropIndex), Failed: zeroed("deletedDocuments")},
	{Name: IndexUpdate, Class: ClassIndex},
	{Name: IndexSwap, Class: ClassIndex},
	{Name: TaskCancelation, Class: ClassCancel, Newest: true, Failed: zeroed("canceledTasks")},
	{Name: TaskDeletion, Class: ClassDeleteTasks, Together: true, Failed: zeroed("deletedTasks")},
	{Name: DumpCreation, Class: ClassDump},
	{Name: SnapshotCreation, Class: ClassSnapshot, Together: true},
	{Name: Export, Class: ClassExport},
	{Name: UpgradeDatabase, Class: ClassUpgrade, Together: true},
	{Name: IndexCompaction, Class: ClassCompaction},
	{Name: NetworkTopology, Class: ClassTopology},
	{Name: DynamicRulesUpdate, Class: ClassIndex, Shape: always(Rules)},
	{Name: DynamicRulesClear, Class: ClassIndex, Shape: always(Rules), Failed: zeroed("deletedDocuments")},
}
