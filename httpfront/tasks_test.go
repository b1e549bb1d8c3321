package httpfront

import (
	"cmp"
	"context"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/wire"
)

func TestTaskFilters(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC).UnixNano()
	next := day + int64(24*time.Hour)
	from := uint32(5)
	for query, want := range map[string]wire.TaskQuery{
		"":                                               {Limit: 20},
		"?limit=0&from=5&reverse=true":                   {From: &from, Reverse: true},
		"?uids=1,2,,%2B3&uids=4":                         {Limit: 20, UIDs: []uint32{4}},
		"?uids=":                                         {Limit: 20, UIDs: []uint32{}},
		"?uids=*,7&batchUids=1":                          {Limit: 20, BatchUIDs: []uint32{1}},
		"?types=INDEXcreation,dsrClear":                  {Limit: 20, Kinds: []wire.Kind{"indexCreation", "dsrClear"}},
		"?statuses=Failed,enqueued":                      {Limit: 20, Statuses: []wire.Status{wire.Failed, wire.Enqueued}},
		"?indexUids=a,b-c":                               {Limit: 20, IndexUIDs: []string{"a", "b-c"}},
		"?afterEnqueuedAt=2024-02-29":                    {Limit: 20, AfterEnqueuedAt: &next},
		"?beforeStartedAt=2024-02-29":                    {Limit: 20, BeforeStartedAt: &day},
		"?beforeFinishedAt=*&canceledBy=*":               {Limit: 20},
		"?afterStartedAt=2024-02-29T00:00:00%2B00:00":    {Limit: 20, AfterStartedAt: &day},
		"?afterFinishedAt=2024-02-29_01:00:00.0%2B01:00": {Limit: 20, AfterFinishedAt: &day},
	} {
		for _, path := range []string{"/tasks", "/batches"} {
			f.taskQuery = nil
			if w := call(t, s, "GET", path+query, ""); w.Code != 200 {
				t.Errorf("%s%s: %d %s", path, query, w.Code, w.Body)
				continue
			}
			if !reflect.DeepEqual(*f.taskQuery, want) {
				t.Errorf("%s%s: %+v, want %+v", path, query, *f.taskQuery, want)
			}
		}
	}
}

// beforeEnqueuedAt=9999-12-31 selected no task, and afterEnqueuedAt=9999-12-31 all of them: the
// nanoseconds of such dates overflow.
func TestDatesBeyondTheRangeOfNanosecondsBoundTasks(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	for date, want := range map[string]int64{
		"9999-12-31":                      math.MaxInt64,
		"2262-04-12":                      math.MaxInt64,
		"9999-12-31T23:59:59-01:00":       math.MaxInt64,
		"1600-01-01T00:00:00Z":            math.MinInt64,
		"0000-01-01":                      math.MinInt64,
		"-0001-01-01":                     math.MinInt64,
		"2262-01-01T00:00:00%2B00:00":     time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(),
		"2016-12-31T23:59:60Z":            time.Date(2016, 12, 31, 23, 59, 59, 999999999, time.UTC).UnixNano(),
		"2030-01-01t00:00:00.1234567891z": time.Date(2030, 1, 1, 0, 0, 0, 123456789, time.UTC).UnixNano(),
	} {
		for _, bound := range []string{"beforeEnqueuedAt", "afterEnqueuedAt"} {
			w := call(t, s, "GET", "/tasks?"+bound+"="+date, "")
			if w.Code != 200 {
				t.Errorf("%s=%s: %d %s", bound, date, w.Code, w.Body)
				continue
			}
			got := *cmp.Or(f.taskQuery.BeforeEnqueuedAt, f.taskQuery.AfterEnqueuedAt)
			if got != want && got != want+int64(24*time.Hour) {
				t.Errorf("%s=%s: %d, want %d", bound, date, got, want)
			}
		}
	}
	for _, wrong := range []string{
		"10000-01-01", "2030-01-01T00:00:00%2B24:00", "2030-01-01T00:00:00%2B23:60", "2030-01-15T23:59:60Z", "2030-01-01T00:00:61Z",
		"2030-02-30", "2030-13-01", "2030-01-01T24:00:00Z", "2030-01-01T1:00:00.0Z", "2030-01-01T00:00:00.Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00", "--30-01-01",
	} {
		if w := call(t, s, "GET", "/tasks?beforeEnqueuedAt="+wrong, ""); w.Code != 400 {
			t.Errorf("%s: %d %s", wrong, w.Code, w.Body)
		}
	}
}

