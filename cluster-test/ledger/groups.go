package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"shoal/cluster-test/history"
)

const (
	groupIndex = "groups"
	// groups are written each by one client; a batch changes all documents of one.
	groupCount, groupDocuments = 4, 8
)

// groupRequest writes a whole group with the number of a batch.
func (g *writer) groupRequest(group, batch int) *request {
	q := g.marked(&request{kind: "documentAdditionOrUpdate", method: "POST", path: "/indexes/" + groupIndex + "/documents", index: groupIndex})
	docs := make([]document, groupDocuments)
	for i := range docs {
		docs[i] = document{"id": group*groupDocuments + i, "group": group, "batch": batch}
	}
	q.body = ndjson(docs)
	q.outcome = func(w *world) (string, func()) {
		return "", func() {
			for _, d := range docs {
				w.made(groupIndex).put(d, false)
			}
		}
	}
	return q
}

// writeGroup writes batches of one group until ctx ends, and notes in the history when each
// was sent and when a node called it succeeded.
func (l *life) writeGroup(ctx context.Context, g *writer, group int) error {
	for ctx.Err() == nil {
		batch := int(l.batches.Add(1))
		known := l.history.Write(group, batch)
		q := g.groupRequest(group, batch)
		n := l.roster.any(g.r)
		if l.plant == plantTorn {
			half := bytes.Join(bytes.SplitAfter(q.body.([]byte), []byte("\n"))[:groupDocuments/2], nil)
			if uid, err := n.Enqueue(ctx, q.method, "/indexes/"+groupIndex+"/documents", half); err == nil {
				_, _ = n.Wait(ctx, uid) // what it does is looked for, not whether it worked
			}
		}
		uid, err := l.put(ctx, n, q)
		if err != nil {
			return err
		}
		if uid >= 0 {
			one, cancel := context.WithTimeout(ctx, answerTime)
			status, err := n.Wait(one, uint32(uid))
			cancel()
			known(err == nil && status == "succeeded")
		} else {
			known(false)
		}
		pause(ctx, time.Duration(20+g.r.IntN(200))*time.Millisecond)
	}
	return nil
}

// readGroups asks for groups twice in one request until ctx ends.
func (l *life) readGroups(ctx context.Context, dice *rand.Rand) error {
	for ctx.Err() == nil {
		group := dice.IntN(groupCount)
		n := l.roster.any(dice)
		query := map[string]any{"indexUid": groupIndex, "filter": fmt.Sprintf("group = %d", group), "limit": 2 * groupDocuments}
		seen := l.history.Read(group)
		one, cancel := context.WithTimeout(ctx, answerTime)
		a, err := n.Ask(one, "POST", "/multi-search", map[string]any{"queries": []any{query, query}})
		cancel()
		if err == nil && a.Status == http.StatusOK {
			batch, err := history.Shown(a.Body, groupDocuments)
			if err != nil {
				return fmt.Errorf("a torn multi-search: group %d on %s %w", group, n.Name, err)
			}
			l.searches.Add(1)
			if a.Header.Get("Shoal-Stale") == "" {
				seen(batch)
			}
		}
		pause(ctx, time.Duration(5+dice.IntN(40))*time.Millisecond)
	}
	return nil
}
