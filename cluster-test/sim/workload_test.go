package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"shoal/cluster-test/history"
	"shoal/cluster-test/model"
)

const (
	// groups are written each by one client; a batch changes all documents of one.
	groups, groupDocuments = 3, 4
	clientIP               = "10.0.1.1"
)

// clients write and read groups of documents through all nodes and note what they saw.
type clients struct {
	c    *cluster
	port *port
	http *http.Client
	history.Recorder

	mu       sync.Mutex
	accepted map[uint32]string // tasks that a node acknowledged, and what they write
	finished int               // that a node called succeeded
	cuts     int               // multi-searches that were answered
	failed   map[string]int    // requests, by what they were told
}

func newClients(c *cluster) *clients {
	s := &clients{c: c, port: c.net.port(clientIP), accepted: map[uint32]string{}, failed: map[string]int{}}
	s.http = &http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, addr string) (net.Conn, error) { return s.port.Dial(ctx, addr) },
		DisableKeepAlives: true, DisableCompression: true,
	}}
	return s
}

// answer is what a request got.
type answer struct {
	status int
	stale  bool
	body   []byte
}

// do sends one request to a host.
func (s *clients) do(ctx context.Context, h *host, within time.Duration, method, path string, body any) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+h.ip+":7700"+path, in)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return &answer{res.StatusCode, res.Header.Get("Shoal-Stale") != "", b}, nil
}

// refused is an answer that says no.
type refused struct{ *answer }

func (r refused) Error() string { return fmt.Sprintf("%d %.300s", r.status, r.body) }

// enqueue sends what makes a task and returns its number.
func (s *clients) enqueue(ctx context.Context, h *host, method, path string, body any) (uint32, error) {
	a, err := s.do(ctx, h, 8*time.Second, method, path, body)
	if err != nil {
		return 0, err
	}
	var task struct {
		UID uint32 `json:"taskUid"`
	}
	if a.status != http.StatusAccepted {
		return 0, refused{a}
	}
	if err := json.Unmarshal(a.body, &task); err != nil {
		return 0, err
	}
	s.c.trace.client(h.witness(), model.Event{Kind: model.Accepted, Task: task.UID})
	return task.UID, nil
}

var errNotYet = errors.New("the task has not ended")

// taskStatus asks a node for a task.
func (s *clients) taskStatus(ctx context.Context, h *host, uid uint32) (string, error) {
	a, err := s.do(ctx, h, 3*time.Second, "GET", fmt.Sprintf("/tasks/%d", uid), nil)
	if err != nil {
		return "", err
	}
	if a.status != http.StatusOK {
		return "", refused{a}
	}
	var task struct {
		Status string          `json:"status"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(a.body, &task); err != nil {
		return "", err
	}
	if task.Status == "failed" || task.Status == "canceled" {
		s.c.wrong("task %d on %s: %s", uid, h.name, a.body)
	}
	if task.Status == "succeeded" {
		s.c.trace.client(h.witness(), model.Event{Kind: model.Seen, Task: uid})
	}
	return task.Status, nil
}

// wait asks nodes until one calls a task succeeded.
func (s *clients) wait(ctx context.Context, r *rand.Rand, uid uint32) error {
	for ctx.Err() == nil {
		status, err := s.taskStatus(ctx, s.any(r), uid)
		switch {
		case err == nil && status == "succeeded":
			return nil
		case err == nil && (status == "failed" || status == "canceled"):
			return errors.New(status)
		case err != nil:
			s.count(ctx, err)
		}
		pause(ctx, time.Duration(20+r.IntN(60))*time.Millisecond)
	}
	return errNotYet
}

// succeeded is how many writes have.
func (s *clients) succeeded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished
}

// any is a host that has been started at some time.
func (s *clients) any(r *rand.Rand) *host {
	known := s.c.known()
	return known[r.IntN(len(known))]
}

// count notes a request that failed, unless the client itself gave it up.
func (s *clients) count(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	text := "no answer"
	if r, ok := errors.AsType[refused](err); ok {
		text = r.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[text]++
}

// documents are one batch. Every sixth is too large for the log and is staged in a file.
func documents(group, batch int) (docs []map[string]any) {
	for i := range groupDocuments {
		d := map[string]any{"id": group*1000 + i, "group": group, "batch": batch}
		if batch%6 == 0 {
			d["ballast"] = strings.Repeat("x", 5000)
		}
		docs = append(docs, d)
	}
	return docs
}

// write sends batch after batch of one group, each through any node.
func (s *clients) write(ctx context.Context, group int) {
	r := s.c.random(fmt.Sprint("writer ", group))
	for batch := 1; ctx.Err() == nil; batch++ {
		one, cancel := context.WithTimeout(ctx, 8*time.Second)
		known := s.Write(group, batch)
		h := s.any(r)
		uid, err := s.enqueue(one, h, "POST", "/indexes/docs/documents", documents(group, batch))
		if err == nil {
			s.mu.Lock()
			s.accepted[uid] = fmt.Sprintf("group %d batch %d by %s", group, batch, h.name)
			s.mu.Unlock()
			err = s.wait(one, r, uid)
		} else {
			s.count(ctx, err)
		}
		cancel()
		known(err == nil)
		if err == nil {
			s.mu.Lock()
			s.finished++
			s.mu.Unlock()
		} else {
			pause(ctx, 500*time.Millisecond) // few fates are left open
		}
		pause(ctx, time.Duration(50+r.IntN(200))*time.Millisecond)
	}
}

// read asks any node for a group, twice in one request.
func (s *clients) read(ctx context.Context, reader int) {
	r := s.c.random(fmt.Sprint("reader ", reader))
	for ctx.Err() == nil {
		group, h := r.IntN(groups), s.any(r)
		seen := s.Read(group)
		if batch, ok := s.look(ctx, h, group); ok {
			seen(batch)
		}
		pause(ctx, time.Duration(30+r.IntN(120))*time.Millisecond)
	}
}

// look reads a group on a node; ok when it answered from the newest state.
func (s *clients) look(ctx context.Context, h *host, group int) (batch int, ok bool) {
	query := map[string]any{"indexUid": "docs", "filter": fmt.Sprintf("group = %d", group), "limit": 2 * groupDocuments}
	asked, since := h.witness(), time.Since(s.c.begun)
	a, err := s.do(ctx, h, 6*time.Second, "POST", "/multi-search", map[string]any{"queries": []any{query, query}})
	switch {
	case err != nil:
		s.count(ctx, err)
	case a.stale:
	case a.status >= 400 && a.status < 500:
		// The index was there before the first read.
		s.c.wrong("%s answers a search with %d %s", h.name, a.status, a.body)
	case a.status != http.StatusOK:
		s.count(ctx, refused{a})
	default:
		if asked == h.witness() { // else nobody knows which process it was
			s.c.trace.client(asked, model.Event{Kind: model.Answered, Since: since})
		}
		return s.judge(h, group, a.body)
	}
	return 0, false
}

// judge returns the batch that an answer about a group shows.
func (s *clients) judge(h *host, group int, body []byte) (batch int, ok bool) {
	batch, err := history.Shown(body, groupDocuments)
	if err != nil {
		s.c.wrong("%s, group %d: %v", h.name, group, err)
		return 0, false
	}
	s.mu.Lock()
	s.cuts++
	s.mu.Unlock()
	return batch, true
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
