package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// storm writes to a cluster while its nodes are hit.
type storm struct {
	t    *testing.T
	c    *clustertest.Cluster
	seed uint64

	next atomic.Int64 // id of the next document
	mu   sync.Mutex
	sent map[int]bool // documents whose request was sent
	kept map[int]bool // documents whose request was acknowledged
	uids []uint32     // acknowledged tasks
}

// write sends imports of different sizes until ctx ends. The same documents are
// sent again until they are acknowledged, or given up now and then.
func (s *storm) write(ctx context.Context, worker int) {
	r := rand.New(rand.NewPCG(s.seed, uint64(worker)))
	for ctx.Err() == nil {
		n := 1 + r.IntN(20)
		if r.IntN(6) == 0 {
			n = 400 // a blob
		}
		from := int(s.next.Add(int64(n))) - n
		s.mu.Lock()
		for id := from; id < from+n; id++ {
			s.sent[id] = true
		}
		s.mu.Unlock()
		for ctx.Err() == nil {
			node := s.c.Nodes[r.IntN(len(s.c.Nodes))]
			one, cancel := context.WithTimeout(ctx, 8*time.Second)
			uid, err := node.Enqueue(one, "POST", "/indexes/docs/documents", documents(from, n))
			cancel()
			if err == nil {
				s.mu.Lock()
				for id := from; id < from+n; id++ {
					s.kept[id] = true
				}
				s.uids = append(s.uids, uid)
				s.mu.Unlock()
				break
			}
			if r.IntN(10) == 0 {
				break // gives up: these may be there or not
			}
			pause(ctx, 50*time.Millisecond)
		}
		pause(ctx, time.Duration(r.IntN(30))*time.Millisecond)
	}
}

