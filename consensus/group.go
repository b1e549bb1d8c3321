package consensus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/lull"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
	"shoal/wire/await"
)

// Group is this node's member of the one Raft group of its cluster. All methods
// are safe for concurrent use.
type Group struct {
	cfg       Config
	log       *slog.Logger
	fsm       *fsm
	logs      *raftlog.Store
	cache     *raft.LogCache
	transport raft.Transport
	lull      *lull.Lull
	raft      *raft.Raft
	opened    time.Duration // by the lease clock

	leading    atomic.Pointer[leadership] // nil unless this node leads and is ready
	leadChange *await.Signal              // leadership or the known leader changed
	seen       atomic.Int64               // newest watermark heard from a leader
	leaseUntil atomic.Int64               // nanoseconds since opened
	carried    carriedReports
	contact    contact
	configured atomic.Int64         // when the last change of the voters was applied, nanoseconds since opened
	told       atomic.Pointer[told] // the leader's time of day
	verified   atomic.Int64         // last proof of leadership, nanoseconds since opened
	barriers   barriers
	removals   atomic.Pointer[removals]
	memory     memory
	reached    *reached
	changes    await.Lock // one change of the membership at a time

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	notify chan bool

	closing struct {
		sync.RWMutex
		yes bool
	}
	work     sync.WaitGroup // every goroutine and every call under way
	inFlight inFlight
	calls    calls
	// lastLeader is the last known leader other than this node.
	lastLeader atomic.Pointer[wire.NodeID]
}

