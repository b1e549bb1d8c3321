package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}}

// Answer is the response to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// CSV is a body that is sent as text/csv.
type CSV []byte

// Text is a body that is sent unchanged as application/json, valid or not.
type Text string

// Ask sends one request; body may be nil, []byte or an io.Reader (sent as NDJSON),
// CSV, Text or any other value (sent as JSON).
func (n *Node) Ask(ctx context.Context, method, path string, body any) (*Answer, error) {
	var r io.Reader
	ctype := "application/json"
	switch b := body.(type) {
	case nil:
	case []byte:
		r, ctype = bytes.NewReader(b), "application/x-ndjson"
	case io.Reader:
		r, ctype = b, "application/x-ndjson"
	case CSV:
		r, ctype = bytes.NewReader(b), "text/csv"
	case Text:
		r = strings.NewReader(string(b))
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+n.HTTP+path, r)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", ctype)
	}
	if n.Key != "" {
		req.Header.Set("Authorization", "Bearer "+n.Key)
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return &Answer{res.StatusCode, res.Header, b}, err
}

// Do is Ask without the answer's header.
func (n *Node) Do(ctx context.Context, method, path string, body any) (int, []byte, error) {
	a, err := n.Ask(ctx, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	return a.Status, a.Body, nil
}

// Enqueue sends a write and returns its task uid.
func (n *Node) Enqueue(ctx context.Context, method, path string, body any) (uint32, error) {
	status, b, err := n.Do(ctx, method, path, body)
	if err != nil {
		return 0, err
	}
	var t struct {
		TaskUID uint32 `json:"taskUid"`
	}
	if status != http.StatusAccepted {
		return 0, fmt.Errorf("%s %s on %s: %d %s", method, path, n.Name, status, b)
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return 0, fmt.Errorf("%s %s on %s: %w", method, path, n.Name, err)
	}
	return t.TaskUID, nil
}

// Wait polls a task until it is finished and returns its status.
func (n *Node) Wait(ctx context.Context, uid uint32) (string, error) {
	for {
		status, b, err := n.Do(ctx, "GET", fmt.Sprintf("/tasks/%d", uid), nil)
		var t struct {
			Status string          `json:"status"`
			Error  json.RawMessage `json:"error"`
		}
		if err == nil && status == 200 {
			if err := json.Unmarshal(b, &t); err != nil {
				return "", err
			}
			switch t.Status {
			case "succeeded":
				return t.Status, nil
			case "failed", "canceled":
				return t.Status, fmt.Errorf("task %d %s: %s", uid, t.Status, t.Error)
			}
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("task %d on %s: last answer %d %s: %w", uid, n.Name, status, b, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Write sends a write and waits until its task has succeeded.
func (n *Node) Write(ctx context.Context, method, path string, body any) error {
	uid, err := n.Enqueue(ctx, method, path, body)
	if err == nil {
		_, err = n.Wait(ctx, uid)
	}
	return err
}

// taken matches the processing times that searches report.
var taken = regexp.MustCompile(`"processingTimeMs":([0-9]+)`)

// CutOff tells whether an answer may hold less than on an idle machine, because one of its
// searches took nearly as long as the default cutoff.
func CutOff(body []byte) bool {
	for _, m := range taken.FindAllSubmatch(body, -1) {
		if ms, err := strconv.Atoi(string(m[1])); err != nil || ms >= 1400 {
			return true
		}
	}
	return false
}

// volatile are the members that may differ between two answers to one question.
var volatile = regexp.MustCompile(`"(processingTimeMs|requestUid|queryUid|enqueuedAt|startedAt|finishedAt|duration|updatedAt|createdAt)":("[^"]*"|[0-9]+|null)`)

// Mask blanks times and request ids.
func Mask(b []byte) []byte { return volatile.ReplaceAll(b, []byte(`"$1":0`)) }
