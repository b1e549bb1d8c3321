package admin

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/httpfront/routing"
	"shoal/wire"
)

// TaskRoutes are the rows of tasks and batches.
func (h *Handlers) TaskRoutes() []routing.Route {
	l := newTaskLists(h.Tasks, h.tasksOf)
	return []routing.Route{
		{Method: "GET", Pattern: "/tasks", Actions: []string{"tasks.get"}, Serve: list(l, h.Tasks.Tasks), Leased: true, Query: l.listing},
		{Method: "DELETE", Pattern: "/tasks", Actions: []string{"tasks.delete"}, Serve: l.serveDelete, Leased: true, Query: l.selection},
		{Method: "POST", Pattern: "/tasks/cancel", Actions: []string{"tasks.cancel"}, Serve: l.serveCancel, Leased: true, NoBody: true, Query: l.selection},
		{Method: "POST", Pattern: "/tasks/compact", Actions: []string{"tasks.compact"}, Serve: serveCompactTasks, Leased: true, NoBody: true},
		{Method: "GET", Pattern: "/tasks/stream", Actions: []string{"tasks.get"}, Serve: h.serveStream("/tasks/stream", Streams.FollowTasks), Leased: true},
		{Method: "GET", Pattern: "/tasks/{task_uid}", Actions: []string{"tasks.get"}, Serve: h.serveTask, Leased: true},
		{Method: "GET", Pattern: "/tasks/{task_uid}/documents", Actions: []string{"tasks.get"}, Serve: h.serveTaskDocuments, Leased: true},
		{Method: "GET", Pattern: "/batches", Actions: []string{"tasks.get"}, Serve: list(l, h.Tasks.Batches), Leased: true, Query: l.listing},
		{Method: "GET", Pattern: "/batches/stream", Actions: []string{"tasks.get"}, Serve: h.serveStream("/batches/stream", Streams.FollowBatches), Leased: true},
		{Method: "GET", Pattern: "/batches/{batch_uid}", Actions: []string{"tasks.get"}, Serve: h.serveBatch, Leased: true},
	}
}

// list answers with a page of the tasks or batches that match the filters.
func list[P interface{ AppendJSON(dst []byte) []byte }](l *taskLists, of func(context.Context, *wire.TaskQuery) (P, error)) func(*routing.Exchange) error {
	return func(x *routing.Exchange) error {
		f, err := l.readFilter(x)
		if err != nil {
			return err
		}
		page, err := of(x.Context(), &f.TaskQuery)
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, page.AppendJSON(x.Buffer()))
	}
}

// uidParam parses the uid of the path. noun starts the refusal ("Task").
func uidParam(x *routing.Exchange, noun string, code apierr.Code) (uint32, error) {
	text := x.Param(0)
	digits := text
	if len(digits) > 1 && digits[0] == '+' {
		digits = digits[1:]
	}
	uid, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0, apierr.New(code, noun+" uid `"+text+"` is invalid. It should only contain numeric characters.")
	}
	return uint32(uid), nil
}

func notFound(noun string, code apierr.Code, uid uint32) *apierr.Error {
	return apierr.New(code, noun+" `"+strconv.FormatUint(uint64(uid), 10)+"` not found.")
}

// task finds the task of the path.
func (h *Handlers) task(x *routing.Exchange) (*api.Task, error) {
	uid, err := uidParam(x, "Task", apierr.CodeInvalidTaskUIDs)
	if err != nil {
		return nil, err
	}
	task, err := h.Tasks.Task(x.Context(), uid, h.tasksOf(x))
	if err == nil && task == nil {
		return nil, notFound("Task", apierr.CodeTaskNotFound, uid)
	}
	return task, err
}

func (h *Handlers) serveTask(x *routing.Exchange) error {
	return x.Show(h.task(x))
}

func (h *Handlers) serveBatch(x *routing.Exchange) error {
	uid, err := uidParam(x, "Batch", apierr.CodeInvalidBatchUIDs)
	if err != nil {
		return err
	}
	batch, err := h.Tasks.Batch(x.Context(), uid, h.tasksOf(x))
	if err != nil {
		return err
	}
	if batch == nil {
		return notFound("Batch", apierr.CodeBatchNotFound, uid)
	}
	return x.Respond(http.StatusOK, batch.AppendJSON(x.Buffer()))
}

