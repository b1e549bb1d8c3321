package fold

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/coordinator/task"
	"shoal/wire"
)

// sketch makes tasks of one index from a short form, one word each: "add",
// "add:key", "add!" (may not create), "del", "delf", "clear", "set", "set:bytes", "set!",
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
			patch := []byte(`{}`)
			if named { // this many bytes
				n, err := strconv.Atoi(key)
				if err != nil {
					panic(err)
				}
				patch = fmt.Appendf(nil, `{"stopWords":[%q]}`, strings.Repeat("a", n))
			}
			t = task.NewSettings("i", &task.SettingsChange{Patch: patch, CreateIndex: !bare}, nil)
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

// TestTasksFoldIntoBatchesAsTheReferenceDoes folds queues as testdata/fold.txt lists them.
func TestTasksFoldIntoBatchesAsTheReferenceDoes(t *testing.T) {
	kinds := map[Kind]string{
		Documents: "documents", Deletions: "deletions", Clear: "clear", Settings: "settings",
		ClearSettings: "clear and settings", Drop: "drop", Alone: "alone", Rules: "rules",
	}
	datadriven.RunTest(t, "testdata/fold.txt", func(t *testing.T, d *datadriven.TestData) string {
		state := Lane{UID: "i", Exists: d.HasArg("exists"), OnlyOnes: d.HasArg("only")}
		if d.HasArg("key") {
			state.PrimaryKey = new(string)
			d.ScanArgs(t, "key", state.PrimaryKey)
		}
		d.MaybeScanArgs(t, "tasks", &state.MaxTasks)
		d.MaybeScanArgs(t, "bytes", &state.MaxBytes)
		var b strings.Builder
		for queue := range strings.Lines(d.Input) {
			queue = strings.TrimSpace(queue)
			f, err := Form(state, sketch(queue))
			if err != nil {
				t.Fatalf("%s: %s: %v", d.Pos, queue, err)
			}
			creates := ""
			if f.Create {
				creates = ", may create"
			}
			fmt.Fprintf(&b, "%s: %d, %s%s: %s\n", queue, f.Count, kinds[f.Kind], creates, f.Strategy)
		}
		return b.String()
	})
}
