package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"shoal/coordinator/task"
	"shoal/wire"
)

// samples are tasks of every kind as requests enqueue them, by the names that the script uses.
func samples(t *testing.T) map[string]*wire.Task {
	key, name, renamed, size := "sku", "note", "films", uint64(1<<20)
	ids := wire.Payload{Inline: must(wire.Marshal([]string{"3", "a"})), RawSize: 4}
	uids := wire.Payload{Inline: must(task.EncodeUIDs([]uint32{1, 2, 7}))}
	return map[string]*wire.Task{
		"addition":            task.NewAddition("movies", &task.Addition{PrimaryKey: &key, CreateIndex: true, Manifest: task.Manifest{Documents: 3, Key: &key, Distinct: 2}}, wire.Payload{}, &name),
		"update":              task.NewAddition("movies", &task.Addition{Update: true, SkipCreation: true, Manifest: task.Manifest{Documents: 1}}, wire.Payload{}, nil),
		"edition":             task.NewEdition("movies", &task.Edition{Function: "doc.n += context.by", Context: json.RawMessage(`{"by":2}`), Filter: json.RawMessage(`"n > 1"`)}, nil),
		"edition-of-all":      task.NewEdition("movies", &task.Edition{Function: "doc = ()"}, nil),
		"deletion":            task.NewDeletion("movies", 2, ids, nil),
		"deletion-by-filter":  task.NewFilterDeletion("movies", []byte(`["a = 1",["b = 2"]]`), nil),
		"clear":               task.NewClear("movies", nil),
		"settings":            task.NewSettings("movies", &task.SettingsChange{Patch: json.RawMessage(`{"stopWords":["the"],"embedders":{"e":{"source":"rest","apiKey":"a long secret key"}}}`), CreateIndex: true}, []byte(`{"stopWords":["the"],"embedders":{"e":{"source":"rest","apiKey":"a loXXX..."}}}`)),
		"settings-deletion":   task.NewSettings("movies", &task.SettingsChange{Patch: json.RawMessage(`{"stopWords":null}`), Delete: true, CreateIndex: true}, []byte(`{"stopWords":null}`)),
		"index-creation":      task.NewCreation("movies", &key),
		"index-creation-bare": task.NewCreation("movies", nil),
		"index-deletion":      task.NewIndexDeletion("movies"),
		"index-update":        task.NewChange("movies", &task.Change{PrimaryKey: &key}),
		"index-rename":        task.NewChange("movies", &task.Change{NewUID: &renamed}),
		"swap":                task.NewSwap([]task.Swap{{Indexes: [2]string{"a", "b"}}, {Indexes: [2]string{"c", "d"}, Rename: true}}),
		"swap-of-none":        task.NewSwap(nil),
		"cancelation":         task.NewCancelation(3, "?uids=1,2,7", uids),
		"task-deletion":       task.NewTaskDeletion(3, "?statuses=failed", uids),
		"dump":                task.NewDump(&task.Dump{InstanceUID: "11111111-1111-4111-8111-111111111111", Keys: []wire.Key{{UID: "22222222-2222-4222-8222-222222222222", Actions: []string{"search"}, Indexes: []string{"*"}, CreatedAt: 1e18, UpdatedAt: 1e18}}}),
		"snapshot":            task.NewSnapshot(),
		"export":              task.NewExport(&task.ExportBody{URL: "http://example.org", APIKey: &key, PayloadSize: &size, Indexes: json.RawMessage(`{"*":{"filter":null,"overrideSettings":true}}`)}, []byte(`{"url":"http://example.org","apiKey":"XXX...","payloadSize":"1 MiB","indexes":{"*":{"filter":null,"overrideSettings":true}}}`)),
		"compaction":          task.NewCompaction("movies"),
		"rules-update":        task.NewRulesUpdate(json.RawMessage(`{"uid":"pin","update":{"description":"d","actions":[]}}`), []byte(`{"rule":{"description":"d","actions":[]},"updatedRules":1}`), nil),
		"rules-clear":         task.NewRulesClear(nil),
		"upgrade":             {Kind: task.UpgradeDatabase, Body: []byte(`{"from":[1,49,0]}`), Details: []byte(`{"upgradeFrom":"v1.49.0","upgradeTo":"v1.50.0"}`)},
		"topology":            {Kind: task.NetworkTopology, Body: []byte(`{"network":{}}`), Details: []byte(`{"movedDocuments":3,"message":"m"}`)},
	}
}

