package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/differ/oddity"
	"shoal/cluster-test/differ/purpose"
	"shoal/cluster-test/life"
)

// server is one of the two.
type server struct{ *clustertest.Node }

// newServer reads HOST:PORT or KEY@HOST:PORT.
func newServer(address string) *server {
	key, host, found := strings.Cut(address, "@")
	if !found {
		key, host = "", address
	}
	return &server{&clustertest.Node{Name: host, HTTP: host, Key: key}}
}

// taskWait bounds the work of one task.
const taskWait = 2 * time.Minute

// errUnsettled: a task did not end.
var errUnsettled = errors.New("the task does not end")

// send runs requests one after the other, then waits for the tasks.
func (s *server) send(ctx context.Context, batch []life.Request) ([]purpose.Answer, error) {
	out := make([]purpose.Answer, len(batch))
	uids := make([]int64, len(batch))
	for i := range batch {
		r := &batch[i]
		status, b, err := s.ask(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Name, r, err)
		}
		out[i], uids[i] = purpose.Answer{Status: status, Body: maskAnswer(r, b)}, -1
		if r.Together {
			out[i].Body = deleted.ReplaceAll(out[i].Body, nil)
		}
		var made struct {
			TaskUID *int64 `json:"taskUid"`
		}
		if r.Write && status < http.StatusBadRequest && json.Unmarshal(b, &made) == nil && made.TaskUID != nil {
			uids[i] = *made.TaskUID
		}
	}
	// A swap renames the index in the records of others: they are read when all have ended.
	for i, uid := range uids {
		if uid < 0 || len(batch) == 1 {
			continue
		}
		if _, err := s.settled(ctx, uid); err != nil {
			return nil, fmt.Errorf("%s: %s: task %d: %w", s.Name, &batch[i], uid, err)
		}
	}
	for i, uid := range uids {
		if uid < 0 {
			continue
		}
		record, err := s.settled(ctx, uid)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: task %d: %w", s.Name, &batch[i], uid, err)
		}
		if batch[i].Together {
			record = deleted.ReplaceAll(record, nil)
		}
		if isDropped(batch, i) {
			record = indexed.ReplaceAll(record, []byte(`"indexedDocuments":0`))
		}
		out[i].Body = append(append(out[i].Body, '\n'), record...)
	}
	return out, nil
}

// ask sends a request. A search that may have been cut off is sent again: what it shows
// then is a matter of milliseconds.
func (s *server) ask(ctx context.Context, r *life.Request) (status int, body []byte, err error) {
	n := s.Node
	if r.Key != "" {
		n = &clustertest.Node{Name: s.Name, HTTP: s.HTTP, Key: r.Key}
	}
	for i := range 20 {
		status, body, err = n.Do(ctx, r.Method, r.Path, r.Body)
		if closed := errors.Is(err, io.EOF) && !r.Write; closed && i == 0 {
			continue
		} else if closed {
			return purpose.Unanswered, []byte(`{}`), nil
		}
		if err != nil || r.Write || !clustertest.CutOff(body) {
			return status, body, err
		}
	}
	return 0, nil, fmt.Errorf("the machine is too busy to compare: twenty times the search took as long as it may: %.300s", body)
}

