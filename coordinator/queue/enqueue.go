package queue

import (
	"context"
	"encoding/json"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
)

// The methods below each enqueue one task and return its summary. The HTTP front has already
// refused malformed requests (names, empty filters ...); these methods make the checks that
// need the meaning of a task.

// DeleteDocuments deletes documents by external ids, given as text. Unknown and malformed ids
// are ignored when the task runs.
func (w *Writer) DeleteDocuments(ctx context.Context, uid string, ids []string, metadata *string) (*api.TaskSummary, error) {
	content, err := wire.Marshal(ids)
	if err != nil {
		return nil, err
	}
	accepted, err := w.carrying(ctx, task.NewDeletion(uid, len(ids), wire.Payload{}, metadata), content)
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// DeleteByFilter deletes the documents that match a filter, given as compact JSON with checked
// syntax.
func (w *Writer) DeleteByFilter(ctx context.Context, uid string, filter []byte, metadata *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewFilterDeletion(uid, filter, metadata))
}

// ClearDocuments deletes all documents.
func (w *Writer) ClearDocuments(ctx context.Context, uid string, metadata *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewClear(uid, metadata))
}

// EditDocuments runs a function over documents. contextObject and filter are
// compact JSON or nil.
func (w *Writer) EditDocuments(ctx context.Context, uid, function string, contextObject, filter json.RawMessage, metadata *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewEdition(uid, &task.Edition{Function: function, Context: contextObject, Filter: filter}, metadata))
}

// CreateIndex creates an index.
func (w *Writer) CreateIndex(ctx context.Context, uid string, primaryKey *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewCreation(uid, primaryKey))
}

// UpdateIndex sets the primary key of an index, renames it, or both.
func (w *Writer) UpdateIndex(ctx context.Context, uid string, primaryKey, newUID *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewChange(uid, &task.Change{PrimaryKey: primaryKey, NewUID: newUID}))
}

// DeleteIndex deletes an index.
func (w *Writer) DeleteIndex(ctx context.Context, uid string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewIndexDeletion(uid))
}

// CompactIndex compacts the storage of an index.
func (w *Writer) CompactIndex(ctx context.Context, uid string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewCompaction(uid))
}

// SwapIndexes exchanges or renames indexes in pairs. A name that occurs twice is
// refused at once (spec write-api 5.7).
func (w *Writer) SwapIndexes(ctx context.Context, pairs []api.SwapPair) (*api.TaskSummary, error) {
	swaps := make([]task.Swap, len(pairs))
	for i, p := range pairs {
		swaps[i] = task.Swap(p)
	}
	if twice := task.DuplicateSwaps(swaps); len(twice) > 0 {
		return nil, task.DuplicateSwap(twice)
	}
	return w.plain(ctx, task.NewSwap(swaps))
}

// UpdateSettings changes settings. deletion: the request came from a DELETE route. createIndex:
// the caller's key may create the index.
func (w *Writer) UpdateSettings(ctx context.Context, uid string, patch *settings.Patch, deletion, createIndex bool) (*api.TaskSummary, error) {
	if patch.BySameObject() && w.log.Catalog().Spoken() < wire.SameObjectSince {
		return nil, settings.RefuseSameObject()
	}
	if w.log.Catalog().Spoken() < wire.ExpirySince {
		if patch.SetsExpiry() {
			return nil, settings.RefuseExpiry()
		}
		patch.DropExpiry() // a reset of what no index has
	}
	if patch.ByInfix() && w.log.Catalog().Spoken() < wire.InfixSince {
		return nil, settings.RefuseInfix()
	}
	full, details := patch.AppendJSON(nil, false), patch.AppendJSON(nil, true)
	body := &task.SettingsChange{Patch: full, Delete: deletion, CreateIndex: createIndex}
	if len(full)+len(details) <= ingest.InlinePayload {
		return w.plain(ctx, task.NewSettings(uid, body, details))
	}
	// A large dictionary or synonym map does not fit a log entry, so settings and details
	// become the payload.
	body.Patch = nil
	content, err := wire.Marshal(&task.LargeSettings{Patch: full, Details: details})
	if err != nil {
		return nil, err
	}
	accepted, err := w.carrying(ctx, task.NewSettings(uid, body, nil), content)
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// CancelTasks enqueues the cancelation of the captured tasks. query is "?" and the raw query
// string.
func (w *Writer) CancelTasks(ctx context.Context, uids []uint32, query string) (*api.TaskSummary, error) {
	return w.captured(ctx, task.NewCancelation(len(uids), query, wire.Payload{}), uids)
}

// DeleteTasks enqueues the deletion of the captured tasks that are finished when it runs.
func (w *Writer) DeleteTasks(ctx context.Context, uids []uint32, query string) (*api.TaskSummary, error) {
	return w.captured(ctx, task.NewTaskDeletion(len(uids), query, wire.Payload{}), uids)
}

func (w *Writer) captured(ctx context.Context, t *wire.Task, uids []uint32) (*api.TaskSummary, error) {
	content, err := task.EncodeUIDs(uids)
	if err != nil {
		return nil, err
	}
	accepted, err := w.carrying(ctx, t, content)
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// Dump enqueues a dump. It captures the keys and the instance uid now.
func (w *Writer) Dump(ctx context.Context, instanceUID string) (*api.TaskSummary, error) {
	body := &task.Dump{InstanceUID: instanceUID}
	for _, k := range w.log.Catalog().Keys() {
		body.Keys = append(body.Keys, *k)
	}
	return w.plain(ctx, task.NewDump(body))
}

// Snapshot enqueues a snapshot.
func (w *Writer) Snapshot(ctx context.Context) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewSnapshot())
}

// Export enqueues an export. details is the public object with a masked key.
func (w *Writer) Export(ctx context.Context, body *task.ExportBody, details []byte) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewExport(body, details))
}

// UpdateRules enqueues a change of the dynamic search rules.
func (w *Writer) UpdateRules(ctx context.Context, change json.RawMessage, details []byte, metadata *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewRulesUpdate(change, details, metadata))
}

// ClearRules enqueues the deletion of all dynamic search rules.
func (w *Writer) ClearRules(ctx context.Context, metadata *string) (*api.TaskSummary, error) {
	return w.plain(ctx, task.NewRulesClear(metadata))
}
