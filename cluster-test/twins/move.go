package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// move changes how many shards and copies an index has, on the clusters that have more
// than one of either. It does not wait: what comes next meets shards that are cut and
// copies on their way.
func (l *lab) move(ctx context.Context) error {
	uids, err := l.indexes(ctx)
	if err != nil || len(uids) == 0 {
		return err
	}
	uid := uids[l.dice.IntN(len(uids))]
	for _, t := range l.twins {
		if t.shards == 1 && len(t.c.Nodes) == 1 {
			continue
		}
		goal := map[string]any{"shards": 1 + l.dice.IntN(2*t.shards), "replicas": 1 + l.dice.IntN(len(t.c.Nodes))}
		status, b, err := t.c.Nodes[t.ask].Do(ctx, "PATCH", "/cluster/indexes/"+url.PathEscape(uid), goal)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		switch status {
		case http.StatusOK:
			l.moved++
		case http.StatusNotFound, http.StatusServiceUnavailable: // a task removed it meanwhile, or there is no leader yet
			l.say("%s: shards and copies of %s stay: %d %s", t.name, uid, status, b)
		default:
			return fmt.Errorf("%s: %v of %s: %d %s", t.name, goal, uid, status, b)
		}
	}
	return nil
}

// indexes are the uids that the first cluster has, in its order.
func (l *lab) indexes(ctx context.Context) ([]string, error) {
	t := l.twins[0]
	status, b, err := t.c.Nodes[t.ask].Do(ctx, "GET", "/indexes?limit=100", nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("%s: list of indexes: %d %s", t.name, status, b)
	}
	var page struct {
		Results []struct {
			UID string `json:"uid"`
		} `json:"results"`
	}
	if err := json.Unmarshal(b, &page); err != nil {
		return nil, err
	}
	uids := make([]string, len(page.Results))
	for i := range page.Results {
		uids[i] = page.Results[i].UID
	}
	return uids, nil
}
