package dump

import (
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/apierr"
	"shoal/coordinator/task"
	"shoal/wire"
)

// taskLine is one line of tasks/queue.jsonl (spec tasks-auth-ops-api 14.2).
type taskLine struct {
	UID        uint32          `json:"uid"`
	BatchUID   *uint32         `json:"batchUid"`
	IndexUID   *string         `json:"indexUid"`
	Status     string          `json:"status"`
	Type       json.RawMessage `json:"type"`
	CanceledBy *uint32         `json:"canceledBy,omitempty"`
	Details    json.RawMessage `json:"details,omitempty"`
	Error      *errorLine      `json:"error,omitempty"`
	EnqueuedAt date            `json:"enqueuedAt"`
	StartedAt  date            `json:"startedAt,omitzero"`
	FinishedAt date            `json:"finishedAt,omitzero"`
	Metadata   *string         `json:"customMetadata,omitempty"`
}

// errorLine is an error as clients see it.
type errorLine struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Type    string `json:"type"`
	Link    string `json:"link"`
}

func writeError(f *wire.Failure) *errorLine {
	if f == nil {
		return nil
	}
	code, _ := apierr.CodeByName(f.Code)
	return &errorLine{Message: f.Message, Code: f.Code, Type: code.Type, Link: code.Link()}
}

// taskWriter turns task records into lines.
type taskWriter struct {
	// load reads the payload of an unfinished task.
	load func(*wire.Payload) ([]byte, error)
	// dump is the task that writes this dump. Its line says that it succeeded, at the time now.
	dump uint32
	now  int64
}

// line returns the record's line, nil for a kind that a dump cannot hold.
func (w *taskWriter) line(t *wire.Task) (*taskLine, error) {
	l := &taskLine{
		UID: t.UID, BatchUID: t.Batch, IndexUID: t.IndexUID, Status: task.StatusNames[t.Status], CanceledBy: t.CanceledBy,
		Error: writeError(t.Error), EnqueuedAt: date(t.EnqueuedAt), StartedAt: date(t.StartedAt), FinishedAt: date(t.FinishedAt),
		Metadata: t.Metadata,
	}
	switch {
	case t.UID == w.dump && t.Kind == task.DumpCreation:
		l.Status, l.BatchUID, l.FinishedAt = task.StatusNames[wire.Succeeded], nil, date(w.now)
		if l.StartedAt == 0 {
			l.StartedAt = l.FinishedAt
		}
	case t.Status == wire.Processing:
		l.Status, l.BatchUID, l.StartedAt = task.StatusNames[wire.Enqueued], nil, 0
	}
	var err error
	if l.Type, l.Details, err = w.kind(t); err != nil {
		return nil, fmt.Errorf("task %d: %w", t.UID, err)
	}
	if l.Type == nil {
		return nil, nil
	}
	return l, nil
}

// fail turns the line into that of a failed task.
func (l *taskLine) fail(why *apierr.Error, now int64) {
	l.Status, l.BatchUID = task.StatusNames[wire.Failed], nil
	l.Error = writeError(&wire.Failure{Code: why.Code.Name, Message: why.Message})
	l.StartedAt, l.FinishedAt = date(now), date(now)
}

// kind writes the parameters and the details of a task.
func (w *taskWriter) kind(t *wire.Task) (parameters, details json.RawMessage, err error) {
	switch t.Kind {
	case task.SettingsUpdate:
		return w.settings(t)
	case task.Export:
		return w.export(t)
	case task.UpgradeDatabase:
		details, err = writeUpgradeDetails(t.Details)
		return tagged("upgradeDatabase", orNull(t.Body)), details, err
	case task.SnapshotCreation:
		return quoted("snapshotCreation"), nil, nil
	case task.DynamicRulesUpdate:
		return writeRuleTask(t)
	}
	k, known := task.Of(t.Kind)
	if !known || k.Dumped == nil {
		return nil, nil, nil
	}
	var extra []member
	if t.Kind == task.IndexCompaction {
		extra = []member{{"index_uid", optionalText(t.IndexUID)}}
	}
	if details, err = writeDetails(k.Dumped(t), t.Details, extra...); err != nil {
		return nil, nil, err
	}
	parameters, err = w.parameters(t)
	return parameters, details, err
}

func (w *taskWriter) parameters(t *wire.Task) (json.RawMessage, error) {
	switch t.Kind {
	case task.DocumentAddition:
		return writeAddition(t)
	case task.DocumentDeletion:
		return w.deletion(t)
	case task.DocumentEdition:
		b, err := task.Decode[task.Edition](t)
		if err != nil {
			return nil, err
		}
		return tagged("documentEdition", object{
			{"filter", orNull(b.Filter)}, {"context", orNull(b.Context)}, {"function", quoted(b.Function)},
		}.encode()), nil
	case task.IndexCreation:
		b, err := task.Decode[task.Creation](t)
		if err != nil {
			return nil, err
		}
		return tagged("indexCreation", object{{"primary_key", optionalText(b.PrimaryKey)}}.encode()), nil
	case task.IndexUpdate:
		b, err := task.Decode[task.Change](t)
		if err != nil {
			return nil, err
		}
		return tagged("indexUpdate", object{{"primary_key", optionalText(b.PrimaryKey)}, {"uid", optionalText(b.NewUID)}}.encode()), nil
	case task.IndexDeletion:
		return quoted("indexDeletion"), nil
	case task.IndexCompaction:
		return tagged("indexCompaction", object{{"index_uid", optionalText(t.IndexUID)}}.encode()), nil
	case task.IndexSwap:
		return tagged("indexSwap", orNull(t.Body)), nil
	case task.TaskCancelation:
		return w.captured("taskCancelation", t)
	case task.TaskDeletion:
		return w.captured("tasksDeletion", t)
	case task.DumpCreation:
		return writeDumpTask(t)
	case task.DynamicRulesClear:
		return quoted("dsrClear"), nil
	}
	return tagged(string(t.Kind), orNull(t.Body)), nil
}

