package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"shoal/api/apierr"
	"shoal/coordinator/pinning"
	"shoal/coordinator/task"
	"shoal/wire"
)

// readTask is a task of a dump, to be added to the queue.
type readTask struct {
	wire.Task
	// content becomes the payload of an unfinished task.
	content []byte
	// documents, when not nil, belongs to an unfinished import whose payload is the task's
	// update file.
	documents *task.Addition
}

// readTaskLine decodes one line of the queue.
func readTaskLine(data []byte) (*readTask, error) {
	var l taskLine
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, damaged("task: %w", err)
	}
	status := slices.Index(task.StatusNames[:], l.Status)
	if status < 0 {
		return nil, damaged("task %d: status %q", l.UID, l.Status)
	}
	if wire.Status(status) == wire.Processing {
		status, l.BatchUID, l.StartedAt = int(wire.Enqueued), nil, 0
	}
	if l.UID == wire.NoBatch || l.EnqueuedAt == 0 {
		return nil, damaged("task %d: no number or no date", l.UID)
	}
	t := &readTask{Task: wire.Task{
		UID: l.UID, Batch: l.BatchUID, IndexUID: l.IndexUID, Status: wire.Status(status), CanceledBy: l.CanceledBy,
		EnqueuedAt: int64(l.EnqueuedAt), StartedAt: int64(l.StartedAt), FinishedAt: int64(l.FinishedAt), Metadata: l.Metadata,
	}}
	if l.Error != nil {
		t.Error = &wire.Failure{Message: l.Error.Message, Code: l.Error.Code}
	}
	if err := t.settle(&l); err != nil {
		if errors.Is(err, ErrDamaged) {
			return nil, fmt.Errorf("task %d: %w", l.UID, err)
		}
		return nil, damaged("task %d: %w", l.UID, err)
	}
	return t, nil
}

func (t *readTask) unfinished() bool { return t.Status <= wire.Processing }

// settle fills in kind, body, payload and details.
func (t *readTask) settle(l *taskLine) error {
	tag, content, err := variant(l.Type)
	if err != nil {
		return err
	}
	fresh, err := t.kind(tag, content)
	if err != nil {
		return err
	}
	t.Kind, t.Body, t.Indexes = fresh.Kind, fresh.Body, fresh.Indexes
	details, err := readDetails(t.Kind, l.Details)
	switch {
	case err != nil && t.unfinished():
		return err
	case err != nil:
		details = nil // from an older release: the record is kept without details
	case details == nil && t.unfinished():
		details = fresh.Details
	}
	t.Details = details
	if t.Status > wire.Processing && t.FinishedAt == 0 {
		t.FinishedAt = max(t.StartedAt, t.EnqueuedAt)
	}
	if t.unfinished() {
		t.Batch, t.StartedAt, t.FinishedAt, t.Error, t.CanceledBy = nil, 0, 0, nil, nil
		t.refuse()
	}
	if t.IndexUID == nil && needsIndex(t.Kind) {
		return errors.New("no index")
	}
	return nil
}

// refuse finishes unfinished tasks of kinds that only the dump's own instance could run.
func (t *readTask) refuse() {
	switch t.Kind {
	case task.UpgradeDatabase:
		t.Status = wire.Succeeded
	case task.NetworkTopology:
		t.Status = wire.Failed
		t.Error = &wire.Failure{Code: apierr.CodeRequiresEnterpriseEdition.Name, Message: "The task was imported from another instance and cannot run here."}
	case task.DynamicRulesUpdate:
		if ownRule(t.Body) {
			return
		}
		t.Status = wire.Failed
		t.Error = &wire.Failure{Code: apierr.CodeInternal.Name, Message: "The change of a search rule was imported in a form that is not known here."}
	default:
		return
	}
	t.StartedAt, t.FinishedAt = t.EnqueuedAt, t.EnqueuedAt
}

