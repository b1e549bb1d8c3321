package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"shoal/consensus"
	"shoal/node/folder"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/wire"
	"shoal/wire/await"
)

const methodRaft = "raft"

// raftCall carries a request between the Groups of two nodes, with the id of the sender's
// cluster, so that nodes of different clusters never mix.
type raftCall struct {
	Cluster string            `msgpack:"c"`
	Request consensus.Request `msgpack:"r"`
}

// member is this node as a member of its cluster: it has the log and takes part in it.
type member struct {
	*peers
	group    *consensus.Group
	members  *poll.Members
	first    bool                   // this node is one of the first members of its cluster
	arrived  atomic.Bool            // it has had the state of its cluster
	heldBack atomic.Pointer[string] // why the leader does not admit this node yet
}

// openMember joins or forms the Raft group.
func openMember(g *greeter, t *twins, voters []wire.NodeID) (*member, error) {
	m := &member{peers: g.peers, first: len(voters) > 0}
	cfg := consensus.Config{
		Dir: m.dir(folder.DirRaft), NodeID: m.self.ID, Bootstrap: voters,
		Listener: m.listener.Raft(), Dial: m.dialRaft,
		FS: m.on.Files.FS, RaftLog: m.on.Files.RaftLog, Clock: m.on.Clock, Call: m.call, Opened: m.cluster.group.Store, Twin: t.at, Nominees: g.nominees, Told: m.told, Logger: m.log,
		OnFatal: func(err error) {
			m.end(end{err: logFault(m.folder, err), dead: true})
			// Raft ends the process at once for some of these errors, so the log line that
			// says why must come first.
			time.Sleep(lastWords)
		},
	}
	if m.on.Observe != nil {
		cfg.Observer = m.on.Observe(m.self.ID)
	}
	if m.cfg.ExpectNodes > 0 {
		cfg.Membership.PromoteAfter = time.Second
		cfg.Membership.Interval = 100 * time.Millisecond
	}
	var err error
	if m.group, err = consensus.Open(cfg); err != nil {
		return nil, logFault(m.folder, err)
	}
	m.opened("consensus", m.group.Close)
	m.members = &poll.Members{Self: m.self.ID, Group: m.group, Link: m.link}
	peer.Handle(m.server, methodRaft, m.serveRaft)
	if m.arrived.Store(m.group.Catalog().ClusterID() != ""); !m.arrived.Load() {
		m.run(m.arrive)
	}
	m.run(m.keepIdentity)
	m.run(m.needDictionaries)
	m.run(m.awaitAdmission)
	return m, nil
}

// call implements consensus.Config.Call.
func (m *member) call(ctx context.Context, to wire.NodeID, req *consensus.Request) (*consensus.Reply, error) {
	call := &raftCall{Cluster: m.cluster.id(), Request: *req}
	if req.Recall != nil {
		m.locate(ctx, to)
	}
	return peer.Call[raftCall, consensus.Reply](ctx, m.link, to, methodRaft, call)
}

// serveRaft answers another node's Group.
func (m *member) serveRaft(ctx context.Context, call *raftCall) (*consensus.Reply, error) {
	mine := m.cluster.id()
	if mine != "" && call.Cluster != "" && mine != call.Cluster {
		m.log.Warn("refused a node of another cluster", "its cluster", call.Cluster, "this cluster", mine)
		return nil, fmt.Errorf("this node belongs to cluster %s, the caller to %s: start one of them with an empty --db-path to join the other, or give the clusters different secrets", mine, call.Cluster)
	}
	if r := call.Request.Report; r != nil {
		if err := speaksFor(ctx, r.Node); err != nil {
			return nil, err
		}
	}
	return m.group.Serve(ctx, &call.Request)
}

// told receives the leader's verdict about this node's membership. A node that was removed,
// or whose name another node has taken, ends and says what to do.
func (m *member) told(v *consensus.Verdict) {
	switch {
	case v.Removed != nil:
		m.fail(removedError(m.cfg.Name, m.folder.Path, v.Removed))
	case v.Taken != nil:
		m.fail(fmt.Errorf("another node of the cluster has the name %q and runs at %s: give this node another --name (its data folder %s is of no use to the cluster yet)",
			m.cfg.Name, v.Taken.PeerAddr, m.folder.Path))
	case v.Waits != "":
		m.heldBack.Store(&v.Waits)
	}
}

