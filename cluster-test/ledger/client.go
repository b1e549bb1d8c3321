package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

// roster lists the nodes that clients may ask. Safe for concurrent use.
type roster struct {
	mu    sync.RWMutex
	nodes []*clustertest.Node
}

func (r *roster) set(nodes []*clustertest.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = slices.Clone(nodes)
}

func (r *roster) all() []*clustertest.Node {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.nodes)
}

func (r *roster) any(dice *rand.Rand) *clustertest.Node {
	all := r.all()
	return all[dice.IntN(len(all))]
}

// answerTime is how long a client waits for an answer to one request.
const answerTime = 10 * time.Second

// put sends a request to a node and writes it down. The task is -1 when there is none, or
// nobody knows. An error is a fault of the cluster.
func (l *life) put(ctx context.Context, n *clustertest.Node, q *request) (task int64, err error) {
	l.gate.RLock()
	defer l.gate.RUnlock()
	e := l.book.sent(q, n.Name)
	body := q.body
	if l.plant == plantLost && q.kind == "documentAdditionOrUpdate" && q.index != groupIndex {
		body = l.shortened(q.body)
	}
	one, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	a, err := n.Ask(one, q.method, q.path, body)
	switch {
	case err != nil, a.Status >= 500:
		return -1, nil // it may have become a task
	case a.Status != http.StatusAccepted && a.Status != http.StatusOK: // 200 for those about tasks
		code, known := refusal(a.Body)
		l.book.turnedDown(e, code)
		if !known {
			return -1, fmt.Errorf("%v: %d %s", e, a.Status, a.Body)
		}
		return -1, nil
	}
	var t struct {
		TaskUID *uint32 `json:"taskUid"`
	}
	if err := json.Unmarshal(a.Body, &t); err != nil || t.TaskUID == nil {
		return -1, fmt.Errorf("%v: a 202 without a task: %s", e, a.Body)
	}
	uid := *t.TaskUID
	if l.plant == plantForgotten && q.kind == "documentDeletion" {
		uid += 1_000_000
	}
	if err := l.book.accepted(e, uid); err != nil {
		return -1, err
	}
	if l.plant == plantTwice && q.kind == "documentEdition" {
		_, _ = n.Ask(one, q.method, q.path, q.body) // one of many arrives
	}
	return int64(*t.TaskUID), nil
}

// refusal reads the code of a refusal; only those are known that the life brings about.
func refusal(body []byte) (code string, known bool) {
	var r struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(body, &r) != nil {
		return "no code", false
	}
	return r.Code, slices.Contains([]string{"no_space_left_on_device", "too_many_open_files"}, r.Code)
}

// Planted faults: each is a cluster that breaks a promise, as its clients would see it.
const (
	plantLost      = "lost"      // an upload arrives without one of its documents
	plantTwice     = "twice"     // a request is carried out twice
	plantForgotten = "forgotten" // a 202 names a task that there is not
	plantTorn      = "torn"      // a batch becomes visible in two halves
)

// shortened is an upload without its first line, if it has more.
func (l *life) shortened(body any) any {
	b, ok := body.([]byte)
	if !ok {
		return body
	}
	cut := slices.Index(b, '\n')
	if cut < 0 || cut == len(b)-1 {
		return body
	}
	return b[cut+1:]
}

// write sends documents until ctx ends.
func (l *life) write(ctx context.Context, g *writer) error {
	for ctx.Err() == nil {
		if _, err := l.put(ctx, l.roster.any(g.r), g.documents()); err != nil {
			return err
		}
		pause(ctx, time.Duration(5+g.r.IntN(60))*time.Millisecond)
	}
	return nil
}

// administer sends everything else until ctx ends. Requests that carry no mark go out one
// after the other, so that a task without a 202 has one request that it can be of.
func (l *life) administer(ctx context.Context, g *writer) error {
	for ctx.Err() == nil {
		q := l.next(g)
		if q.mark == "" && l.book.undecided(q.kind) {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		uid, err := l.put(ctx, l.roster.any(g.r), q)
		if err != nil {
			return err
		}
		if uid >= 0 {
			l.taken(q, uint32(uid))
		}
		l.adjust(ctx, g)
		pause(ctx, time.Duration(100+g.r.IntN(400))*time.Millisecond)
	}
	return nil
}

// next is the next request that is not about documents.
func (l *life) next(g *writer) *request {
	switch d := g.r.IntN(40); {
	case d == 0 && l.dumps < 1:
		l.dumps++
		return plain("dumpCreation", "POST", "/dumps")
	case d == 1 && l.snapshots < 1:
		l.snapshots++
		return plain("snapshotCreation", "POST", "/snapshots")
	case d < 4:
		return plain("taskCancelation", "POST", "/tasks/cancel?statuses=enqueued,processing&indexUids="+names[g.r.IntN(len(names))])
	case d < 6 && len(l.ended) > 20:
		n := 1 + g.r.IntN(20)
		uids := l.ended[:n]
		l.ended = l.ended[n:]
		text := ""
		for i, uid := range uids {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprint(uid)
		}
		return plain("taskDeletion", "DELETE", "/tasks?uids="+text)
	}
	return g.administration()
}

// taken remembers which dump and snapshot a round has asked for.
func (l *life) taken(q *request, uid uint32) {
	switch q.kind {
	case "dumpCreation":
		l.dump = &uid
	case "snapshotCreation":
		l.snapshot = &uid
	}
}

// adjust changes now and then what takes no task: shards, copies, keys, remotes. What was
// acknowledged must stay.
func (l *life) adjust(ctx context.Context, g *writer) {
	one, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	n := l.roster.any(g.r)
	switch d := g.r.IntN(24); d {
	case 0, 1:
		goal := map[string]any{"shards": 1 + g.r.IntN(4), "replicas": 2 + g.r.IntN(2)}
		if a, err := n.Ask(one, "PATCH", "/cluster/indexes/"+names[g.r.IntN(len(names))], goal); err == nil && a.Status == http.StatusOK {
			l.adjusted++
		}
	case 2:
		g.n++
		name := fmt.Sprintf("%s key %d", g.name, g.n)
		a, err := n.Ask(one, "POST", "/keys", map[string]any{"name": name, "actions": []string{"search"}, "indexes": []string{"*"}, "expiresAt": nil})
		if err == nil && a.Status == http.StatusCreated {
			l.keys = append(l.keys, name)
		}
	case 3:
		g.n++
		name := fmt.Sprintf("remote%d", g.n)
		a, err := n.Ask(one, "PATCH", "/network", map[string]any{"remotes": map[string]any{name: map[string]any{"url": "http://127.0.0.1:9"}}})
		if err == nil && a.Status == http.StatusOK {
			l.remotes = append(l.remotes, name)
		}
	case 4:
		on := g.r.IntN(2) == 0
		a, err := n.Ask(one, "PATCH", "/experimental-features", map[string]any{"containsFilter": on})
		l.contains = nil // unknown
		if err == nil && a.Status == http.StatusOK {
			l.contains = &on
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
