package placement

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// fakeStore holds for each shard the chain of delta ids in effect, and what is pending.
type fakeStore struct {
	mu      sync.Mutex
	chain   map[wire.ShardKey][]string
	pending map[string]bool
	kept    int // how many of the newest deltas can be sent
	drops   int
	damaged []wire.ShardKey
	// arrivals counts the copies that arrived, lists how often all shards were listed.
	arrivals uint64
	lists    int
}

func newFakeStore() *fakeStore {
	return &fakeStore{chain: map[wire.ShardKey][]string{}, pending: map[string]bool{}, kept: 2}
}

func (s *fakeStore) Publish(x *wire.Index, shards ...uint16) (missing []wire.Missing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range shards {
		sh := x.ShardNumbered(n)
		key := wire.ShardKey{IndexID: x.ID, Shard: n}
		have := s.chain[key]
		m := wire.Missing{Key: key}
		if slices.Contains(s.damaged, key) {
			m.Damaged = "a checksum does not fit"
			missing = append(missing, m)
			continue
		}
		if len(have) > len(sh.Deltas) {
			continue
		}
		for i := len(have); i < len(sh.Deltas); i++ {
			id := sh.Deltas[i].ID
			if !s.pending[id] {
				m.Deltas = append(m.Deltas, wire.PendingRef{Key: key, DeltaID: id, Base: uint64(i)})
			} else if len(m.Deltas) == 0 {
				s.chain[key] = append(s.chain[key], id)
			}
		}
		if len(m.Deltas) > 0 {
			missing = append(missing, m)
		}
	}
	return missing, nil
}

func (s *fakeStore) Receive(in io.Reader) (wire.PendingRef, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return wire.PendingRef{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var index uint32
	var shard uint16
	words := strings.Fields(string(data))
	if _, err := fmt.Sscanf(words[1], "%d/%d", &index, &shard); err != nil {
		return wire.PendingRef{}, err
	}
	if words[0] == "delta" {
		s.pending[words[2]] = true
	} else {
		key := wire.ShardKey{IndexID: index, Shard: shard}
		s.chain[key] = words[2:]
		s.arrivals++
		s.damaged = slices.DeleteFunc(s.damaged, func(d wire.ShardKey) bool { return d == key })
	}
	return wire.PendingRef{}, nil
}

func (s *fakeStore) Drop(key wire.ShardKey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.chain, key)
	s.drops++
	return nil
}

func (s *fakeStore) DamagedShards() ([]wire.ShardKey, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged), nil
}

func (s *fakeStore) Arrivals() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrivals
}

func (s *fakeStore) Shards() (keys []wire.ShardKey, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	for k := range s.chain {
		keys = append(keys, k)
	}
	return keys, nil
}

// fakePeers are the stores of all nodes.
type fakePeers map[wire.NodeID]*fakeStore

func (p fakePeers) FetchDelta(_ context.Context, from wire.NodeID, ref *wire.PendingRef) (io.ReadCloser, error) {
	s := p[from]
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.chain[ref.Key]
	if i := slices.Index(have, ref.DeltaID); i < 0 || i < len(have)-s.kept {
		return nil, wire.ErrGone
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf("delta %d/%d %s", ref.Key.IndexID, ref.Key.Shard, ref.DeltaID))), nil
}

func (p fakePeers) FetchCopy(_ context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error) {
	s := p[from]
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.chain[key]
	if uint64(len(have)) < version {
		return nil, wire.ErrBehind
	}
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "copy %d/%d %s", key.IndexID, key.Shard, strings.Join(have, " "))
	return io.NopCloser(&buf), nil
}

// fleet is a few nodes with followers and one balancer on one log.
type fleet struct {
	log       *coordtest.Log
	peers     fakePeers
	followers map[wire.NodeID]*replica.Follower
	balancer  *Balancer
	clock     time.Time
	down      map[wire.NodeID]bool
}

func newFleet(nodes ...string) *fleet {
	f := &fleet{log: coordtest.NewLog(nodes...), peers: fakePeers{}, followers: map[wire.NodeID]*replica.Follower{}, clock: time.Unix(1000, 0), down: map[wire.NodeID]bool{}}
	quiet := slog.New(slog.DiscardHandler)
	for _, n := range nodes {
		f.join(wire.NodeID(n), quiet)
	}
	f.balancer = NewBalancer(BalancerConfig{
		Log: f.log, Alive: func(n wire.NodeID) bool { return !f.down[n] },
		Faults: quiet, Now: func() time.Time { return f.clock },
	})
	return f
}

