package node

import (
	"context"
	"time"

	"shoal/consensus"
	"shoal/coordinator"
	"shoal/node/peer"
	"shoal/wire"
)

// raftLog adapts consensus.Group to the coordinator.
type raftLog struct{ *consensus.Group }

// Catalog returns the newest applied catalogue.
func (l raftLog) Catalog() coordinator.Catalog { return l.Group.Catalog() }

var _ coordinator.Log = raftLog{}

const (
	methodRaft  = "raft"
	methodHello = "hello"
)

// raftCall carries a request between the Groups of two nodes, with the id of the sender's
// cluster, so that nodes of different clusters never mix.
type raftCall struct {
	Cluster string            `msgpack:"c"`
	Request consensus.Request `msgpack:"r"`
}

// hello is how two nodes introduce themselves.
type hello struct {
	Node    wire.Node `msgpack:"n"`
	Cluster string    `msgpack:"c"` // "" while the node belongs to none
	// Formed: the node's Raft log holds state, so its cluster already exists.
	Formed bool `msgpack:"f"`
	// KeyCheck is a digest of the master key and the cluster, for programs without
	// challenges.
	KeyCheck string `msgpack:"k"`
	// Challenge asks the reply to prove that its sender knows the master key.
	Challenge []byte `msgpack:"ch"`
}

// callRaft implements consensus.Config.Call.
func (n *Node) callRaft(ctx context.Context, to wire.NodeID, req *consensus.Request) (*consensus.Reply, error) {
	call := &raftCall{Cluster: n.cluster(), Request: *req}
	if req.Recall != nil {
		n.locate(ctx, to)
	}
	return peer.Call[raftCall, consensus.Reply](ctx, n.link, to, methodRaft, call)
}

// locateEvery is how often a starting node checks whether gossip has found a member.
const locateEvery = 10 * time.Millisecond

// locate waits until the address of a node is known, or ctx ends. A starting node asks
// others before its catalogue is complete, while gossip is still finding them.
func (n *Node) locate(ctx context.Context, id wire.NodeID) {
	tick := time.NewTicker(locateEvery)
	defer tick.Stop()
	for {
		if _, known := n.addressOf(id); known {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// serveRaft answers another node's Group.
func (n *Node) serveRaft(ctx context.Context, call *raftCall) (*consensus.Reply, error) {
	mine := n.cluster()
	if mine != "" && call.Cluster != "" && mine != call.Cluster {
		n.log.Warn("refused a node of another cluster", "its cluster", call.Cluster, "this cluster", mine)
		return nil, &foreignCluster{mine: mine, theirs: call.Cluster}
	}
	if r := call.Request.Report; r != nil {
		if err := speaksFor(ctx, r.Node); err != nil {
			return nil, err
		}
	}
	return n.group.Serve(ctx, &call.Request)
}

// speaksFor refuses a caller that claims to be another node.
func speaksFor(ctx context.Context, named wire.NodeID) error {
	if caller, ok := peer.Caller(ctx); ok && caller != named {
		return &wrongCaller{caller: caller, named: named}
	}
	return nil
}

// wrongCaller: a node claimed to be another one.
type wrongCaller struct{ caller, named wire.NodeID }

func (e *wrongCaller) Error() string {
	return "node " + string(e.caller) + " speaks in the name of node " + string(e.named)
}

// foreignCluster: two clusters with the same secret met.
type foreignCluster struct{ mine, theirs string }

func (e *foreignCluster) Error() string {
	return "this node belongs to cluster " + e.mine + ", the caller to " + e.theirs +
		": start one of them with an empty --db-path to join the other, or give the clusters different secrets"
}
