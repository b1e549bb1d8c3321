// Raft and memberlist take their timeouts from math/rand: with a seed they come again.
//
//go:debug randseednop=0
package sim

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/model"
)

var (
	from     = flag.Uint64("from", 1, "first seed")
	seeds    = flag.Int("seeds", 0, "how many seeds; 0 = 20, 4 with -short")
	limit    = flag.Duration("limit", 0, "begin no seed after this time; 0 = no limit")
	logLevel = flag.String("loglevel", "WARN", "what of the nodes' logs is shown of a seed that fails")
	tell     = flag.Bool("tell", false, "show the diary of seeds that do not fail, too")
	times    = flag.Int("times", 1, "how often each seed runs: one that has failed once does not fail always")
	plant    = flag.String("plant", "", "a defect to plant: nosync = the log of the Raft group is not synced")
)

const (
	firstMembers = 3
	// harmAt is when faults begin, unless the cluster takes longer to form, and how long
	// they come.
	harmAt, harmFor = 4 * time.Second, 12 * time.Second
	// healsWithin is how long a cluster may take, by its own clock, to be whole and answer
	// everything after the last fault.
	healsWithin = 120 * time.Second
	// stuckAfter is how long a seed may do nothing by the real clock: the virtual one stands
	// still while a goroutine waits for a lock. Doing nothing is to use less of the CPU than
	// idleShare; a busy machine may leave little.
	stuckAfter, idleShare = time.Minute, 1000
)

func TestMain(m *testing.M) {
	flag.Parse()
	// One thread: the fewer goroutines run at once the better a seed repeats itself.
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}

// TestAClusterWithoutFaults: what the simulation says of a cluster that nothing happens to.
func TestAClusterWithoutFaults(t *testing.T) {
	s := simulate(t, 1, func(context.Context, *outcome) {})
	if len(s.clients.failed) > 0 {
		t.Errorf("requests failed without a fault: %v", s.clients.failed)
	}
	if s.clients.finished < 40 || s.clients.Reads() < 100 {
		t.Errorf("%d writes and %d reads: the clients did not get on", s.clients.finished, s.clients.Reads())
	}
	// Members that are told of each other by --init-members only found each other through
	// gossip after 15 s.
	if s.formed > 3*time.Second {
		t.Errorf("the cluster was whole after %s", s.formed)
	}
}

// TestSeeds: nothing acknowledged is lost, what succeeded is seen everywhere, nobody sees half
// a batch, and a cluster that is left alone mends itself, whatever went wrong before.
func TestSeeds(t *testing.T) {
	many := *seeds
	if many == 0 {
		if many = 20; testing.Short() {
			many = 4
		}
	}
	begun, cpu := time.Now(), cpuTime()
	var virtual time.Duration
	writes, reads, run, events := 0, 0, 0, 0
	var replayed time.Duration
	steps := map[string]int{}
	for seed := *from; seed < *from+uint64(many) && (*limit == 0 || time.Since(begun) < *limit); seed++ {
		for time := range *times {
			t.Run(fmt.Sprintf("%d/%d", seed, time+1), func(t *testing.T) {
				o := simulate(t, seed, harm)
				run, virtual = run+1, virtual+o.virtual
				writes, reads = writes+o.clients.finished, reads+o.clients.Reads()
				events, replayed = events+len(o.trace.events), replayed+o.replayed
				for step, n := range o.replay.Steps {
					steps[step] += n
				}
			})
		}
	}
	t.Logf("%d seeds, %s of clusters in %s of CPU, %d writes succeeded, %d reads", run, virtual.Round(time.Second), (cpuTime() - cpu).Round(100*time.Millisecond), writes, reads)
	t.Logf("%d events replayed against the model in %s of CPU, as steps: %v", events, replayed.Round(time.Millisecond), steps)
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// outcome is what is left of a seed.
type outcome struct {
	*cluster
	clients *clients
	virtual time.Duration
	formed  time.Duration // when it was whole
	// replay has compared what the nodes did with the model, in so much time.
	replay   *model.Replay
	replayed time.Duration
}

// TestTheSimulationFindsALogThatIsNotSynced: what would not see that would not see much.
func TestTheSimulationFindsALogThatIsNotSynced(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		if o := observe(t, seed, "nosync", hugeDisk, harm); len(o.faults) > 0 {
			t.Logf("seed %d: %.300s", seed, o.faults[0])
			return
		}
	}
	t.Error("none of 40 seeds found it")
}

// simulate runs one seed and fails the test for what must not be.
func simulate(t *testing.T, seed uint64, harm func(context.Context, *outcome)) *outcome {
	t.Helper()
	return judged(t, observe(t, seed, *plant, hugeDisk, harm))
}

// judged fails the test for what a seed saw that must not be.
func judged(t *testing.T, o *outcome) *outcome {
	t.Helper()
	if *tell || len(o.faults) > 0 {
		t.Logf("seed %d:\n%s", o.seed, strings.Join(o.diary, "\n"))
	}
	// Last, where somebody looks who sees the end of a long output only.
	for _, f := range o.faults {
		t.Errorf("seed %d: %s", o.seed, f)
	}
	return o
}