// Open opens the state and then takes part in the cluster. It serves at once what was
// applied before; Leading and Lease tell the rest.
func Open(cfg Config) (*Group, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	g := &Group{
		cfg: cfg, log: cfg.Logger.With("component", "consensus"), opened: cfg.Clock.Elapsed(),
		leadChange: await.NewSignal(), notify: make(chan bool, 16),
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.barriers.read = g.readIndex
	if err := g.openStores(); err != nil {
		g.cancel()
		return nil, errors.Join(err, g.closeStores())
	}
	g.begin(g.follow)
	g.begin(g.report)
	g.begin(g.watchDisk)
	g.begin(g.keepReached)
	if g.logs.Bolt != nil {
		g.begin(func() { g.logs.Bolt.RunMetrics(g.ctx, 10*time.Second) })
	}
	return g, nil
}

// openStores opens the log and the state, and starts raft over them.
func (g *Group) openStores() (err error) {
	defer func() {
		// bbolt panics when it reads a page that it did not write.
		if p := recover(); p != nil {
			err = fmt.Errorf("the log cannot be read: %v", p)
		}
	}()
	if err := g.forkedBefore(); err != nil {
		return err
	}
	o := raftlog.Options{Dir: g.cfg.Dir, Instead: g.cfg.RaftLog, Check: entry.Check, OnFatal: g.fatal}
	o.Applied = g.hadApplied
	o.Appends = func() { g.lull.Appends() }
	if g.logs, err = raftlog.Open(o); err != nil {
		return err
	}
	g.lull = lull.New(g.cfg.HeartbeatTimeout, g.logs)
	if g.cache, err = raft.NewLogCache(raftlog.CachedEntries, g.logs); err != nil {
		return err
	}
	snaps, err := state.OpenSnapshots(g.cfg.FS, g.cfg.path("snapshots"), g.log)
	if err != nil {
		return err
	}
	st := state.Stores{FS: g.cfg.FS, Dir: g.cfg.path("state"), Cache: g.cfg.CacheBytes, Log: g.log, Fatal: g.fatal}
	if g.fsm, err = openFSM(st, snaps, g.log); err != nil {
		return err
	}
	if g.reached, err = openReached(g.cfg.FS, g.cfg.path(fileReached)); err != nil {
		return err
	}
	g.fsm.reached, g.fsm.observer = g.hadApplied, g.cfg.Observer
	if o := g.cfg.Observer; o != nil {
		o.Opened(g.Catalog().Applied())
	}
	if err := g.checkOrder(snaps); err != nil {
		return err
	}
	if g.cfg.Opened != nil {
		g.cfg.Opened(g)
	}
	if err := g.recollect(snaps); err != nil {
		return err
	}
	g.fsm.configured = func() { g.configured.Store(g.now()) }
	return g.openRaft(snaps)
}

// openRaft starts raft. It forms a new cluster if Config asks for it and there is no state.
func (g *Group) openRaft(snaps *state.Snapshots) error {
	members := max(len(g.cfg.Bootstrap), len(g.Catalog().Nodes()))
	conf := g.cfg.raft(members, g.log, g.notify)
	if g.cfg.Listener != nil {
		g.cfg.Listener = &guarded{g.cfg.Listener, g.Lost}
	}
	g.transport = openTransport(&g.cfg, g, conf.Logger)
	lowest, err := g.bootstrap(conf, snaps)
	if err != nil {
		return err
	}
	// A shrinking heartbeat timeout makes a follower check immediately whether it has a
	// leader. So a lone voter, and the first node of a new cluster, need not wait for the
	// timeout.
	conf.HeartbeatTimeout++
	conf.ElectionTimeout++
	if g.raft, err = raft.NewRaft(conf, g.fsm, g.cache, g.logs.Stable, snaps, g.transport); err != nil {
		return fmt.Errorf("start raft: %w", err)
	}
	g.lull.Begin(func(term uint64) bool { return g.raft.State() == raft.Leader && g.raft.CurrentTerm() == term })
	if lowest || g.soleVoter() {
		now := g.raft.ReloadableConfig()
		now.HeartbeatTimeout--
		return g.raft.ReloadConfig(now)
	}
	return nil
}

// begin runs a goroutine that Close waits for.
func (g *Group) begin(f func()) {
	g.work.Add(1)
	go func() {
		defer g.work.Done()
		f()
	}()
}

// enter registers a call. It returns false once the group is closing; otherwise the caller
// must call g.work.Done.
func (g *Group) enter() bool {
	g.closing.RLock()
	defer g.closing.RUnlock()
	if g.closing.yes {
		return false
	}
	g.work.Add(1)
	return true
}

// Close leaves the group and waits for everything it started. A leader with other voters
// hands leadership over first.
func (g *Group) Close() error {
	g.closing.Lock()
	already := g.closing.yes
	g.closing.yes = true
	g.closing.Unlock()
	if already {
		return nil
	}
	// Pending proposals finish. Further operations of the leader's duties do not start.
	landed := g.inFlight.wait(g.cfg.ProposeTimeout)
	g.handOver()
	g.cancel()
	if !g.inFlight.wait(g.cfg.ProposeTimeout) || !landed {
		g.log.Warn("closing with unanswered proposals")
	}
	g.lull.End()
	err := g.raft.Shutdown().Error()
	g.work.Wait()
	return errors.Join(err, g.closeStores())
}

// HandOver makes another voter lead if this node leads and there is one. Proposals made
// meanwhile go to the next leader.
func (g *Group) HandOver() error {
	if g.enter() {
		defer g.work.Done()
		g.handOver()
	}
	return nil
}

func (g *Group) handOver() {
	if g.raft.State() != raft.Leader || g.soleVoter() {
		return
	}
	if err := g.transfer().Error(); err != nil {
		g.log.Warn("leadership was not handed over", "error", err)
	}
}

func (g *Group) closeStores() error {
	var err error
	if g.transport != nil {
		err = errors.Join(err, raftlog.CloseTransport(g.transport))
	}
	if g.fsm != nil {
		err = errors.Join(err, g.fsm.close())
	}
	if g.reached != nil {
		err = errors.Join(err, g.reached.file.Close())
	}
	if g.logs != nil {
		err = errors.Join(err, g.logs.Close())
	}
	return err
}

// now is the time since the group was opened, in nanoseconds, including sleep of the
// machine. Leases are measured with it.
func (g *Group) now() int64 { return int64(g.cfg.Clock.Elapsed() - g.opened) }

// servers is the newest known membership of the group, read without a lock.
func (g *Group) servers() []raft.Server {
	return g.raft.GetConfiguration().Configuration().Servers
}

// soleVoter tells whether this node is the only voter.
func (g *Group) soleVoter() bool {
	voters := g.voters()
	return len(voters) == 1 && voters[0] == raft.ServerID(g.cfg.NodeID)
}

// voters are the voters of the newest configuration.
func (g *Group) voters() (voters []raft.ServerID) {
	for _, s := range g.servers() {
		if s.Suffrage == raft.Voter {
			voters = append(voters, s.ID)
		}
	}
	return voters
}

// Leader is the leader known to this node.
func (g *Group) Leader() (wire.NodeID, bool) {
	_, id := g.raft.LeaderWithID()
	return wire.NodeID(id), id != ""
}