func removedError(name, folder string, r *wire.Removal) error {
	at := time.Unix(0, r.At).UTC().Format(time.RFC3339)
	if r.By != "" {
		return fmt.Errorf("this node (%s) was replaced at %s by one that started under its name with another data folder; data folder %s stays out of the cluster for good: leave this one stopped, or start it with an empty folder under another --name",
			name, at, folder)
	}
	return fmt.Errorf("this node (%s) was removed from the cluster at %s (DELETE /cluster/nodes/%s); data folder %s stays out for good: to let this machine in again, start it with an empty folder",
		name, at, name, folder)
}

// arrive waits until a new node has the state that its cluster has now.
func (m *member) arrive(ctx context.Context) {
	for m.group.Barrier(ctx) != nil {
		if await.Sleep(ctx, arriveEvery) != nil {
			return
		}
	}
	m.arrived.Store(true)
}

// Outside says why this node has never had the state of its cluster, "" once it had.
func (m *member) Outside() string {
	switch {
	case m.arrived.Load():
		return ""
	case m.first:
		return "it has no state of its cluster yet, and waits for a leader"
	}
	return outsideStill
}

// joinsItself tells whether --join leads to no other node.
func (m *member) joinsItself() bool {
	return len(m.cfg.InitMembers) == 0 && !slices.ContainsFunc(m.cfg.Join, func(addr string) bool { return addr != m.self.GossipAddr })
}

// outsideStill explains why a node that joins a cluster is not ready.
const outsideStill = "it waits to be let into its cluster (its log says why)"

// arriveEvery is the pause between the questions of a new node whether it is up to date.
const arriveEvery = 50 * time.Millisecond

// awaitAdmission logs that a joining node waits for admission, until it is admitted.
func (m *member) awaitAdmission(ctx context.Context) {
	began := time.Now()
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if m.group.Catalog().ClusterID() != "" {
			return
		}
		why := "no leader has answered yet"
		if tried := m.gossip.Unreached(); tried != "" {
			why = "no other node answers: " + tried
		} else if m.joinsItself() {
			why = "--join names only this node itself: give it the --gossip-addr of another member"
		}
		if id, ok := m.group.Leader(); ok {
			why = "the leader, " + string(id) + ", has not sent its log yet"
		}
		if said := m.heldBack.Load(); said != nil {
			why = *said
		}
		m.clients.Await(outsideStill)
		m.log.Warn("waiting to be let into the cluster", "why", why, "for", time.Since(began).Round(time.Second).String())
	}
}

// keepIdentity records the node's cluster as soon as the catalogue names it, and refuses to
// serve another cluster.
func (m *member) keepIdentity(ctx context.Context) {
	for {
		changed := m.group.Changed()
		if id := m.group.Catalog().ClusterID(); id != "" {
			first, err := m.cluster.adopt(id)
			if err != nil {
				m.fail(err)
			}
			if first {
				m.log.Info("member of a cluster", "cluster", id, "node", m.self.ID, "name", m.cfg.Name)
			}
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// answersNow tells whether a node is a member and alive.
func (m *member) answersNow(id wire.NodeID) bool { return m.cluster.knows(id) && m.alive(id) }

// lastWords is how long a process that must end has to log why.
const lastWords = 3 * time.Second

// logFault says what to do about a log that cannot be continued. A log of a newer program
// is intact.
func logFault(f *folder.Folder, err error) error {
	if twin, ok := errors.AsType[*consensus.TwinError](err); ok {
		return fmt.Errorf("data folder %s is a copy of one that is in use: %w: leave this process stopped, or start it with an empty folder and another --name", f.Path, twin)
	}
	switch {
	case errors.Is(err, consensus.ErrOlderProgram):
		return fmt.Errorf("data folder %s: %w: start the program again that this node ran last, or a newer one", f.Path, err)
	case errors.Is(err, consensus.ErrForked):
		return fmt.Errorf("data folder %s: %w. This node does not start again, for acknowledged writes may be in its folder only: if an older copy of a node's folder was put back, stop all nodes and run 'shoal recover' on the one that knows most; if this folder is that older copy, empty it and start this node: the cluster fills it",
			f.Path, err)
	case errors.Is(err, consensus.ErrUnknownEntry):
		return fmt.Errorf("data folder %s: %w: start the newest program that the other nodes run; if this is it, the folder is damaged: %s",
			f.Path, err, folder.Anew(f.Path))
	}
	return f.Fault("its log", err)
}