// TestTaskForms shows a task of every kind as it is in the log and in a dump, enqueued and
// finished, and the result of reading it back. Existing dumps contain these lines.
func TestTaskForms(t *testing.T) {
	w := taskWriter{dump: wire.NoBatch, load: func(p *wire.Payload) ([]byte, error) { return p.Inline, nil }}
	seen := map[wire.Kind]bool{}
	made := samples(t)
	datadriven.RunTest(t, "testdata/forms.txt", func(t *testing.T, d *datadriven.TestData) string {
		var b strings.Builder
		switch d.Cmd {
		case "task":
			kept := made[d.CmdArgs[0].Key]
			if kept == nil {
				return "no such task\n"
			}
			seen[kept.Kind] = true
			enqueued := *kept
			enqueued.UID, enqueued.EnqueuedAt = 5, 1_600_000_000_123_456_789
			row, _ := task.Of(kept.Kind)
			fmt.Fprintf(&b, "kind     %s, class %d, shape %d\n", kept.Kind, row.Class, task.ShapeOf(kept))
			fmt.Fprintf(&b, "names    %s\n", strings.Join(kept.Indexes, " "))
			fmt.Fprintf(&b, "body     %s\ndetails  %s\nfailed   %s\n", kept.Body, kept.Details, task.FailedDetails(kept))
			both(t, &w, &b, "enqueued", &enqueued)
			finished := enqueued
			finished.Status, finished.Batch, finished.Details = wire.Failed, new(uint32), task.FailedDetails(kept)
			finished.StartedAt, finished.FinishedAt = enqueued.EnqueuedAt+1, enqueued.EnqueuedAt+2
			finished.Error = &wire.Failure{Message: "m", Code: "index_not_found"}
			both(t, &w, &b, "finished", &finished)
		case "line":
			read, err := readTaskLine([]byte(d.Input))
			if err != nil {
				return err.Error() + "\n"
			}
			show(t, &w, &b, []byte(d.Input), read)
		default:
			t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
		}
		return b.String()
	})
	for _, k := range task.Table {
		if !seen[k.Name] {
			t.Errorf("testdata/forms.txt shows no task of kind %s", k.Name)
		}
	}
}

// both writes a task as a line of a dump, and the task read back from it.
func both(t *testing.T, w *taskWriter, b *strings.Builder, name string, kept *wire.Task) {
	t.Helper()
	l, err := w.line(kept)
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(b, "%s %s\n", name, line)
	read, err := readTaskLine(line)
	if err != nil {
		fmt.Fprintf(b, "     read: %v\n", err)
		return
	}
	show(t, w, b, line, read)
}

// show writes the task read from a line, and the line that it would produce.
func show(t *testing.T, w *taskWriter, b *strings.Builder, line []byte, read *readTask) {
	t.Helper()
	fmt.Fprintf(b, "     read: %s %s, body %s, details %s", task.StatusNames[read.Status], read.Kind, read.Body, read.Details)
	if len(read.content) > 0 {
		fmt.Fprintf(b, ", payload %x", read.content)
	}
	if read.documents != nil {
		b.WriteString(", payload is the update file")
	}
	if read.Error != nil {
		fmt.Fprintf(b, ", error %s: %s", read.Error.Code, read.Error.Message)
	}
	b.WriteByte('\n')
	read.Payload.Inline = read.content
	l, err := w.line(&read.Task)
	if err != nil {
		fmt.Fprintf(b, "     cannot be written: %v\n", err)
		return
	}
	again, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, line) {
		fmt.Fprintf(b, "     written again: %s\n", again)
	}
}

// A key that expires in the year 9999 expired in 2262 after an import.
func TestADumpKeepsAnExpiryBeyondTheRangeOfNanoseconds(t *testing.T) {
	for _, shown := range []string{"9999-12-31T00:00:00Z", "9999-12-31T23:59:59-01:00", "2099-01-01T00:00:00+02:00"} {
		line := must(json.Marshal(&keyLine{UID: "11111111-1111-4111-8111-111111111111", ExpiresAt: &shown}))
		k := must(readKey(line))
		if got := writeKey(k).ExpiresAt; k.ExpiresShown != shown || *got != shown {
			t.Errorf("%s: stored as %s, dumped as %s", shown, k.ExpiresShown, *got)
		}
	}
}

// The reference could not import a dump with a key whose date has an offset of 24 hours, which
// POST /keys once accepted.
func TestADumpHasDatesThatTheReferenceReads(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	k := &wire.Key{ExpiresAt: &at, ExpiresShown: "2030-01-02T00:00:00+24:00"}
	if got := *writeKey(k).ExpiresAt; got != "2030-01-01T00:00:00Z" {
		t.Error(got)
	}
}
