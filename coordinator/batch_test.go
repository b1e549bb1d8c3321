package coordinator

import (
	"fmt"
	"strings"
	"testing"

	"shoal/coordinator/task"
	"shoal/wire"
)

// sketch makes tasks of one index from a short form, one word each: "add",
// "add:key", "add!" (may not create), "del", "delf", "clear", "set", "set!",
// "reset" (a DELETE of settings), "drop", "create", "update", "swap", "edit",
// "rules".
func sketch(words string) []*wire.Task {
	var tasks []*wire.Task
	for i, w := range strings.Fields(words) {
		name, key, named := strings.Cut(w, ":")
		name, bare := strings.CutSuffix(name, "!")
		var t *wire.Task
		switch name {
		case "add":
			a := &task.Addition{CreateIndex: !bare}
			if named {
				a.PrimaryKey = &key
			}
			t = task.NewAddition("i", a, wire.Payload{RawSize: 10}, nil)
		case "del":
			t = task.NewDeletion("i", 1, wire.Payload{}, nil)
		case "delf":
			t = task.NewFilterDeletion("i", []byte(`"a"`), nil)
		case "clear":
			t = task.NewClear("i", nil)
		case "set":
			t = task.NewSettings("i", &task.SettingsChange{Patch: []byte(`{}`), CreateIndex: !bare}, nil)
		case "reset":
			t = task.NewSettings("i", &task.SettingsChange{Patch: []byte(`{}`), Delete: true, CreateIndex: true}, nil)
		case "drop":
			t = task.NewIndexDeletion("i")
		case "create":
			t = task.NewCreation("i", nil)
		case "update":
			t = task.NewChange("i", &task.Change{})
		case "swap":
			t = task.NewSwap([]task.Swap{{Indexes: [2]string{"i", "j"}}})
		case "edit":
			t = task.NewEdition("i", &task.Edition{}, nil)
		case "rules":
			t = task.NewRulesClear(nil)
		default:
			panic(w)
		}
		t.UID = uint32(i)
		tasks = append(tasks, t)
	}
	return tasks
}

