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
)

// turn points the alias films to an index and repeats the request until it is answered.
func turn(t *testing.T, n *clustertest.Node, index string) {
	t.Helper()
	eventually(t, 20*time.Second, n.Name+" to turn the alias to "+index, func(ctx context.Context) bool {
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		a, err := n.Ask(one, "PUT", "/cluster/aliases/films", json.RawMessage(`{"index":"`+index+`"}`))
		if err == nil && a.Status != http.StatusOK && a.Status != http.StatusServiceUnavailable {
			t.Fatalf("%s: %d %s", n.Name, a.Status, a.Body)
		}
		return err == nil && a.Status == http.StatusOK
	})
}

// behind tells which index a node shows by the alias films.
func behind(t *testing.T, n *clustertest.Node) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	a, err := fresh(ctx, n, "POST", "/indexes/films/search", json.RawMessage(`{}`))
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("%s: %+v %v", n.Name, a, err)
	}
	for _, index := range []string{"v1", "v2"} {
		if strings.Contains(string(a.Body), `"of":"`+index+`"`) {
			return index
		}
	}
	t.Fatalf("%s shows %s", n.Name, a.Body)
	return ""
}

// Row 25 of the failure matrix: the leader dies, or hangs, while an alias is turned. The turn
// has happened or has not; once one is answered, each node that serves shows the new index, also
// the one that hung, from its first answer on.
func TestRow25AnAliasIsTurnedThoughTheLeaderDiesOrHangs(t *testing.T) {
	c := start(t, 3, 2)
	for _, index := range []string{"v1", "v2"} {
		write(t, c.Nodes[0], "POST", "/indexes/"+index+"/documents", fmt.Appendf(nil, `{"id":1,"of":%q}`, index))
	}
	turn(t, c.Nodes[0], "v1")
	// It hangs.
	leads := leader(t, c)
	rest := others(c, leads)
	if err := leads.Freeze(); err != nil {
		t.Fatal(err)
	}
	took := within(t, 10*time.Second, "a turn while the leader hangs", func(context.Context) { turn(t, rest[0], "v2") })
	t.Logf("turned %s after the leader hung", took.Round(time.Millisecond))
	for _, n := range rest {
		if now := behind(t, n); now != "v2" {
			t.Errorf("%s shows %s", n.Name, now)
		}
	}
	if err := leads.Thaw(); err != nil {
		t.Fatal(err)
	}
	if now := behind(t, leads); now != "v2" {
		t.Errorf("%s, which hung, shows %s and does not mark it as stale", leads.Name, now)
	}
	// It dies with turns on their way, which are answered or not.
	leads = leader(t, c)
	rest = others(c, leads)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	answered := make(chan bool, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		a, err := leads.Ask(ctx, "PUT", "/cluster/aliases/films", json.RawMessage(`{"index":"v1","from":"v2"}`))
		answered <- err == nil && a.Status == http.StatusOK
	}()
	<-begun
	leads.Kill()
	was := <-answered
	first := behind(t, rest[0])
	if was && first != "v1" {
		t.Errorf("the turn was answered, and %s shows %s", rest[0].Name, first)
	}
	if now := behind(t, rest[1]); now != first {
		t.Errorf("%s shows %s, %s %s", rest[0].Name, first, rest[1].Name, now)
	}
	// A client that repeats its turn safely is told if it has happened.
	a, err := rest[1].Ask(ctx, "PUT", "/cluster/aliases/films", json.RawMessage(`{"index":"v1","from":"v2"}`))
	for err == nil && a.Status == http.StatusServiceUnavailable && ctx.Err() == nil {
		a, err = rest[1].Ask(ctx, "PUT", "/cluster/aliases/films", json.RawMessage(`{"index":"v1","from":"v2"}`))
	}
	switch {
	case err != nil:
		t.Fatal(err)
	case first == "v2" && a.Status != http.StatusOK,
		first == "v1" && (a.Status != http.StatusConflict || !strings.Contains(string(a.Body), "alias_points_elsewhere")):
		t.Errorf("shown was %s, then %d %s", first, a.Status, a.Body)
	}
	restart(t, c, leads)
	for _, n := range c.Nodes {
		if now := behind(t, n); now != "v1" {
			t.Errorf("%s shows %s", n.Name, now)
		}
	}
}
