package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	clustertest "shoal/cluster-test"
)

// told is a task as the cluster lists it.
type told struct {
	UID        uint32  `json:"uid"`
	BatchUID   *uint32 `json:"batchUid"`
	IndexUID   *string `json:"indexUid"`
	Status     string  `json:"status"`
	Type       string  `json:"type"`
	CanceledBy *uint32 `json:"canceledBy"`
	Error      *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	CustomMetadata *string   `json:"customMetadata"`
	EnqueuedAt     time.Time `json:"enqueuedAt"`
}

// ask asks a node until it answers with 200 and not from before.
func ask(ctx context.Context, n *clustertest.Node, method, path string, body any, into any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		a, err := n.Ask(ctx, method, path, body)
		if err == nil && a.Status == http.StatusOK && a.Header.Get("Shoal-Stale") == "" {
			dec := json.NewDecoder(bytes.NewReader(a.Body))
			dec.UseNumber()
			return dec.Decode(into)
		}
		select {
		case <-ctx.Done():
			if a != nil {
				err = errors.Join(err, fmt.Errorf("%d %.300s", a.Status, a.Body))
			}
			return fmt.Errorf("%s %s on %s: no answer for a minute: %w", method, path, n.Name, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tasks lists all tasks from one on, oldest first.
func tasks(ctx context.Context, n *clustertest.Node, from uint32) ([]told, error) {
	var out []told
	for {
		var page struct {
			Results []told  `json:"results"`
			Next    *uint32 `json:"next"`
		}
		if err := ask(ctx, n, "GET", fmt.Sprintf("/tasks?reverse=true&limit=1000&from=%d", from), nil, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Results...)
		if page.Next == nil || len(page.Results) == 0 {
			return out, nil
		}
		from = *page.Next
	}
}

// patience is how long no task may end while some wait.
const patience = 2 * time.Minute

// settle waits until all tasks have ended and no new one has come for two seconds: a request
// that was given up may become a task a little later.
func settle(ctx context.Context, n *clustertest.Node) error {
	left, moved, quiet, newest := -1, time.Now(), time.Now(), -1
	for ctx.Err() == nil {
		var waiting, all struct {
			Total   int `json:"total"`
			Results []struct {
				UID int `json:"uid"`
			} `json:"results"`
		}
		if err := errors.Join(ask(ctx, n, "GET", "/tasks?statuses=enqueued,processing&limit=1", nil, &waiting),
			ask(ctx, n, "GET", "/tasks?limit=1", nil, &all)); err != nil {
			return err
		}
		if waiting.Total != left {
			left, moved = waiting.Total, time.Now()
		}
		if len(all.Results) > 0 && all.Results[0].UID != newest || waiting.Total > 0 {
			quiet = time.Now()
			if len(all.Results) > 0 {
				newest = all.Results[0].UID
			}
		}
		switch {
		case waiting.Total == 0 && time.Since(quiet) > 2*time.Second:
			return nil
		case waiting.Total > 0 && time.Since(moved) > patience:
			return fmt.Errorf("stuck: no task has ended for %s, %d wait, the newest is %+v", patience, waiting.Total, waiting.Results)
		}
		pause(ctx, 100*time.Millisecond)
	}
	return ctx.Err()
}

// account closes the books of a round: every task is of a request, every 202 is a task, and
// the model carries out what succeeded. It returns how the tasks ended.
func (l *life) account(list []told) (map[string]int, error) {
	ends := map[string]int{}
	entries := make([]*entry, len(list))
	for i := range list {
		e, err := l.book.find(&list[i])
		if err != nil {
			return nil, err
		}
		entries[i] = e
	}
	for i, e := range entries {
		t := &list[i]
		if err := l.carryOut(l.world, e.q, t, list); err != nil {
			return nil, fmt.Errorf("task %d: %w: %v%s%s", t.UID, err, e, mates(t, list), l.before(t, list))
		}
		ends[t.Status]++
		l.byKind[t.Type]++
	}
	listed := map[uint32]bool{}
	for _, t := range list {
		listed[t.UID] = true
	}
	for _, e := range l.book.from(l.closed) {
		if !listed[e.uid] {
			return nil, fmt.Errorf("a 202 is lost: its task is not in the list: %v", e)
		}
	}
	l.book.settled()
	return ends, nil
}

// carryOut does to a world what a task has done, if its end is one that it may have had.
func (l *life) carryOut(w *world, q *request, t *told, list []told) error {
	if t.Status == "canceled" {
		if t.CanceledBy == nil || !slices.ContainsFunc(list, func(o told) bool {
			return o.UID == *t.CanceledBy && o.Type == "taskCancelation" && o.UID > t.UID
		}) {
			return errors.New("it was canceled by nobody")
		}
		return nil
	}
	code, change := q.outcome(w)
	switch {
	case t.Status == "succeeded" && change != nil:
		change()
		return nil
	case t.Status == "succeeded":
		// Before the removal of the index, or of all documents, in one batch it is not carried out.
		if t.together(list, func(o *told) bool { return o.Type == "indexDeletion" || l.book.clears(o.UID) }) {
			return nil
		}
		if code == missing && overtook(t, list) {
			return nil
		}
		return fmt.Errorf("it succeeded, and should have failed with %s", code)
	case t.Status == "failed" && t.Error != nil:
		if code == t.Error.Code || code == anyOutput || l.excused(t) || spoilt(t, list) || t.Error.Code == missing && overtook(t, list) {
			l.failed[t.Error.Code]++
			return nil
		}
		return fmt.Errorf("it failed with %s (%s) instead of %q", t.Error.Code, t.Error.Message, code)
	}
	return fmt.Errorf("its status is %s", t.Status)
}

// spoilt tells whether a task failed with the batch that it was in. When documents are
// added behind a deletion by filter that cannot be carried out, the whole batch fails, as the
// reference's does: deletions by id before that one, too.
func spoilt(t *told, list []told) bool {
	return (t.Error.Code == noFilter || t.Error.Code == missing) && t.together(list, func(o *told) bool {
		return o.Type == "documentDeletion" && o.Error != nil && o.Error.Code == t.Error.Code && o.together(list, func(a *told) bool {
			return a.Type == "documentAdditionOrUpdate" && a.UID > o.UID
		})
	})
}

// overtook tells whether a compaction ran before a task that was enqueued earlier, which may
// have made or removed its index: compactions have precedence, as in the reference.
func overtook(t *told, list []told) bool {
	return t.Type == "indexCompaction" && t.BatchUID != nil && slices.ContainsFunc(list, func(o told) bool {
		return o.UID < t.UID && o.BatchUID != nil && *o.BatchUID > *t.BatchUID
	})
}

// together tells whether a task shares its batch with one of some kind.
func (t *told) together(list []told, with func(o *told) bool) bool {
	return t.BatchUID != nil && slices.ContainsFunc(list, func(o told) bool {
		return o.BatchUID != nil && *o.BatchUID == *t.BatchUID && with(&o)
	})
}

// mates tells the tasks of one batch with a task.
func mates(t *told, list []told) string {
	var b strings.Builder
	t.together(list, func(o *told) bool {
		fmt.Fprintf(&b, "\n  in batch %d: task %d, %s, %s", *o.BatchUID, o.UID, o.Type, o.Status)
		if o.Error != nil {
			fmt.Fprintf(&b, ", %s", o.Error.Code)
		}
		return false
	})
	return b.String()
}

// before tells the tasks before one that were not about documents.
func (l *life) before(t *told, list []told) string {
	var told []string
	for i := range list {
		o := &list[i]
		if o.UID >= t.UID || strings.HasPrefix(o.Type, "document") {
			continue
		}
		if e, err := l.book.find(o); err == nil {
			told = append(told, fmt.Sprintf("\n  before: %s: %v, %v", o.Status, e, e.q.body))
		}
	}
	return strings.Join(told[max(0, len(told)-12):], "")
}

// excused tells whether a task may have failed for what was done to the cluster. A dump or a
// snapshot whose node ends meanwhile fails and says so; it is asked for again.
func (l *life) excused(t *told) bool {
	if t.Type == "dumpCreation" || t.Type == "snapshotCreation" {
		return !slices.Contains(l.only, "none")
	}
	return t.Error.Code == "no_space_left_on_device" && l.allowed("disk")
}

// compare checks that a node holds what a world says.
func compare(ctx context.Context, n *clustertest.Node, w *world) error {
	var list struct {
		Results []struct {
			UID string `json:"uid"`
		} `json:"results"`
	}
	if err := ask(ctx, n, "GET", "/indexes?limit=1000", nil, &list); err != nil {
		return err
	}
	var have []string
	for _, x := range list.Results {
		have = append(have, x.UID)
	}
	slices.Sort(have)
	if want := slices.Sorted(maps.Keys(w.indexes)); !slices.Equal(have, want) {
		return fmt.Errorf("%s has the indexes %v instead of %v", n.Name, have, want)
	}
	for name, x := range w.indexes {
		if err := compareIndex(ctx, n, name, x); err != nil {
			return fmt.Errorf("%s, index %s: %w", n.Name, name, err)
		}
	}
	return compareRules(ctx, n, w.rules)
}

func compareIndex(ctx context.Context, n *clustertest.Node, name string, x *index) error {
	var page struct {
		Results []document `json:"results"`
		Total   int        `json:"total"`
	}
	at := "/indexes/" + url.PathEscape(name)
	if err := ask(ctx, n, "GET", at+"/documents?limit=1000000", nil, &page); err != nil {
		return err
	}
	got, err := lines(page.Results)
	if err != nil {
		return err
	}
	want, err := lines(slices.Collect(maps.Values(x.docs)))
	if err != nil {
		return err
	}
	if text := differ(got, want); text != "" {
		return errors.New("documents: " + text)
	}
	var found struct {
		TotalHits int `json:"totalHits"`
	}
	if err := ask(ctx, n, "POST", at+"/search", map[string]any{"hitsPerPage": 1}, &found); err != nil {
		return err
	}
	if found.TotalHits != min(len(want), 1000) {
		return fmt.Errorf("a search finds %d of %d documents", found.TotalHits, len(want))
	}
	var s struct {
		StopWords  []string `json:"stopWords"`
		Filterable []string `json:"filterableAttributes"`
	}
	if err := ask(ctx, n, "GET", at+"/settings", nil, &s); err != nil {
		return err
	}
	if !slices.Equal(s.StopWords, x.stopWords) || !slices.Equal(s.Filterable, x.filterable) {
		return fmt.Errorf("settings: stop words %v and filterable %v instead of %v and %v", s.StopWords, s.Filterable, x.stopWords, x.filterable)
	}
	return nil
}

func compareRules(ctx context.Context, n *clustertest.Node, want map[string]string) error {
	var list struct {
		Results []struct {
			UID         string `json:"uid"`
			Description string `json:"description"`
		} `json:"results"`
	}
	if err := ask(ctx, n, "POST", "/dynamic-search-rules", map[string]any{}, &list); err != nil {
		return err
	}
	got := map[string]string{}
	for _, r := range list.Results {
		got[r.UID] = r.Description
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("%s has the rules %v instead of %v", n.Name, got, want)
	}
	return nil
}

// compareSmall checks what takes no task.
func (l *life) compareSmall(ctx context.Context, n *clustertest.Node) error {
	var keys struct {
		Results []struct {
			Name *string `json:"name"`
		} `json:"results"`
	}
	if err := ask(ctx, n, "GET", "/keys?limit=10000", nil, &keys); err != nil {
		return err
	}
	have := map[string]int{}
	for _, k := range keys.Results {
		if k.Name != nil {
			have[*k.Name]++
		}
	}
	for _, name := range l.keys {
		if have[name] != 1 {
			return fmt.Errorf("%s has the key %q %d times", n.Name, name, have[name])
		}
	}
	var network struct {
		Remotes map[string]json.RawMessage `json:"remotes"`
	}
	if err := ask(ctx, n, "GET", "/network", nil, &network); err != nil {
		return err
	}
	for _, name := range l.remotes {
		if _, ok := network.Remotes[name]; !ok {
			return fmt.Errorf("%s does not know the remote %s any more", n.Name, name)
		}
	}
	if l.contains == nil {
		return nil
	}
	var features struct {
		ContainsFilter bool `json:"containsFilter"`
	}
	if err := ask(ctx, n, "GET", "/experimental-features", nil, &features); err != nil {
		return err
	}
	if features.ContainsFilter != *l.contains {
		return fmt.Errorf("%s says that containsFilter is %t", n.Name, features.ContainsFilter)
	}
	return nil
}

// story is the end of what a node wrote to its log.
func stories(nodes []*clustertest.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "--- %s\n%s\n", n.Name, n.Tail(15))
	}
	return b.String()
}