func writeAddition(t *wire.Task) (json.RawMessage, error) {
	b, err := task.Decode[task.Addition](t)
	if err != nil {
		return nil, err
	}
	method := "ReplaceDocuments"
	if b.Update {
		method = "UpdateDocuments"
	}
	return tagged("documentImport", object{
		{"primary_key", optionalText(b.PrimaryKey)}, {"method", quoted(method)},
		{"documents_count", count(b.Manifest.Documents)}, {"allow_index_creation", flag(b.CreateIndex)},
	}.encode()), nil
}

func (w *taskWriter) deletion(t *wire.Task) (json.RawMessage, error) {
	b, err := task.Decode[task.Deletion](t)
	if err != nil {
		return nil, err
	}
	switch b.Form {
	case task.ByFilter:
		return tagged("documentDeletionByFilter", object{{"filter", orNull(b.Filter)}}.encode()), nil
	case task.All:
		return quoted("documentClear"), nil
	}
	ids := []string{}
	if data, err := w.payload(t); err != nil {
		return nil, err
	} else if len(data) > 0 {
		if err := wire.Unmarshal(data, &ids); err != nil {
			return nil, err
		}
	}
	list, err := encode(ids)
	if err != nil {
		return nil, err
	}
	return tagged("documentDeletion", object{{"documents_ids", list}}.encode()), nil
}

// payload reads the payload of an unfinished task. Finished tasks have none.
func (w *taskWriter) payload(t *wire.Task) ([]byte, error) {
	if t.Status > wire.Processing {
		return nil, nil
	}
	return w.load(&t.Payload)
}

// captured writes a set of tasks as the bytes of its portable bitmap.
func (w *taskWriter) captured(tag string, t *wire.Task) (json.RawMessage, error) {
	b, err := task.Decode[task.Captured](t)
	if err != nil {
		return nil, err
	}
	data, err := w.payload(t)
	if err == nil && len(data) == 0 {
		data, err = roaring.New().ToBytes()
	}
	if err != nil {
		return nil, err
	}
	numbers := make([]uint16, len(data)) // []byte would be encoded as text
	for i, c := range data {
		numbers[i] = uint16(c)
	}
	list, err := encode(numbers)
	if err != nil {
		return nil, err
	}
	return tagged(tag, object{{"query", quoted(b.Query)}, {"tasks", list}}.encode()), nil
}

func writeDumpTask(t *wire.Task) (json.RawMessage, error) {
	b, err := task.Decode[task.Dump](t)
	if err != nil {
		return nil, err
	}
	keys := make([]*keyLine, len(b.Keys))
	for i := range b.Keys {
		keys[i] = writeKey(&b.Keys[i])
	}
	list, err := encode(keys)
	if err != nil {
		return nil, err
	}
	uid := null
	if b.InstanceUID != "" {
		uid = quoted(b.InstanceUID)
	}
	return tagged("dumpCreation", object{{"keys", list}, {"instance_uid", uid}}.encode()), nil
}

// settings writes the change in clear, in the details too.
func (w *taskWriter) settings(t *wire.Task) (parameters, details json.RawMessage, err error) {
	b, err := task.Decode[task.SettingsChange](t)
	if err != nil {
		return nil, nil, err
	}
	patch := b.Patch
	if patch == nil {
		data, err := w.payload(t)
		if err != nil {
			return nil, nil, err
		}
		large := &task.LargeSettings{Patch: t.Details} // finished: only the public details remain
		if len(data) > 0 {
			if err := wire.Unmarshal(data, large); err != nil {
				return nil, nil, err
			}
		}
		patch = large.Patch
	}
	if len(patch) == 0 {
		patch = json.RawMessage("{}")
	}
	return tagged("settings", object{
		{"settings", patch}, {"is_deletion", flag(b.Delete)}, {"allow_index_creation", flag(b.CreateIndex)},
	}.encode()), tagged("SettingsUpdate", object{{"settings", patch}}.encode()), nil
}

func (w *taskWriter) export(t *wire.Task) (parameters, details json.RawMessage, err error) {
	b, err := task.Decode[task.ExportBody](t)
	if err != nil {
		return nil, nil, err
	}
	if parameters, err = exportOf(b, b.Indexes); err != nil {
		return nil, nil, err
	}
	have, err := decodeObject(t.Details)
	if err != nil {
		return nil, nil, err
	}
	if details, err = exportOf(b, have["indexes"]); err != nil {
		return nil, nil, err
	}
	return tagged("export", parameters), tagged("Export", details), nil
}