// settled is the masked record of a task that has ended.
func (s *server) settled(ctx context.Context, uid int64) ([]byte, error) {
	for end := time.Now().Add(taskWait); time.Now().Before(end); {
		status, b, err := s.Do(ctx, "GET", fmt.Sprintf("/tasks/%d", uid), nil)
		if err != nil {
			return nil, err
		}
		var t struct {
			Status string `json:"status"`
		}
		if status == http.StatusOK {
			if err := json.Unmarshal(b, &t); err != nil {
				return nil, err
			}
		}
		switch t.Status {
		case "succeeded", "failed", "canceled":
			return mask(b), nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil, errUnsettled
}

// idle makes a task that changes nothing and returns its uid.
func (s *server) idle(ctx context.Context) (int64, error) {
	uid, err := s.Enqueue(ctx, "DELETE", "/indexes/nothing", nil)
	if err != nil {
		return 0, err
	}
	_, err = s.settled(ctx, int64(uid))
	return int64(uid), err
}

// reset deletes all indexes, and the keys that a life makes.
func (s *server) reset(ctx context.Context) error {
	status, b, err := s.Do(ctx, "GET", "/indexes?limit=1000", nil)
	if err != nil {
		return err
	}
	var page struct {
		Results []struct {
			UID string `json:"uid"`
		} `json:"results"`
	}
	if err := json.Unmarshal(b, &page); err != nil || status != http.StatusOK {
		return fmt.Errorf("%s: the indexes cannot be listed: %d %.200s", s.Name, status, b)
	}
	for _, x := range page.Results {
		uid, err := s.Enqueue(ctx, "DELETE", "/indexes/"+x.UID, nil)
		if err != nil {
			return err
		}
		if _, err := s.settled(ctx, int64(uid)); err != nil {
			return err
		}
	}
	for _, uid := range oddity.KeyUIDs {
		if _, _, err := s.Do(ctx, "DELETE", "/keys/"+uid, nil); err != nil {
			return err
		}
	}
	if _, _, err := s.Do(ctx, "PATCH", "/experimental-features", json.RawMessage(`{"dynamicSearchRules":true}`)); err != nil {
		return err
	}
	uid, err := s.enqueueAny(ctx, "DELETE", "/dynamic-search-rules")
	if err != nil {
		return err
	}
	if _, err := s.settled(ctx, uid); err != nil {
		return err
	}
	_, _, err = s.Do(ctx, "PATCH", "/experimental-features", json.RawMessage(`{"editDocumentsByFunction":true,"containsFilter":false,"dynamicSearchRules":false,"foreignKeys":false,"network":false,"multimodal":false}`))
	return err
}

// forget deletes all tasks but that of a deletion that deleted one task.
func (s *server) forget(ctx context.Context) error {
	for range 2 {
		uid, err := s.enqueueAny(ctx, "DELETE", "/tasks?statuses=succeeded,failed,canceled")
		if err != nil {
			return err
		}
		if _, err := s.settled(ctx, uid); err != nil {
			return err
		}
	}
	return nil
}

// enqueueAny is Enqueue for routes that answer 200.
func (s *server) enqueueAny(ctx context.Context, method, path string) (int64, error) {
	status, b, err := s.Do(ctx, method, path, nil)
	if err != nil {
		return 0, err
	}
	var made struct {
		TaskUID int64 `json:"taskUid"`
	}
	if status >= http.StatusBadRequest {
		return 0, fmt.Errorf("%s: %s %s: %d %.200s", s.Name, method, path, status, b)
	}
	err = json.Unmarshal(b, &made)
	return made.TaskUID, err
}

// How tasks are batched, what they take on disk and what chance makes may differ.
var figures = regexp.MustCompile(`"(uid|taskUid|batchUid|canceledBy|next|from|databaseSize|usedDatabaseSize|rawDocumentDbSize|avgDocumentSize|lastUpdate|lastUpdatedAt|dumpUid|key)":("[^"]*"|[0-9]+|null)`)

// names keep what is masked elsewhere: the uid of an index.
var names = regexp.MustCompile(`"uid":"[^"]*"`)

// identifiers are those that a server makes: of the keys that it begins with, for example.
var identifiers = regexp.MustCompile(`"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// isChance tells whether a uid is an identifier that no life gave.
func isChance(uid []byte) bool {
	id := identifiers.Find(uid)
	return id != nil && !slices.Contains(oddity.KeyUIDs, string(bytes.Trim(id, `"`)))
}

// isDropped tells whether the index of a request is deleted by a later one of the same batch:
// how many of its documents were indexed before that is a matter of time.
func isDropped(batch []life.Request, i int) bool {
	return batch[i].Together && slices.ContainsFunc(batch[i+1:], func(r life.Request) bool {
		return r.Method == http.MethodDelete && r.Path == "/indexes/"+purpose.IndexOf(batch[i].Path)
	})
}

var indexed = regexp.MustCompile(`"indexedDocuments":[0-9]+`)

// deleted is a member with the comma beside it; one of two commas stays.
var deleted = regexp.MustCompile(`,"deletedDocuments":[0-9]+|"deletedDocuments":[0-9]+,?`)

// builds tell which build a server is, totals how the tasks were batched, clocks the time.
var (
	builds = regexp.MustCompile(`"(commitSha|commitDate)":"[^"]*"`)
	totals = regexp.MustCompile(`"total":[0-9]+`)
	clocks = regexp.MustCompile("and we're now `[0-9]+`")
)

// maskAnswer is mask for the answer to a request.
func maskAnswer(r *life.Request, b []byte) []byte {
	b = mask(b)
	switch path, _, _ := strings.Cut(r.Path, "?"); strings.TrimSuffix(path, "/") {
	case "/version":
		return builds.ReplaceAll(b, []byte(`"$1":0`))
	case "/batches":
		return totals.ReplaceAll(b, []byte(`"total":0`))
	}
	return b
}

func mask(b []byte) []byte {
	b = clocks.ReplaceAll(b, []byte("and we're now `0`"))
	return figures.ReplaceAllFunc(clustertest.Mask(b), func(m []byte) []byte {
		if names.Match(m) && !isChance(m) {
			return m
		}
		name, _, _ := strings.Cut(string(m), ":")
		return []byte(name + ":0")
	})
}