// serveTaskDocuments streams the payload of an unfinished addition.
func (h *Handlers) serveTaskDocuments(x *routing.Exchange) error {
	if !x.Features().GetTaskDocumentsRoute {
		return apierr.FeatureNotEnabled("Getting the documents of an enqueued task", "get task documents route", 808)
	}
	task, err := h.task(x)
	if err != nil {
		return err
	}
	payload, err := h.Tasks.Payload(x.Context(), task.UID)
	if err != nil {
		return err
	}
	if payload == nil {
		return apierr.New(apierr.CodeTaskFileNotFound, "Task `"+strconv.FormatUint(uint64(task.UID), 10)+
			"` does not contain any documents. Only `documentAdditionOrUpdate` tasks with the statuses `enqueued` or `processing` contain documents")
	}
	out := x.Stream(http.StatusOK)
	out.Header().Set("Content-Type", "application/x-ndjson")
	out.WriteHeader(http.StatusOK)
	_, copyErr := io.Copy(out, payload)
	if err := payload.Close(); err != nil || copyErr != nil {
		// The status is already sent, so only cutting the connection tells the client.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// serveCancel and serveDelete answer 200, unlike other routes that enqueue (spec
// tasks-auth-ops-api 2.2).
func (l *taskLists) serveCancel(x *routing.Exchange) error {
	q, err := l.readSelection(x, "cancel")
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusOK)(l.tasks.Cancel(x.Context(), q, "?"+x.HTTP.URL.RawQuery))
}

func (l *taskLists) serveDelete(x *routing.Exchange) error {
	q, err := l.readSelection(x, "delete")
	if err != nil {
		return err
	}
	return x.Enqueued(http.StatusOK)(l.tasks.Delete(x.Context(), q, "?"+x.HTTP.URL.RawQuery))
}

// serveCompactTasks does nothing, because the store of tasks compacts itself.
func serveCompactTasks(x *routing.Exchange) error {
	if !x.Features().TaskQueueCompactionRoute {
		return apierr.FeatureNotEnabled("Using the /tasks/compact route", "task queue compaction route", 883)
	}
	return x.Answer(http.StatusOK, struct {
		PreSize  string `json:"preSize"`
		PostSize string `json:"postSize"`
		Status   string `json:"status"`
	}{"0 B", "0 B", "succeeded"})
}

func (h *Handlers) serveDump(x *routing.Exchange) error {
	return x.Enqueued(http.StatusAccepted)(h.Tasks.Dump(x.Context()))
}

func (h *Handlers) serveSnapshot(x *routing.Exchange) error {
	return x.Enqueued(http.StatusAccepted)(h.Tasks.Snapshot(x.Context()))
}

// Tasks lists and manages tasks and batches. Every call first ensures that this node has
// applied everything that was acknowledged anywhere.
type Tasks interface {
	// Kinds are the task types that lists can be filtered by, in the order of error texts.
	Kinds() []wire.Kind
	Tasks(ctx context.Context, q *wire.TaskQuery) (*api.TaskPage, error)
	Batches(ctx context.Context, q *wire.TaskQuery) (*api.BatchPage, error)
	// Task returns nil if there is no such task, or if its index matches none of the
	// authorized patterns (nil = all).
	Task(ctx context.Context, uid uint32, authorized []string) (*api.Task, error)
	Batch(ctx context.Context, uid uint32, authorized []string) (*api.Batch, error)
	// Cancel and Delete enqueue a task over the tasks that match the query now. Its details
	// show originalFilter ("?uids=1").
	Cancel(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error)
	Delete(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error)
	// Payload opens the documents of an enqueued or processing addition. It returns nil if
	// the task has none.
	Payload(ctx context.Context, uid uint32) (io.ReadCloser, error)
	// Export, Dump and Snapshot enqueue a task of that kind.
	Dump(ctx context.Context) (*api.TaskSummary, error)
	Snapshot(ctx context.Context) (*api.TaskSummary, error)
	Export(ctx context.Context, r *api.ExportRequest) (*api.TaskSummary, error)
}
