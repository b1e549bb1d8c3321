package consensus

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/fsm"
	"shoal/consensus/lease"
	"shoal/consensus/lull"
	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/consensus/transport"
	"shoal/wire"
	"shoal/wire/await"
)

// Group is this node's member of the one Raft group of its cluster. All methods
// are safe for concurrent use.
type Group struct {
	*lifetime
	state.Reader // of what this node has applied

	cfg       Config
	log       *slog.Logger
	fsm       *fsm.FSM
	logs      *raftlog.Store
	cache     *raft.LogCache
	reached   *fsm.Reached
	transport raft.Transport
	lull      *lull.Lull
	history   *histories
	removed   removedNodes

	raft     *raftNode
	client   *client
	barriers barriers
	notify   chan bool // whether this node leads now, by raft

	ticks       lease.Clock // of leases
	own         *lease.Own
	leaderClock leaderClock
	reporter    atomic.Pointer[reporter]   // nil until raft has started
	leading     atomic.Pointer[leadership] // nil unless this node leads and is ready
	configured  atomic.Int64               // when the last change of the voters was applied, nanoseconds since opened
	changes     await.Lock                 // one change of the membership at a time
}

// Open opens the state and then takes part in the cluster. It serves at once what was
// applied before; Leading and Lease tell the rest.
func Open(cfg Config) (*Group, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	g := &Group{
		lifetime: newLifetime(), ticks: lease.NewClock(cfg.Clock.Elapsed),
		cfg: cfg, log: cfg.Logger.With("component", "consensus"), notify: make(chan bool, 16),
	}
	g.client = &client{cfg: &g.cfg, log: g.log, life: g.lifetime, leadChange: await.NewSignal(), open: map[*call]struct{}{}}
	g.barriers = barriers{life: g.lifetime, client: g.client, read: g.askIndex}
	g.history = &histories{cfg: &g.cfg, log: g.log, life: g.lifetime}
	if err := g.openStores(); err != nil {
		g.cancel()
		return nil, errors.Join(err, g.closeStores())
	}
	g.begin(g.follow)
	g.begin(g.reporter.Load().run)
	g.begin(g.watchDisk)
	g.begin(func() { g.reached.Keep(g.ctx, g.fsm) })
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
	if err := g.history.forkedBefore(); err != nil {
		return err
	}
	o := raftlog.Options{Dir: g.cfg.Dir, Instead: g.cfg.RaftLog, Check: entry.Check, OnFatal: g.history.fatal}
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
	st := state.Stores{FS: g.cfg.FS, Dir: g.cfg.path("state"), Cache: g.cfg.CacheBytes, Log: g.log, Fatal: g.history.fatal}
	if g.fsm, err = fsm.Open(st, snaps, g.log); err != nil {
		return err
	}
	g.Reader, g.removed.fsm, g.removed.log = g.fsm, g.fsm, g.log
	g.own = lease.NewOwn(g.ticks, g.fsm, g.cfg.Observer)
	g.history.fsm, g.history.memory = g.fsm, newMemory(&g.cfg, g.fsm, g.log)
	if g.reached, err = fsm.OpenReached(g.cfg.FS, g.cfg.path(fsm.FileReached)); err != nil {
		return err
	}
	g.fsm.Reached, g.fsm.Observer = g.hadApplied, g.cfg.Observer
	if o := g.cfg.Observer; o != nil {
		o.Opened(g.Catalog().Applied())
	}
	if err := g.history.checkOrder(g.logs, snaps, g.reached.Index()); err != nil {
		return err
	}
	if g.cfg.Opened != nil {
		g.cfg.Opened(g)
	}
	if err := g.history.memory.recollect(g.ctx, g.logs, snaps); err != nil {
		return err
	}
	g.fsm.Configured = func() { g.configured.Store(g.ticks.Now()) }
	return g.openRaft(snaps)
}

// openRaft starts raft. It forms a new cluster if Config asks for it and there is no state.
func (g *Group) openRaft(snaps *state.Snapshots) error {
	members := max(len(g.cfg.Bootstrap), len(g.Catalog().Nodes()))
	conf := g.cfg.raft(members, g.log, g.notify)
	if g.cfg.transport != nil {
		g.transport = g.cfg.transport(g)
	} else {
		g.transport = transport.Open(transport.Config{
			Self: g.cfg.NodeID, Listener: g.cfg.Listener, Dial: g.cfg.Dial, Lost: g.Lost, Send: g.send, Beat: g.beat, Log: conf.Logger,
		})
	}
	lowest, err := g.bootstrap(conf, snaps)
	if err != nil {
		return err
	}
	// A shrinking heartbeat timeout makes a follower check immediately whether it has a
	// leader. So a lone voter, and the first node of a new cluster, need not wait for the
	// timeout.
	conf.HeartbeatTimeout++
	conf.ElectionTimeout++
	node, err := raft.NewRaft(conf, g.fsm, g.cache, g.logs.Stable, snaps, g.transport)
	if err != nil {
		return fmt.Errorf("start raft: %w", err)
	}
	// Messages arrive already, see beat.
	g.raft = &raftNode{Raft: node, id: g.cfg.NodeID, life: g.lifetime}
	g.client.raft = g.raft
	g.reporter.Store(&reporter{
		ticks: g.ticks, cfg: &g.cfg, log: g.log, life: g.lifetime, fsm: g.fsm, raft: g.raft, client: g.client,
		history: g.history, own: g.own, clock: &g.leaderClock, leading: &g.leading,
	})
	g.lull.Begin(g.raft.leads)
	if lowest || g.raft.soleVoter() {
		now := g.raft.ReloadableConfig()
		now.HeartbeatTimeout--
		return g.raft.ReloadConfig(now)
	}
	return nil
}

// Close leaves the group and waits for everything it started. A leader with other voters
// hands leadership over first.
func (g *Group) Close() error {
	if !g.refuse() {
		return nil
	}
	// Pending proposals finish. Further operations of the leader's duties do not start.
	landed := g.raft.inFlight.wait(g.cfg.ProposeTimeout)
	g.handOver()
	g.cancel()
	if !g.raft.inFlight.wait(g.cfg.ProposeTimeout) || !landed {
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
	if g.raft.State() != raft.Leader || g.raft.soleVoter() {
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
		err = errors.Join(err, g.fsm.Close())
	}
	if g.reached != nil {
		err = errors.Join(err, g.reached.Close())
	}
	if g.logs != nil {
		err = errors.Join(err, g.logs.Close())
	}
	return err
}

// hadApplied is the newest entry that any process of this node has applied.
func (g *Group) hadApplied() uint64 { return max(g.reached.Index(), g.Catalog().Applied()) }

// Leader is the leader known to this node.
func (g *Group) Leader() (wire.NodeID, bool) { return g.raft.leader() }