// The folding table of spec write-api 17.2.
func TestForm(t *testing.T) {
	key := "id"
	missing, exists, keyed := lane{UID: "i"}, lane{UID: "i", Exists: true}, lane{UID: "i", Exists: true, PrimaryKey: &key}
	const (
		all     = "batched all enqueued tasks for index `i`"
		setting = "stopped before task with id %d because it is a settings change which cannot be batched with document operations"
		docs    = "stopped before task with id %d because it is a document operation which cannot be batched with settings changes"
		filter  = "stopped before task with id %d because it is a deletion by filter which cannot be batched with document operations"
		drops   = "stopped after task with id %d because it deletes the index"
		rights  = "stopped batching before task with id %d because its index creation rules differ from the ones from the batch"
	)
	at := func(text string, n int) string { return fmt.Sprintf(text, n) }
	alone := func(n int, kind wire.Kind) string {
		return fmt.Sprintf("created batch containing only task with id %d of type `%s` that cannot be batched with any other task.", n, kind)
	}
	for _, c := range []struct {
		lane   lane
		tasks  string
		kind   batchKind
		count  int
		create bool
		why    string
	}{
		{exists, "add add del add", batchDocuments, 4, true, all},
		{exists, "add delf", batchDocuments, 1, true, at(filter, 1)},
		{exists, "add set", batchDocuments, 1, true, at(setting, 1)},
		{exists, "add del clear del", batchClear, 4, true, all},
		{exists, "add clear add", batchClear, 2, true, at(setting, 2)},
		{exists, "add del drop add", batchDrop, 3, true, at(drops, 2)},
		{exists, "del add", batchDocuments, 2, false, all},
		{exists, "del delf del", batchDeletions, 3, false, all},
		{exists, "delf add del", batchDocuments, 3, false, all},
		{exists, "delf add delf", batchDocuments, 2, false, at(filter, 2)},
		{exists, "del set", batchDeletions, 1, false, at(setting, 1)},
		{exists, "delf clear", batchClear, 2, false, all},
		{exists, "clear del delf clear", batchClear, 4, false, all},
		{exists, "clear set", batchClear, 1, false, at(setting, 1)},
		{exists, "clear drop", batchDrop, 2, false, at(drops, 1)},
		{exists, "set set", batchSettings, 2, true, all},
		{exists, "set add", batchSettings, 1, true, at(docs, 1)},
		{exists, "set del", batchSettings, 1, true, at(docs, 1)},
		{exists, "set clear set del delf clear", batchClearSettings, 6, true, all},
		{exists, "set clear add", batchClearSettings, 2, true, at(docs, 2)},
		{exists, "set clear drop", batchDrop, 3, true, at(drops, 2)},
		{exists, "set drop", batchDrop, 2, true, at(drops, 1)},
		{exists, "drop add", batchDrop, 1, false, at(drops, 0)},
		{exists, "create add", batchAlone, 1, true, alone(0, task.IndexCreation)},
		{exists, "update update", batchAlone, 1, false, alone(0, task.IndexUpdate)},
		{exists, "edit add", batchAlone, 1, false, alone(0, task.DocumentEdition)},
		{exists, "swap add", batchAlone, 1, false, alone(0, task.IndexSwap)},
		{exists, "add create", batchDocuments, 1, true, alone(1, task.IndexCreation)},
		{exists, "add edit", batchDocuments, 1, true, alone(1, task.DocumentEdition)},
		{exists, "set swap", batchSettings, 1, true, alone(1, task.IndexSwap)},
		{exists, "rules rules", batchRules, 2, false, all},

		// Primary keys.
		{keyed, "add:id add add:id", batchDocuments, 3, true, all},
		{keyed, "add add:sku", batchDocuments, 1, true, "stopped batching before task with id 1 because its primary key `sku` is different from the primary key of the index `id`"},
		{keyed, "add:sku add", batchDocuments, 1, true, "stopped batching before task with id 0 because its primary key `sku` is different from the primary key of the index `id`"},
		{exists, "add add:sku", batchDocuments, 1, true, "stopped batching before task with id 1 because it is setting the `sku` primary key and it would interfere with primary key guessing of the batch"},
		{exists, "add:sku add add:sku", batchDocuments, 3, true, all},
		{exists, "add:sku add:id", batchDocuments, 1, true, "stopped batching before task with id 1 because its primary key `id` is different from the primary key of the batch `sku`"},
		{exists, "del add:sku add:id", batchDocuments, 2, false, "stopped batching before task with id 2 because its primary key `id` is different from the primary key of the batch `sku`"},
		{exists, "clear add:sku", batchClear, 1, false, at(setting, 1)},

		// The right to create the index.
		{missing, "add add!", batchDocuments, 2, true, all},
		{missing, "add! add", batchDocuments, 1, false, at(rights, 1)},
		{missing, "add! add!", batchDocuments, 2, false, all},
		{exists, "add! add", batchDocuments, 2, false, all},
		{missing, "del add", batchDeletions, 1, false, at(rights, 1)},
		{missing, "del add!", batchDocuments, 2, false, all},
		{missing, "delf add", batchDocuments, 2, false, all},
		{missing, "set! set", batchSettings, 1, false, at(rights, 1)},
		{missing, "reset set", batchSettings, 1, false, at(rights, 1)},
		{missing, "set reset", batchSettings, 2, true, all},
		{missing, "add drop", batchDrop, 2, true, at(drops, 1)},

		// Limits.
		{lane{UID: "i", Exists: true, MaxTasks: 2}, "add add add", batchDocuments, 2, true, "batched up to configured batch limit of 2 tasks"},
		{lane{UID: "i", Exists: true, MaxBytes: 25}, "add add add", batchDocuments, 2, true, "batched up to configured batch size limit of 25B with a total of 30B"},
		{lane{UID: "i", Exists: true, MaxBytes: 5}, "add add", batchDocuments, 1, true, "batched up to configured batch size limit of 5B with a total of 20B"},
		{lane{UID: "i", Exists: true, MaxTasks: 3}, "add set add add", batchDocuments, 1, true, at(setting, 1)},
		{lane{UID: "i", Exists: true, OnlyOnes: true}, "add add", batchDocuments, 2, true, "batched all enqueued tasks"},
	} {
		got, err := form(c.lane, sketch(c.tasks))
		want := formed{Kind: c.kind, Count: c.count, Create: c.create, Strategy: c.why}
		if err != nil || got != want {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", c.tasks, got, err, want)
		}
	}
}