// change alters settings and the number of shards. The next settings wait until those
// before are in effect: each builds the whole index again, and a queue that grows for
// as long as the storm lasts would say nothing about its end.
func (s *storm) change(ctx context.Context) {
	r := rand.New(rand.NewPCG(s.seed, 1000))
	for ctx.Err() == nil {
		node := s.c.Nodes[r.IntN(len(s.c.Nodes))]
		one, cancel := context.WithTimeout(ctx, 8*time.Second)
		if r.IntN(3) == 0 {
			_, _, _ = node.Do(one, "PATCH", "/cluster/indexes/docs", map[string]any{"shards": 1 + r.IntN(4)})
		} else {
			body := map[string]any{"filterableAttributes": [][]string{{"id"}, {"id", "even"}, {"even", "title"}}[r.IntN(3)]}
			if r.IntN(2) == 0 {
				body = map[string]any{"stopWords": [][]string{{"of"}, {"the", "and"}, {}}[r.IntN(3)]}
			}
			if uid, err := node.Enqueue(one, "PATCH", "/indexes/docs/settings", body); err == nil {
				s.mu.Lock()
				s.uids = append(s.uids, uid)
				s.mu.Unlock()
				_, _ = node.Wait(ctx, uid) // the check at the end asks for it again
			}
		}
		cancel()
		pause(ctx, time.Duration(300+r.IntN(700))*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// hit does one kind of harm and undoes it.
func (s *storm) hit(r *rand.Rand) {
	victim := leader(s.t, s.c)
	if r.IntN(2) == 0 {
		victim = others(s.c, victim)[r.IntN(2)]
	}
	switch k := r.IntN(5); k {
	case 0, 1:
		victim.Kill()
		s.t.Logf("%s was killed", victim.Name)
		time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
		restart(s.t, s.c, victim)
	case 2:
		for _, n := range s.c.Nodes {
			n.Kill()
		}
		began := time.Now()
		for _, n := range s.c.Nodes {
			if err := n.Start(s.c); err != nil {
				s.t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
		defer cancel()
		for _, n := range s.c.Nodes {
			if err := n.Ready(ctx); err != nil {
				s.t.Fatal(err)
			}
		}
		s.t.Logf("all nodes were killed; all serve %s after their start", time.Since(began).Round(time.Millisecond))
	case 3:
		if err := victim.Freeze(); err != nil {
			s.t.Fatal(err)
		}
		d := length(s.t, 3*time.Second) / 10
		d = min(max(d, 3*time.Second), 15*time.Second)
		s.t.Logf("%s was frozen for %s", victim.Name, d)
		time.Sleep(d)
		if err := victim.Thaw(); err != nil {
			s.t.Fatal(err)
		}
	default:
		s.t.Logf("%s was ended", victim.Name)
		victim.Stop()
		restart(s.t, s.c, victim)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for _, n := range s.c.Nodes {
		if err := n.Ready(ctx); err != nil {
			s.t.Fatal(err)
		}
	}
}

// stormRound bounds one round of the long form. Settings and changes of shards build the
// index anew: of an index that only grows each would soon take longer than a node is left
// alone, and a batch whose builder ends three times is given up.
const stormRound = 2 * time.Minute

func TestNoAcknowledgedWriteIsLost(t *testing.T) {
	seed, c := seeded(t), start(t, 3, 2)
	end := time.Now().Add(length(t, 20*time.Second))
	for left := time.Until(end); left > 0; left, seed = time.Until(end), seed+1 {
		write(t, c.Nodes[0], "POST", "/indexes", map[string]any{"uid": "docs", "primaryKey": "id"})
		s := &storm{t: t, c: c, seed: seed, sent: map[int]bool{}, kept: map[int]bool{}}
		s.rage(min(left, stormRound))
		s.check()
		write(t, c.Nodes[0], "DELETE", "/indexes/docs", nil)
	}
}

// rage writes for so long, and hits the nodes meanwhile.
func (s *storm) rage(d time.Duration) {
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	defer cancel()
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() { s.write(ctx, worker) })
	}
	wg.Go(func() { s.change(ctx) })
	r := rand.New(rand.NewPCG(s.seed, 0))
	for ctx.Err() == nil {
		pause(ctx, time.Duration(500+r.IntN(1500))*time.Millisecond)
		s.hit(r)
	}
	wg.Wait()
}

// settle waits for the end of all tasks, also of those that were accepted without an
// answer. They may be many, and a change of shards builds the whole index while they wait:
// it gives up when none of them has ended for five minutes.
// A request that was given up may become a task a little later: it goes on until no task has
// come for two seconds.
func (s *storm) settle() {
	for newest, before := 0, -1; newest != before; {
		before = newest
		for left := math.MaxInt; left > 0; {
			eventually(s.t, 5*time.Minute, "the end of a task", func(ctx context.Context) bool {
				now, ok := s.tasks(ctx, "statuses=enqueued,processing&limit=1")
				moved := ok && now < left
				if moved {
					left = now
				}
				return moved
			})
		}
		pause(s.t.Context(), 2*time.Second)
		eventually(s.t, time.Minute, "the number of tasks", func(ctx context.Context) (ok bool) {
			newest, ok = s.tasks(ctx, "limit=1")
			return ok
		})
	}
}

// tasks is how many there are of some kind, as the first node knows it.
func (s *storm) tasks(ctx context.Context, of string) (int, bool) {
	status, b, err := s.c.Nodes[0].Do(ctx, "GET", "/tasks?"+of, nil)
	var page struct {
		Total *int `json:"total"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(b, &page) != nil || page.Total == nil {
		return 0, false
	}
	return *page.Total, true
}

// check compares what is there with what was acknowledged, on every node.
func (s *storm) check() {
	t := s.t
	s.settle()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, uid := range s.uids {
		if status, err := s.c.Nodes[0].Wait(ctx, uid); err != nil {
			t.Fatalf("acknowledged task %d: %s %v", uid, status, err)
		}
	}
	t.Logf("%d tasks, %d documents acknowledged, %d sent", len(s.uids), len(s.kept), len(s.sent))
	for _, n := range s.c.Nodes {
		found, err := ids(ctx, n, "docs")
		if err != nil {
			t.Fatal(err)
		}
		lost, strange := 0, 0
		for id := range s.kept {
			if !found[id] {
				lost++
			}
		}
		for id := range found {
			if !s.sent[id] {
				strange++
			}
		}
		if lost > 0 || strange > 0 {
			t.Errorf("%s has %d documents: %d acknowledged ones are missing, %d were never sent", n.Name, len(found), lost, strange)
		}
		a, err := fresh(ctx, n, "POST", "/indexes/docs/search", map[string]any{"q": "document", "hitsPerPage": 1})
		if err != nil || a.Status != http.StatusOK {
			t.Errorf("a search on %s: %+v %v", n.Name, a, err)
			continue
		}
		if want := fmt.Sprintf(`"totalHits":%d,`, len(found)); !bytes.Contains(a.Body, []byte(want)) {
			t.Errorf("%s finds %s, it has %d documents", n.Name, a.Body, len(found))
		}
	}
}