func (f *fleet) join(n wire.NodeID, quiet *slog.Logger) {
	f.peers[n] = newFakeStore()
	f.followers[n] = replica.NewFollower(replica.FollowerConfig{Self: n, Log: f.log, Store: f.peers[n], Source: f.peers, Faults: quiet})
}

// settle runs balancer and followers until neither has anything to do.
func (f *fleet) settle(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	quiet := 0
	for range 500 {
		before := f.log.Catalog().Applied()
		for _, d := range f.balancer.Plan(f.log.Catalog()) {
			f.balancer.carryOut(ctx, d)
		}
		for n, fo := range f.followers {
			if f.down[n] {
				continue
			}
			fo.Pass(ctx)
			fo.Workers.Wait()
		}
		if quiet++; f.log.Catalog().Applied() != before {
			quiet = 0
		}
		if quiet == 3 { // what was fetched in one round is reported in the next
			return
		}
	}
	t.Fatal("the cluster does not settle")
}

// publish commits a new version that the given nodes have.
func (f *fleet) publish(t *testing.T, x *wire.Index) {
	t.Helper()
	x, _ = f.log.Catalog().IndexByID(x.ID)
	next := x.Clone()
	next.Version++
	commit := wire.Commit{Term: 1, Batch: wire.Batch{UID: wire.NoBatch}, Guards: []wire.Guard{{IndexID: x.ID, Version: x.Version}}}
	for i := range next.Shards {
		s := &next.Shards[i]
		id := fmt.Sprintf("d%d-%d-%d", x.ID, s.Number, next.Version)
		s.Deltas = append(s.Deltas, wire.Delta{Version: next.Version, ID: id})
		h := wire.ShardHolders{IndexID: x.ID, Shard: s.Number}
		for _, r := range s.Replicas {
			if r.State != wire.Copying && !f.down[r.Node] {
				f.peers[r.Node].pending[id] = true
				h.Nodes = append(h.Nodes, r.Node)
			}
		}
		commit.Holders = append(commit.Holders, h)
	}
	commit.Changes = []wire.Change{{PutIndex: next}}
	res, err := f.log.Propose(context.Background(), &wire.Command{Commit: []wire.Commit{commit}})
	if err != nil || res.Fenced {
		t.Fatalf("publish: %v %+v", err, res)
	}
}

func (f *fleet) newIndex(t *testing.T, uid string, p Placement) *wire.Index {
	t.Helper()
	if _, err := f.log.Propose(context.Background(), &wire.Command{Update: &wire.Update{
		Changes: []wire.Change{{PutIndex: p.NewIndex(f.log.Catalog(), uid, Size{}, nil)}},
	}}); err != nil {
		t.Fatal(err)
	}
	x, _ := f.log.Catalog().Index(uid)
	return x
}

