package admin

import (
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
	"shoal/wire"
)

// taskStatuses are the statuses of a filter, in the order of error texts (spec
// tasks-auth-ops-api 3.1).
var taskStatuses = []string{"enqueued", "processing", "succeeded", "failed", "canceled"}

// defaultTaskLimit is the page size of task lists.
const defaultTaskLimit = 20

// taskFilter is the decoded query string of a task route. limit is separate because the
// port is asked for one more.
type taskFilter struct {
	wire.TaskQuery
	limit uint32
}

// kindFilter decodes one task type of a list, in upper or lower case.
func kindFilter(kinds []wire.Kind) decode.Decoder[wire.Kind] {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return func(at *decode.Loc, v *jsonvalue.Value) (wire.Kind, *apierr.Error) {
		for _, k := range kinds {
			if strings.EqualFold(string(k), v.String()) {
				return k, nil
			}
		}
		return "", at.Invalid("`" + v.String() + "` is not a valid task type. Available types are " + backticked(names) + ".")
	}
}

// statusFilter decodes one status of a list, in upper or lower case.
func statusFilter(at *decode.Loc, v *jsonvalue.Value) (wire.Status, *apierr.Error) {
	for i, s := range taskStatuses {
		if strings.EqualFold(s, v.String()) {
			return wire.Status(i), nil
		}
	}
	return 0, at.Invalid("`" + v.String() + "` is not a valid task status. Available statuses are " + backticked(taskStatuses) + ".")
}

func backticked(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// dateFilter decodes an exclusive bound: an RFC 3339 date or a day. As a lower bound, a day
// counts until its end. A star removes the bound.
func dateFilter(after bool) decode.Decoder[*int64] {
	return func(at *decode.Loc, v *jsonvalue.Value) (*int64, *apierr.Error) {
		text := v.String()
		if text == "*" {
			return nil, nil
		}
		t, ok := jsonvalue.ParseRFC3339(text)
		if !ok {
			if t, ok = jsonvalue.ParseDay(text); !ok {
				return nil, at.Invalid("`" + text + "` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format.")
			}
			if after {
				t = t.AddDate(0, 0, 1)
			}
		}
		nanos := jsonvalue.Nanos(t)
		return &nanos, nil
	}
}

// filterRows are the parameters shared by all four routes. As in the reference, the lists
// declare the batch uids first, the other routes the task uids. kinds are the accepted task
// types.
func filterRows(kinds []wire.Kind, listing bool) []decode.Row[taskFilter] {
	batchUIDs := decode.Plain("batchUids", apierr.CodeInvalidBatchUIDs, decode.QueryStarList(decode.QueryUint32), func(f *taskFilter) *[]uint32 { return &f.BatchUIDs })
	uids := decode.Plain("uids", apierr.CodeInvalidTaskUIDs, decode.QueryStarList(decode.QueryUint32), func(f *taskFilter) *[]uint32 { return &f.UIDs })
	rows := []decode.Row[taskFilter]{uids, batchUIDs}
	if listing {
		rows = []decode.Row[taskFilter]{
			decode.Plain("limit", apierr.CodeInvalidTaskLimit, decode.QueryUint32, func(f *taskFilter) *uint32 { return &f.limit }),
			decode.Optional("from", apierr.CodeInvalidTaskFrom, decode.QueryUint32, func(f *taskFilter) **uint32 { return &f.From }),
			decode.Plain("reverse", apierr.CodeInvalidTaskReverse, decode.QueryBool, func(f *taskFilter) *bool { return &f.Reverse }),
			batchUIDs, uids,
		}
	}
	return append(rows,
		decode.Plain("canceledBy", apierr.CodeInvalidTaskCanceledBy, decode.QueryStarList(decode.QueryUint32), func(f *taskFilter) *[]uint32 { return &f.CanceledBy }),
		decode.Plain("types", apierr.CodeInvalidTaskTypes, decode.QueryStarList(kindFilter(kinds)), func(f *taskFilter) *[]wire.Kind { return &f.Kinds }),
		decode.Plain("statuses", apierr.CodeInvalidTaskStatuses, decode.QueryStarList(statusFilter), func(f *taskFilter) *[]wire.Status { return &f.Statuses }),
		decode.Plain("indexUids", apierr.CodeInvalidIndexUID, decode.QueryStarList(decode.IndexUID), func(f *taskFilter) *[]string { return &f.IndexUIDs }),
		decode.Plain("afterEnqueuedAt", apierr.CodeInvalidTaskAfterEnqueuedAt, dateFilter(true), func(f *taskFilter) **int64 { return &f.AfterEnqueuedAt }),
		decode.Plain("beforeEnqueuedAt", apierr.CodeInvalidTaskBeforeEnqueuedAt, dateFilter(false), func(f *taskFilter) **int64 { return &f.BeforeEnqueuedAt }),
		decode.Plain("afterStartedAt", apierr.CodeInvalidTaskAfterStartedAt, dateFilter(true), func(f *taskFilter) **int64 { return &f.AfterStartedAt }),
		decode.Plain("beforeStartedAt", apierr.CodeInvalidTaskBeforeStartedAt, dateFilter(false), func(f *taskFilter) **int64 { return &f.BeforeStartedAt }),
		decode.Plain("afterFinishedAt", apierr.CodeInvalidTaskAfterFinishedAt, dateFilter(true), func(f *taskFilter) **int64 { return &f.AfterFinishedAt }),
		decode.Plain("beforeFinishedAt", apierr.CodeInvalidTaskBeforeFinishedAt, dateFilter(false), func(f *taskFilter) **int64 { return &f.BeforeFinishedAt }),
	)
}

// taskLists answers the routes that filter tasks and batches.
type taskLists struct {
	tasks Tasks
	// visible are the patterns of the indexes whose tasks a caller may see, nil for all.
	visible func(x *routing.Exchange) []string
	// listing are the parameters of lists, selection those of the routes that act on
	// matching tasks.
	listing, selection *decode.Object[taskFilter]
}

func newTaskLists(tasks Tasks, visible func(x *routing.Exchange) []string) *taskLists {
	kinds := tasks.Kinds()
	return &taskLists{tasks, visible, decode.NewObject(filterRows(kinds, true)...), decode.NewObject(filterRows(kinds, false)...)}
}

// readFilter decodes the filters of a list.
func (l *taskLists) readFilter(x *routing.Exchange) (*taskFilter, error) {
	f := &taskFilter{limit: defaultTaskLimit}
	if err := routing.ReadQuery(x, l.listing, f); err != nil {
		return nil, err
	}
	f.Limit = int(f.limit)
	f.Authorized = l.visible(x)
	return f, nil
}

// readSelection decodes the filters of a cancelation or deletion. doing is "cancel" or
// "delete". At least one parameter is required.
func (l *taskLists) readSelection(x *routing.Exchange, doing string) (*wire.TaskQuery, error) {
	f := &taskFilter{}
	if err := routing.ReadQuery(x, l.selection, f); err != nil {
		return nil, err
	}
	query := jsonvalue.ParseQuery(x.HTTP.URL.RawQuery)
	if query.Len() == 0 {
		return nil, apierr.New(apierr.CodeMissingTaskFilters, "Query parameters to filter the tasks to "+doing+
			" are missing. Available query parameters are: `uids`, `indexUids`, `statuses`, `types`, `canceledBy`, `beforeEnqueuedAt`, `afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, `beforeFinishedAt`, `afterFinishedAt`.")
	}
	f.Authorized = l.visible(x)
	return &f.TaskQuery, nil
}