// ownRule tells whether a change of a search rule is in our own form.
func ownRule(body []byte) bool {
	var c pinning.Change
	if json.Unmarshal(body, &c) != nil || c.UID == "" {
		return false
	}
	_, err := new(pinning.Store).Apply(&c, 0)
	return err == nil
}

func needsIndex(k wire.Kind) bool {
	row, ok := task.Of(k)
	return ok && (row.Class == task.ClassIndex || row.Class == task.ClassCompaction) && k != task.IndexSwap
}

// kind builds the task that a request would have enqueued.
func (t *readTask) kind(tag string, content json.RawMessage) (*wire.Task, error) {
	uid := ""
	if t.IndexUID != nil {
		uid = *t.IndexUID
	}
	switch tag {
	case "documentImport":
		return t.addition(uid, content)
	case "documentDeletion":
		return t.deletion(uid, content)
	case "documentDeletionByFilter":
		var p struct{ Filter json.RawMessage }
		err := read(content, &p)
		return task.NewFilterDeletion(uid, p.Filter, nil), err
	case "documentClear":
		return task.NewClear(uid, nil), nil
	case "documentEdition":
		var p task.Edition
		err := read(content, &p)
		p.Context, p.Filter = given(p.Context), given(p.Filter)
		return task.NewEdition(uid, &p, nil), err
	case "settings":
		return t.settings(uid, content)
	case "indexDeletion":
		return task.NewIndexDeletion(uid), nil
	case "indexCreation", "indexUpdate":
		var p struct {
			PrimaryKey *string `json:"primary_key"`
			UID        *string `json:"uid"`
		}
		err := read(content, &p)
		if tag == "indexCreation" {
			return task.NewCreation(uid, p.PrimaryKey), err
		}
		return task.NewChange(uid, &task.Change{PrimaryKey: p.PrimaryKey, NewUID: p.UID}), err
	case "indexSwap":
		var p task.Swaps
		err := read(content, &p)
		return task.NewSwap(p.Swaps), err
	case "taskCancelation", "tasksDeletion":
		return t.captured(tag == "taskCancelation", content)
	case "dumpCreation":
		return dumpTask(content)
	case "snapshotCreation":
		return task.NewSnapshot(), nil
	case "export":
		return exportTask(content)
	case "indexCompaction":
		return task.NewCompaction(uid), nil
	case string(task.DynamicRulesUpdate):
		if c := readRuleChange(content); c != nil {
			body, err := encode(c)
			return foreignTask(task.DynamicRulesUpdate, uid, body), err
		}
	}
	if k, known := task.Of(wire.Kind(tag)); known && k.Plain {
		return foreignTask(wire.Kind(tag), uid, content), nil
	}
	return nil, fmt.Errorf("unknown type %q", tag)
}

// read decodes parameters. Missing ones are an error.
func read(content json.RawMessage, into any) error {
	if len(content) == 0 {
		return errors.New("a type without parameters")
	}
	return json.Unmarshal(content, into)
}

// given returns raw, nil for null.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// foreignTask keeps the parameters unchanged.
func foreignTask(kind wire.Kind, uid string, content json.RawMessage) *wire.Task {
	t := &wire.Task{Kind: kind, Body: content}
	if uid != "" {
		t.Indexes = []string{uid}
	}
	return t
}

func (t *readTask) addition(uid string, content json.RawMessage) (*wire.Task, error) {
	var p struct {
		PrimaryKey  *string `json:"primary_key"`
		Method      string  `json:"method"`
		Documents   uint64  `json:"documents_count"`
		CreateIndex *bool   `json:"allow_index_creation"`
	}
	if err := read(content, &p); err != nil {
		return nil, err
	}
	if p.Method != "ReplaceDocuments" && p.Method != "UpdateDocuments" {
		return nil, fmt.Errorf("method %q", p.Method)
	}
	body := &task.Addition{
		Update: p.Method == "UpdateDocuments", PrimaryKey: p.PrimaryKey,
		CreateIndex: p.CreateIndex == nil || *p.CreateIndex, Lines: true,
		Manifest: task.Manifest{Documents: p.Documents},
	}
	if t.unfinished() {
		t.documents = body
	}
	return task.NewAddition(uid, body, wire.Payload{}, nil), nil
}