// observe runs one seed: the cluster forms, clients write and read while harm is done, then
// everything must be there. The index has three copies, unless disks are small: then their
// number follows its size.
func observe(t *testing.T, seed uint64, plant string, disks uint64, harm func(context.Context, *outcome)) *outcome {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	rand.Seed(int64(seed)) //nolint:staticcheck // the libraries know no other source
	out := &outcome{}
	seen := make(chan struct{})
	defer close(seen)
	go endStuck(seed, seen)
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, seed, disks, firstMembers, 1)
		c.plant = plant
		out.cluster, out.clients = c, newClients(c)
		out.scenario(t.Context(), harm)
		c.shutdown()
		out.virtual = time.Since(c.begun)
	})
	if err := out.clients.Check(20 * time.Second); err != nil {
		out.faults = append(out.faults, err.Error())
	}
	begun := cpuTime()
	r, err := replay(out.trace.ordered())
	if err != nil {
		out.faults = append(out.faults, err.Error())
	}
	out.replay, out.replayed = r, cpuTime()-begun
	return out
}

// endStuck ends the process when the seed stands still.
func endStuck(seed uint64, over <-chan struct{}) {
	tick := time.NewTicker(stuckAfter)
	defer tick.Stop()
	for used := cpuTime(); ; used = cpuTime() {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if cpuTime()-used < stuckAfter/idleShare {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2) // the process ends anyway
			fmt.Fprintf(os.Stderr, "seed %d stands still: a goroutine waits for a lock that one holds which waits for the clock\n", seed)
			os.Exit(2)
		}
	}
}

func (o *outcome) scenario(ctx context.Context, harm func(context.Context, *outcome)) {
	c, s := o.cluster, o.clients
	r := c.random("start")
	for _, h := range c.hosts[:firstMembers] {
		h.start()
		pause(ctx, time.Duration(r.IntN(200))*time.Millisecond)
	}
	ok := o.await(ctx, "a new cluster", o.whole)
	o.formed = time.Since(c.begun)
	if !ok || !o.prepare(ctx) || !o.await(ctx, "three copies", o.whole) {
		return
	}
	// Faults come at the same moments however long the cluster took to begin.
	pause(ctx, time.Until(c.begun.Add(harmAt)))
	work, end := context.WithTimeout(ctx, harmFor)
	defer end()
	var running sync.WaitGroup
	for group := range groups {
		running.Go(func() { s.write(work, group) })
	}
	for reader := range 2 {
		running.Go(func() { s.read(work, reader) })
	}
	harm(work, o)
	running.Wait()
	c.note("%d writes succeeded, %d reads, failed: %v", s.finished, s.Reads(), s.failed)
	if o.await(ctx, "the cluster is whole again", o.whole) && o.await(ctx, "all tasks have succeeded, on all nodes", o.settled) {
		o.await(ctx, "all nodes show the same", o.agreed)
	}
}

// await waits until something holds, for as long as a cluster may take.
func (o *outcome) await(ctx context.Context, what string, holds func(context.Context) error) bool {
	begun := time.Now()
	for {
		err := holds(ctx)
		if err == nil {
			o.note("%s, after %s", what, time.Since(begun).Round(time.Millisecond))
			return true
		}
		if time.Since(begun) > healsWithin {
			o.wrong("stuck: %s, not within %s: %v", what, healsWithin, err)
			return false
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// whole is nil when every node that runs sees all members and all copies.
func (o *outcome) whole(ctx context.Context) error {
	running := 0
	for _, h := range o.hosts {
		if h.runs() {
			running++
		}
	}
	for _, h := range o.hosts {
		if !h.runs() {
			continue
		}
		a, err := o.clients.do(ctx, h, 3*time.Second, "GET", "/cluster/status", nil)
		if err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		status := new(clustertest.Status)
		if err := json.Unmarshal(a.body, status); err != nil || a.status != http.StatusOK {
			return fmt.Errorf("%s: %w", h.name, refused{a})
		}
		if !status.Healthy || len(status.Nodes) != running || status.Voters() < firstMembers {
			return fmt.Errorf("%s: %s", h.name, a.body)
		}
	}
	return nil
}

// prepare makes the index that clients write to.
func (o *outcome) prepare(ctx context.Context) bool {
	r := o.random("prepare")
	return o.await(ctx, "an index", func(ctx context.Context) error {
		uid, err := o.clients.enqueue(ctx, o.hosts[0], "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"group"}})
		if err != nil {
			return err
		}
		one, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := o.clients.wait(one, r, uid); err != nil {
			return err
		}
		if o.disks < hugeDisk {
			return nil
		}
		a, err := o.clients.do(ctx, o.hosts[0], 5*time.Second, "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3})
		if err == nil && a.status != http.StatusOK {
			err = refused{a}
		}
		return err
	})
}

// settled is nil when every acknowledged task has succeeded, whichever node is asked.
func (o *outcome) settled(ctx context.Context) error {
	for _, h := range o.hosts {
		if !h.runs() {
			continue
		}
		for uid, what := range o.clients.accepted {
			status, err := o.clients.taskStatus(ctx, h, uid)
			if err == nil && status != "succeeded" {
				err = errNotYet
			}
			if err != nil {
				return fmt.Errorf("task %d, %s, on %s: %w", uid, what, h.name, err)
			}
		}
	}
	return nil
}

// agreed is nil when all nodes show the same batch of every group. What they show is part
// of the history.
func (o *outcome) agreed(ctx context.Context) error {
	for group := range groups {
		shown := map[int]string{}
		for _, h := range o.hosts {
			if !h.runs() {
				continue
			}
			seen := o.clients.Read(group)
			batch, ok := o.clients.look(ctx, h, group)
			if !ok {
				return fmt.Errorf("%s does not show group %d", h.name, group)
			}
			seen(batch)
			shown[batch] += " " + h.name
		}
		if len(shown) != 1 {
			return fmt.Errorf("group %d: %v", group, shown)
		}
	}
	return nil
}
