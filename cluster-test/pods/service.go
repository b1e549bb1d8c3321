package pods

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/robin"
)

// probe is the readiness probe of the manifest; a pod that fails it twice in a row
// gets no requests until it succeeds once.
const (
	probe    = "/readyz?stale"
	failures = 2
)

// balancer gives requests to the pods that are ready. It learns of a pod that ends by
// the probe alone: a service in Kubernetes is told, too, which is sooner.
type balancer struct {
	*robin.Robin
	t     *testing.T
	every time.Duration
	end   context.CancelFunc
	work  sync.WaitGroup

	mu    sync.Mutex
	pods  map[*clustertest.Node]int // probes that failed in a row
	ready []*clustertest.Node
	// blamed counts the answers of each pod that no client should get.
	blamed map[string]int
}

// heard notes which pod gave an answer that no client should get; the first few are told.
func (b *balancer) heard(r *http.Response) error {
	if r.StatusCode < http.StatusInternalServerError {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := range b.pods {
		if n.HTTP != r.Request.URL.Host {
			continue
		}
		if b.blamed[n.Name]++; b.blamed[n.Name] <= 3 {
			b.t.Logf("%s  %s answers %s with %d", time.Now().UTC().Format(clock), n.Name, r.Request.URL.Path, r.StatusCode)
		}
	}
	return nil
}

// balance serves the pods until the test ends, each probed again and again.
func balance(t *testing.T, pods []*clustertest.Node, every time.Duration) *balancer {
	t.Helper()
	b := &balancer{t: t, every: every, pods: map[*clustertest.Node]int{}, blamed: map[string]int{}}
	r, err := robin.New(nil, robin.Between{Answer: b.heard})
	if err != nil {
		t.Fatal(err)
	}
	b.Robin = r
	for _, n := range pods {
		b.pods[n] = failures
	}
	ctx, end := context.WithCancel(t.Context())
	b.end = end
	b.work.Go(func() { b.run(ctx) })
	t.Cleanup(func() {
		b.end()
		b.work.Wait()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *balancer) run(ctx context.Context) {
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	for {
		b.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look probes all pods once, at the same time.
func (b *balancer) look(ctx context.Context) {
	b.mu.Lock()
	var pods []*clustertest.Node
	for n := range b.pods {
		pods = append(pods, n)
	}
	b.mu.Unlock()
	ok := make([]bool, len(pods))
	var asked sync.WaitGroup
	for i, n := range pods {
		asked.Go(func() { ok[i] = answers(ctx, n, probe) == http.StatusOK })
	}
	asked.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = nil
	for i, n := range pods {
		failed, known := b.pods[n]
		switch {
		case !known:
			continue
		case ok[i]:
			failed = 0
		default:
			failed = min(failed+1, failures)
		}
		if b.pods[n] = failed; failed < failures {
			b.ready = append(b.ready, n)
		}
	}
	b.To(b.ready)
}

// serves tells whether a pod gets requests.
func (b *balancer) serves(n *clustertest.Node) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.ready, n)
}

// with has a new pod probed, too.
func (b *balancer) with(n *clustertest.Node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pods[n] = failures
}

// without forgets a pod that is gone for good.
func (b *balancer) without(n *clustertest.Node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pods, n)
}

// answers is the status of a probe, 0 without an answer.
func answers(ctx context.Context, n *clustertest.Node, path string) int {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, _, err := n.Do(ctx, "GET", path, nil)
	if err != nil {
		return 0
	}
	return status
}

// clock is how times are written, to compare them with the logs of pods.
const clock = "15:04:05.000"

// eventually waits until something is so.
func eventually(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(limit); !ok(); {
		if time.Now().After(until) {
			t.Fatalf("waited %s for %s", limit, what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// document is one document of the index, and every one has these words.
func document(id int) string {
	return fmt.Sprintf(`{"id":%d,"title":"pod number %d","part":%d,"text":"a document that was acknowledged"}`+"\n", id, id, id%7)
}