func TestTaskRefusals(t *testing.T) {
	s := (&fake{}).front(Config{})
	kinds, statuses := "`"+strings.Join([]string{
		"documentAdditionOrUpdate", "documentEdition", "documentDeletion", "settingsUpdate", "indexCreation", "indexDeletion", "indexUpdate", "indexSwap",
		"taskCancelation", "taskDeletion", "dumpCreation", "snapshotCreation", "export", "upgradeDatabase", "indexCompaction", "networkTopologyChange", "dsrUpdate", "dsrClear",
	}, "`, `")+"`", "`enqueued`, `processing`, `succeeded`, `failed`, `canceled`"
	for _, c := range []struct{ request, code, message string }{
		{"GET /tasks?limit=", "invalid_task_limit", "Invalid value in parameter `limit`: could not parse `` as a positive integer"},
		{"GET /tasks?from=pied", "invalid_task_from", "Invalid value in parameter `from`: could not parse `pied` as a positive integer"},
		{"GET /tasks?reverse=*", "invalid_task_reverse", "Invalid value in parameter `reverse`: could not parse `*` as a boolean, expected either `true` or `false`"},
		{"GET /tasks?uids=1,x", "invalid_task_uids", "Invalid value in parameter `uids[1]`: could not parse `x` as a positive integer"},
		{"GET /tasks?uids=4294967296", "invalid_task_uids", "Invalid value in parameter `uids`: could not parse `4294967296` as a positive integer"},
		{"GET /batches?types=*,x", "invalid_task_types", "Invalid value in parameter `types[1]`: `x` is not a valid task type. Available types are " + kinds + "."},
		{"GET /batches?statuses=doggo", "invalid_task_statuses", "Invalid value in parameter `statuses`: `doggo` is not a valid task status. Available statuses are " + statuses + "."},
		{"GET /tasks?indexUids=the%20good%20doggo", "invalid_index_uid", "Invalid value in parameter `indexUids`: " + apierr.InvalidIndexUIDText("the good doggo")},
		{"GET /batches?afterFinishedAt=doggo", "invalid_task_after_finished_at", "Invalid value in parameter `afterFinishedAt`: `doggo` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format."},
		{"GET /batches?lol=pied", "bad_request", "Unknown parameter `lol`: expected one of `limit`, `from`, `reverse`, `batchUids`, `uids`, `canceledBy`, `types`, `statuses`, `indexUids`, `afterEnqueuedAt`, `beforeEnqueuedAt`, `afterStartedAt`, `beforeStartedAt`, `afterFinishedAt`, `beforeFinishedAt`"},
		{"POST /tasks/cancel?limit=1", "bad_request", "Unknown parameter `limit`: expected one of `uids`, `batchUids`, `canceledBy`, `types`, `statuses`, `indexUids`, `afterEnqueuedAt`, `beforeEnqueuedAt`, `afterStartedAt`, `beforeStartedAt`, `afterFinishedAt`, `beforeFinishedAt`"},
		{"DELETE /tasks", "missing_task_filters", "Query parameters to filter the tasks to delete are missing. Available query parameters are: `uids`, `indexUids`, `statuses`, `types`, `canceledBy`, `beforeEnqueuedAt`, `afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, `beforeFinishedAt`, `afterFinishedAt`."},
		{"GET /tasks/streams", "invalid_task_uids", "Task uid `streams` is invalid. It should only contain numeric characters."},
		{"GET /tasks/4294967295", "task_not_found", "Task `4294967295` not found."},
		{"GET /batches/x", "invalid_batch_uids", "Batch uid `x` is invalid. It should only contain numeric characters."},
		{"GET /batches/1", "batch_not_found", "Batch `1` not found."},
		{"GET /tasks/7/documents", "feature_not_enabled", "Getting the documents of an enqueued task requires enabling the `get task documents route` experimental feature. See https://github.com/orgs/meilisearch/discussions/808"},
		{"POST /tasks/compact", "feature_not_enabled", "Using the /tasks/compact route requires enabling the `task queue compaction route` experimental feature. See https://github.com/orgs/meilisearch/discussions/883"},
	} {
		method, target, _ := strings.Cut(c.request, " ")
		code, ok := apierr.CodeByName(c.code)
		if !ok {
			t.Fatal(c.code)
		}
		expectError(t, call(t, s, method, target, ""), code.Status, code, c.message)
	}
}

