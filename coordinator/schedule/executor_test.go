package schedule

import (
	"slices"
	"testing"

	"shoal/coordinator/task"
	"shoal/wire"
)

// TestEveryKindOfTasksIsRunBySomebody: a kind without a row would be run as an upload.
func TestEveryKindOfTasksIsRunBySomebody(t *testing.T) {
	folded := []wire.Kind{task.DocumentAddition, task.DocumentEdition, task.DocumentDeletion, task.DynamicRulesUpdate, task.DynamicRulesClear}
	imported := []wire.Kind{task.UpgradeDatabase, task.NetworkTopology} // finished ones of dumps; nobody enqueues them
	for _, kind := range task.Kinds() {
		if _, ok := executors[kind]; !ok && !slices.Contains(folded, kind) && !slices.Contains(imported, kind) {
			t.Errorf("%s has no row", kind)
		}
	}
}