func (t *readTask) deletion(uid string, content json.RawMessage) (*wire.Task, error) {
	var p struct {
		IDs []string `json:"documents_ids"`
	}
	if err := read(content, &p); err != nil {
		return nil, err
	}
	if t.unfinished() {
		var err error
		if t.content, err = wire.Marshal(p.IDs); err != nil {
			return nil, err
		}
	}
	return task.NewDeletion(uid, len(p.IDs), wire.Payload{}, nil), nil
}

// inlineSettings bounds a change that stays in a task's body, in bytes.
const inlineSettings = 16 << 10

func (t *readTask) settings(uid string, content json.RawMessage) (*wire.Task, error) {
	var p struct {
		Settings    json.RawMessage `json:"settings"`
		IsDeletion  bool            `json:"is_deletion"`
		CreateIndex *bool           `json:"allow_index_creation"`
	}
	if err := read(content, &p); err != nil {
		return nil, err
	}
	patch, err := readPatch(p.Settings)
	if err != nil {
		return nil, err
	}
	full, details := patch.AppendJSON(nil, false), patch.AppendJSON(nil, true)
	body := &task.SettingsChange{Patch: full, Delete: p.IsDeletion, CreateIndex: p.CreateIndex == nil || *p.CreateIndex}
	if len(full)+len(details) > inlineSettings {
		body.Patch = nil
		if t.unfinished() {
			if t.content, err = wire.Marshal(&task.LargeSettings{Patch: full, Details: details}); err != nil {
				return nil, err
			}
		}
	}
	return task.NewSettings(uid, body, details), nil
}

func (t *readTask) captured(cancelation bool, content json.RawMessage) (*wire.Task, error) {
	var p struct {
		Query string   `json:"query"`
		Tasks []uint16 `json:"tasks"` // bytes; []byte would be decoded as text
	}
	if err := read(content, &p); err != nil {
		return nil, err
	}
	set := make([]byte, len(p.Tasks))
	for i, n := range p.Tasks {
		set[i] = byte(n)
	}
	var uids []uint32
	if len(set) > 0 {
		var err error
		if uids, err = task.DecodeUIDs(set); err != nil {
			return nil, err
		}
	}
	if t.unfinished() {
		var err error
		if t.content, err = task.EncodeUIDs(uids); err != nil {
			return nil, err
		}
	}
	if cancelation {
		return task.NewCancelation(len(uids), p.Query, wire.Payload{}), nil
	}
	return task.NewTaskDeletion(len(uids), p.Query, wire.Payload{}), nil
}

func dumpTask(content json.RawMessage) (*wire.Task, error) {
	var p struct {
		Keys        []keyLine `json:"keys"`
		InstanceUID *string   `json:"instance_uid"`
	}
	if err := read(content, &p); err != nil {
		return nil, err
	}
	body := &task.Dump{}
	for i := range p.Keys {
		k, err := p.Keys[i].key()
		if err != nil {
			return nil, err
		}
		body.Keys = append(body.Keys, *k)
	}
	if p.InstanceUID != nil {
		body.InstanceUID = *p.InstanceUID
	}
	return task.NewDump(body), nil
}

func exportTask(content json.RawMessage) (*wire.Task, error) {
	e := exportForm{PayloadSize: -1}
	if err := read(content, &e); err != nil {
		return nil, err
	}
	details, err := e.details()
	if err != nil {
		return nil, err
	}
	body, err := e.body()
	if err != nil {
		return nil, err
	}
	return task.NewExport(body, details), nil
}