// replicas shows where the replicas of a shard are: "n1+ n2~" (in sync, not in sync).
func (f *fleet) replicas(id uint32, shard int) string {
	x, _ := f.log.Catalog().IndexByID(id)
	var out []string
	for _, r := range x.Shards[shard].Replicas {
		mark := "~"
		if r.State == wire.InSync {
			mark = "+"
		}
		out = append(out, string(r.Node)+mark)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestReplicasOfADeadNodeAreReplacedAfterADelay(t *testing.T) {
	f := newFleet("n1", "n2", "n3", "n4")
	x := f.newIndex(t, "a", Placement{})
	for range 5 {
		f.publish(t, x)
		f.settle(t)
	}
	if got := f.replicas(x.ID, 0); got != "n1+ n2+" {
		t.Fatalf("placed on %s", got)
	}
	f.down["n2"] = true
	f.settle(t)
	f.publish(t, x)
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n2~" {
		t.Errorf("a missed commit leaves %s", got)
	}
	f.clock = f.clock.Add(6 * time.Minute)
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n3+" {
		t.Errorf("after the delay %s", got)
	}
	// It returns, but no replica is assigned to it any more.
	f.down["n2"] = false
	f.settle(t)
	sweep := func(n wire.NodeID) error {
		for _, at := range []time.Duration{0, replica.DropAfter} {
			if err := f.followers[n].Sweep(context.Background(), f.clock.Add(at)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := sweep("n2"); err != nil || f.peers["n2"].drops != 1 {
		t.Errorf("swept %d shards, %v", f.peers["n2"].drops, err)
	}
	if err := sweep("n3"); err != nil || f.peers["n3"].drops != 0 {
		t.Errorf("swept a shard in use: %v", err)
	}
}

func TestNothingIsSweptWhileNothingChanges(t *testing.T) {
	f := newFleet("n1", "n2")
	x := f.newIndex(t, "a", Placement{})
	f.publish(t, x)
	f.settle(t)
	s := f.peers["n1"]
	sweep := func(what string, looks bool) {
		t.Helper()
		before := s.lists
		if err := f.followers["n1"].Sweep(context.Background(), f.clock); err != nil {
			t.Fatal(err)
		}
		if got := s.lists > before; got != looks {
			t.Errorf("%s: looked %v", what, got)
		}
		f.clock = f.clock.Add(replica.DropAfter)
	}
	sweep("at first", true)
	sweep("nothing happened", false)
	f.publish(t, x)
	f.settle(t)
	sweep("the catalogue changed", true)
	sweep("nothing happened since", false)
	// A late delta of a shard that this node had before.
	if _, err := s.Receive(strings.NewReader("copy 4711/0 d1")); err != nil {
		t.Fatal(err)
	}
	sweep("data came", true)
	sweep("data that may go is here", true)
	if s.drops != 1 {
		t.Errorf("%d shards were dropped", s.drops)
	}
	sweep("data went", true)
	sweep("all is in order", false)
}

func TestAReturningReplicaFetchesMissedDeltas(t *testing.T) {
	for missed, copied := range map[int]bool{1: false, 2: false, 6: true} {
		f := newFleet("n1", "n2", "n3")
		x := f.newIndex(t, "a", Placement{})
		f.publish(t, x)
		f.settle(t)
		f.down["n2"] = true
		for range missed {
			f.publish(t, x)
			f.settle(t)
		}
		f.down["n2"] = false
		key := wire.ShardKey{IndexID: x.ID}
		f.peers["n2"].pending = map[string]bool{}
		f.settle(t)
		if got := f.replicas(x.ID, 0); got != "n1+ n2+" {
			t.Errorf("missed %d: %s", missed, got)
		}
		if fmt.Sprint(f.peers["n2"].chain[key]) != fmt.Sprint(f.peers["n1"].chain[key]) {
			t.Errorf("missed %d: %v", missed, f.peers["n2"].chain[key])
		}
		if byCopy := len(f.peers["n2"].pending) == 0; byCopy != copied {
			t.Errorf("missed %d: copied %v", missed, byCopy)
		}
	}
}

// A replica that has caught up is not in sync while a batch that began earlier may still commit
// without it.
func TestCaughtUpWaitsForARunningBatch(t *testing.T) {
	f := newFleet("n1", "n2", "n3")
	f.balancer.Placement.Replicas = 1
	x := f.newIndex(t, "a", f.balancer.Placement)
	f.publish(t, x)
	f.settle(t)
	uid := "a"
	f.log.StoredTasks[0] = &wire.Task{UID: 0, IndexUID: &uid, Indexes: []string{uid}}
	f.balancer.Placement.Replicas = 2
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n2~" {
		t.Fatalf("%s while a batch is under way", got)
	}
	f.publish(t, x)
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n2+" {
		t.Errorf("%s after a commit", got)
	}
}

func TestDrainingNodeIsEmptied(t *testing.T) {
	f := newFleet("n1", "n2", "n3")
	var all []*wire.Index
	for i := range 6 {
		all = append(all, f.newIndex(t, fmt.Sprint("x", i), Placement{}))
		f.publish(t, all[i])
	}
	f.settle(t)
	k := NewCluster(f.log, Placement{}, nil)
	if _, err := k.Drain(context.Background(), "n2", false); err != nil {
		t.Fatal(err)
	}
	f.settle(t)
	for _, x := range all {
		if got := f.replicas(x.ID, 0); got != "n1+ n3+" {
			t.Errorf("%s: %s", x.UID, got)
		}
	}
	st := k.Status(k.look(t.Context()), Work{Decisions: f.balancer.Decisions()})
	if !st.Healthy || len(st.Decisions) == 0 {
		t.Errorf("status %+v", st)
	}
	if _, err := k.Drain(context.Background(), "n2", true); err != nil {
		t.Fatal(err)
	}
	f.settle(t)
	if n := ReplicaLoad(f.log.Catalog())["n2"]; n < 3 || n > 5 {
		t.Errorf("%d of 12 replicas came back", n)
	}
}

func TestReplicaGoalSetByAnOperator(t *testing.T) {
	f := newFleet("n1", "n2", "n3")
	x := f.newIndex(t, "a", Placement{})
	f.publish(t, x)
	k := NewCluster(f.log, Placement{}, nil)
	for _, n := range []uint64{3, 1} {
		if _, err := k.UpdateIndex(context.Background(), "a", nil, &n); err != nil {
			t.Fatal(err)
		}
		f.settle(t)
		if got := strings.Count(f.replicas(x.ID, 0), "+"); got != int(n) {
			t.Errorf("%d replicas, want %d", got, n)
		}
	}
	if _, err := k.UpdateIndex(context.Background(), "none", nil, nil); err == nil {
		t.Error("an index that does not exist was changed")
	}
}

// Whatever happens to nodes, a settled cluster has every shard on as many live nodes as wanted,
// all with the same content.
func TestRandomFailures(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 7))
	f := newFleet("n1", "n2", "n3", "n4", "n5")
	var all []*wire.Index
	for i := range 4 {
		all = append(all, f.newIndex(t, fmt.Sprint("x", i), Placement{Shards: 1 + i%3, Replicas: 2}))
	}
	f.balancer.Placement.Replicas = 2
	f.settle(t)
	for range 60 {
		switch n := wire.NodeID(fmt.Sprint("n", 1+rnd.IntN(5))); rnd.IntN(4) {
		case 0:
			if len(f.down) == 0 {
				f.down[n] = true // one at a time: with two copies no shard loses both
				f.settle(t)
			}
		case 1:
			clear(f.down)
		case 2:
			f.clock = f.clock.Add(time.Duration(rnd.IntN(10)) * time.Minute)
		default:
			f.publish(t, all[rnd.IntN(len(all))])
		}
		f.settle(t)
	}
	clear(f.down)
	f.settle(t)
	for _, x := range all {
		x, _ = f.log.Catalog().IndexByID(x.ID)
		for i := range x.Shards {
			if got := f.replicas(x.ID, i); strings.Count(got, "+") != 2 || strings.Contains(got, "~") {
				t.Errorf("seed %d: %s/%d on %s", seed, x.UID, i, got)
			}
			for _, r := range x.Shards[i].Replicas {
				if have := f.peers[r.Node].chain[wire.ShardKey{IndexID: x.ID, Shard: uint16(i)}]; len(have) != int(x.Version) {
					t.Errorf("seed %d: %s/%d on %s has %d of %d versions", seed, x.UID, i, r.Node, len(have), x.Version)
				}
			}
		}
	}
}

func TestShardCountOfFirstImport(t *testing.T) {
	l := coordtest.NewLog("n1", "n2", "n3")
	for _, c := range []struct {
		p    Placement
		size Size
		want int
	}{
		{Placement{}, Size{}, 1},
		{Placement{}, Size{Bytes: shardBytes, Documents: shardDocuments}, 1},
		{Placement{}, Size{Bytes: shardBytes + 1}, 2},
		{Placement{}, Size{Documents: 5_000_000}, 3},
		{Placement{}, Size{Bytes: 900 << 20, Documents: 1_900_000}, 1},
		{Placement{}, Size{Bytes: 100 * shardBytes}, 3},
		{Placement{Shards: 4}, Size{}, 4},
	} {
		x := c.p.NewIndex(l.Catalog(), "a", c.size, nil)
		if len(x.Shards) != c.want {
			t.Errorf("%+v: %d shards, want %d", c, len(x.Shards), c.want)
		}
		end := uint32(0)
		for _, s := range x.Shards {
			if s.SlotLo != end || len(s.Replicas) != 2 {
				t.Errorf("%+v: shard %+v", c, s)
			}
			end = s.SlotHi
		}
		if end != wire.Slots {
			t.Errorf("slots end at %d", end)
		}
	}
}