func TestTaskViews(t *testing.T) {
	f := &fake{features: settings.Features{GetTaskDocumentsRoute: true}}
	s := f.front(Config{})
	expect(t, call(t, s, "GET", "/tasks/7", ""), 200, `{"uid":7,"batchUid":3,"indexUid":"movies","status":"failed","type":"documentDeletion","canceledBy":null,"details":{"deletedDocuments":0},"error":`+
		refusal(apierr.CodeIndexNotFound, "Index `movies` not found.")+`,"duration":"PT0.001500S","enqueuedAt":"1970-01-01T00:00:01Z","startedAt":"1970-01-01T00:00:02Z","finishedAt":"1970-01-01T00:00:02.0015Z"}`)
	expect(t, call(t, s, "POST", "/tasks/cancel?uids=*", ""), 200, `{"taskUid":9,"indexUid":null,"status":"enqueued","type":"taskCancelation","enqueuedAt":"1970-01-01T00:00:01Z"}`)
	if f.filter != "?uids=*" || f.taskQuery.UIDs != nil {
		t.Errorf("filter %q %+v", f.filter, f.taskQuery)
	}
	expect(t, call(t, s, "GET", "/tasks", ""), 200, `{"results":[],"total":0,"limit":20,"from":null,"next":null}`)
	expect(t, call(t, s, "POST", "/dumps", "null"), 202, `{"taskUid":0,"indexUid":null,"status":"enqueued","type":"dumpCreation","enqueuedAt":"1970-01-01T00:00:01Z"}`)
	if w := call(t, s, "GET", "/tasks/7/documents", ""); w.Code != 200 || w.Body.String() != "{\"id\":1}\n" || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("documents: %d %q %v", w.Code, w.Body, w.Header())
	}
}

func TestISODuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "PT0S", 1500 * time.Millisecond: "PT1.500S", 42 * time.Microsecond: "PT0.000042S", 90 * time.Second: "PT90S",
		24 * time.Hour: "P1D", 24*time.Hour + 500*time.Millisecond: "P1DT0.500S", 1: "PT0.000000001S", 25 * time.Hour: "P1DT3600S",
	} {
		if got := jsonvalue.ISODuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// noPayload is a queue whose tasks have no documents.
type noPayload struct{ *fake }

func (noPayload) Payload(context.Context, uint32) (io.ReadCloser, error) { return nil, nil }

func TestTaskDocuments(t *testing.T) {
	f := &fake{features: settings.Features{GetTaskDocumentsRoute: true}}
	s := f.front(Config{})
	if w := call(t, s, "GET", "/tasks/7/documents", ""); w.Code != 200 || w.Body.String() != "{\"id\":1}\n" || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	expectError(t, call(t, s, "GET", "/tasks/8/documents", ""), 404, apierr.CodeTaskNotFound, "Task `8` not found.")
	s = f.front(Config{}, func(p *Ports) { p.Tasks = noPayload{f} })
	expectError(t, call(t, s, "GET", "/tasks/7/documents", ""), 404, apierr.CodeTaskFileNotFound,
		"Task `7` does not contain any documents. Only `documentAdditionOrUpdate` tasks with the statuses `enqueued` or `processing` contain documents")
}

func TestStreamsAreServerSentEventsBehindAFeature(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	expectError(t, call(t, s, "GET", "/batches/stream", ""), 400, apierr.CodeFeatureNotEnabled,
		"Using the /batches/stream route requires enabling the `tasks streaming route` experimental feature. See https://github.com/orgs/meilisearch/discussions/889")
	f.features.TasksStreamingRoute = true
	for _, path := range []string{"/tasks/stream", "/batches/stream"} {
		got := call(t, s, "GET", path, "")
		expect(t, got, 200, "retry: 10000\n\ndata: {\"uid\":1}\n\n")
		if kind := got.Header().Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("%s: %s", path, kind)
		}
	}
}

// The recorded answers of 1.50 do not show later features.
func TestLaterFeaturesShowWhileTheyAreOnAndAlwaysIn157(t *testing.T) {
	shown := func(version api.Version, patch string) string {
		s := (&fake{}).front(Config{Version: version})
		call(t, s, "PATCH", "/experimental-features", patch)
		return call(t, s, "GET", "/experimental-features", "").Body.String()
	}
	for _, c := range []struct {
		version api.Version
		patch   string
		want    string
	}{
		{api.Version150, `{"metrics":false}`, ""},
		{api.Version150, `{"tasksStreamingRoute":true}`, `"tasksStreamingRoute":true`},
		{api.Version157, `{"metrics":false}`, `"tasksStreamingRoute":false`},
		{api.Version157, `{"tasksStreamingRoute":true}`, `"tasksStreamingRoute":true`},
	} {
		if got := shown(c.version, c.patch); strings.Count(got, "tasksStreamingRoute") != strings.Count(c.want, "tasksStreamingRoute") || !strings.Contains(got, c.want) {
			t.Errorf("%s after %s: %s", c.version, c.patch, got)
		}
	}
}
