package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// Row 16 of the failure matrix with real processes: the clocks of two of three nodes
// are an hour off, in both directions, and each of the three comes to lead.
func TestRow16NodesWhoseClocksAreAnHourApart(t *testing.T) {
	t.Parallel()
	const master = "a master key of enough bytes"
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_MASTER_KEY="+master)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	binary, err := clustertest.BuildSkewed(ctx, c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Binary = binary
	skew := map[*clustertest.Node]time.Duration{}
	for i, off := range []time.Duration{0, time.Hour, -time.Hour} {
		n := c.Nodes[i]
		n.Key, n.Env = master, []string{"SHOAL_TEST_SKEW=" + off.String()}
		skew[n] = off
	}
	rig.Start(t, c)
	if status, b, err := c.Nodes[0].Do(ctx, http.MethodPatch, "/experimental-features", map[string]any{"dynamicSearchRules": true}); err != nil || status != http.StatusOK {
		t.Fatal(status, string(b), err)
	}
	led := map[*clustertest.Node]bool{}
	for round := 0; round < 20 && len(led) < 3; round++ {
		leads, term := leaderOf(t, c)
		now := time.Now().Add(skew[leads])
		t.Logf("round %d: %s leads, its clock is off by %s", round, leads.Name, skew[leads])
		problems := datesByTheClockOf(ctx, t, c, leads, now, round)
		inOrder(ctx, t, leads)
		// What a date means follows from who leads: this round tells only when nobody else
		// came to lead meanwhile.
		if still, later := leaderOf(t, c); still != leads || later != term {
			t.Logf("round %d: %s came to lead meanwhile; not judged: %v", round, still.Name, problems)
			continue
		}
		led[leads] = true
		for _, p := range problems {
			t.Error(p)
		}
		// The next one leads: this one is gone for a while.
		leads.Kill()
		rest := others(c, leads)
		eventually(t, 20*time.Second, "another leader", func(ctx context.Context) bool {
			s, err := rest[round%2].Status(ctx)
			return err == nil && s.Leader != "" && s.Leader != leads.Name
		})
		restart(t, c, leads)
	}
	if len(led) < 3 {
		t.Errorf("only %d of the nodes came to lead", len(led))
	}
}

// datesByTheClockOf asks every node of a cluster for keys and rules with dates around
// now, the leader's time, and returns what is wrong: a date is in the future, and over,
// on all nodes or on none.
func datesByTheClockOf(ctx context.Context, t *testing.T, c *clustertest.Cluster, leads *clustertest.Node, now time.Time, round int) (problems []string) {
	t.Helper()
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	date := func(d time.Duration) string { return now.Add(d).UTC().Format(time.RFC3339) }
	var keys []string
	for i, n := range c.Nodes {
		until := func(d time.Duration) map[string]any {
			return map[string]any{"actions": []string{"search"}, "indexes": []string{"*"}, "expiresAt": date(d)}
		}
		// A node goes by the leader before until it hears from this one: a part of a second.
		for end := time.Now().Add(5 * time.Second); ; pause(ctx, 50*time.Millisecond) {
			over, taken, err := n.Do(ctx, http.MethodPost, "/keys", until(-20*time.Minute))
			valid, b, err2 := n.Do(ctx, http.MethodPost, "/keys", until(time.Duration(20+i)*time.Minute))
			var key struct {
				Key string `json:"key"`
			}
			if err == nil && over == http.StatusBadRequest && err2 == nil && valid == http.StatusCreated && json.Unmarshal(b, &key) == nil {
				keys = append(keys, key.Key)
				break
			}
			if time.Now().After(end) {
				wrong("%s: a key that is over: %d %s %v; a key that is valid for 20 minutes: %d %s %v", n.Name, over, taken, err, valid, b, err2)
				break
			}
		}
	}
	write(t, leads, "POST", "/indexes/docs/documents", documents(round*10, 10))
	// A rule is in force on all nodes or on none: it pins document 7.
	write(t, leads, "PATCH", "/dynamic-search-rules/r", map[string]any{
		"conditions": map[string]any{"time": map[string]any{"start": date(-20 * time.Minute), "end": date(20 * time.Minute)}},
		"actions":    []any{map[string]any{"selector": map[string]any{"id": "7"}, "action": map[string]any{"type": "pin", "position": 0}}},
	})
	for _, n := range c.Nodes {
		// A node that has just come back may answer from before, and says so: a wrong clock
		// must not keep it there.
		one, stop := context.WithTimeout(ctx, 20*time.Second)
		defer stop()
		a, err := fresh(one, n, http.MethodPost, "/indexes/docs/search", map[string]any{"q": "", "limit": 1, "attributesToRetrieve": []string{"id"}})
		if err != nil || a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"hits":[{"id":7}]`) {
			wrong("%s does not follow a rule that is in force: %s %v", n.Name, bodyOf(a), err)
		}
		master := n.Key
		for _, key := range keys {
			n.Key = key
			a, err := fresh(one, n, http.MethodPost, "/indexes/docs/search", map[string]any{"q": "document"})
			if err != nil || a.Status != http.StatusOK {
				wrong("%s, asked with a valid key: %s %v", n.Name, bodyOf(a), err)
			}
		}
		n.Key = master
		// It holds a lease: only then it answers for tasks.
		write(t, n, "POST", "/indexes/docs/documents", documents(1000+round, 1))
	}
	return problems
}

func bodyOf(a *clustertest.Answer) string {
	if a == nil {
		return "no answer"
	}
	return fmt.Sprintf("%d %.300s", a.Status, a.Body)
}

// inOrder checks that later tasks were enqueued later.
func inOrder(ctx context.Context, t *testing.T, n *clustertest.Node) {
	t.Helper()
	a, err := fresh(ctx, n, http.MethodGet, "/tasks?limit=1000", nil)
	var page struct {
		Results []struct {
			UID        int       `json:"uid"`
			EnqueuedAt time.Time `json:"enqueuedAt"`
		} `json:"results"`
	}
	if err != nil || json.Unmarshal(a.Body, &page) != nil || len(page.Results) == 0 {
		t.Fatalf("tasks: %+v %v", a, err)
	}
	for i := 1; i < len(page.Results); i++ {
		if x, y := page.Results[i-1], page.Results[i]; !x.EnqueuedAt.After(y.EnqueuedAt) {
			t.Errorf("task %d of %s comes after task %d of %s", x.UID, x.EnqueuedAt, y.UID, y.EnqueuedAt)
		}
	}
}
