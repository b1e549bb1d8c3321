package placement

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/wire"
)

// Cluster answers the routes under /cluster about nodes and placement. It is safe for
// concurrent use.
type Cluster struct {
	log       coordinator.Log
	placement Placement
	look      func(context.Context) *View
}

// NewCluster returns a Cluster. look asks the members whether they are alive. If it is nil, all
// members count as alive.
func NewCluster(log coordinator.Log, placement Placement, look func(context.Context) *View) *Cluster {
	if look == nil {
		look = func(context.Context) *View { return &View{Catalog: log.Catalog(), Fresh: true} }
	}
	return &Cluster{log: log, placement: placement, look: look}
}

// ClusterStatus is the answer of GET /cluster/status.
type ClusterStatus struct {
	ClusterID string `json:"clusterId"`
	Applied   uint64 `json:"applied"`
	// State is what the cluster can do now.
	State     State        `json:"state"`
	Healthy   bool         `json:"healthy"` // every shard has all its copies, and the reporting node is up to date
	Available bool         `json:"available"`
	Nodes     []NodeStatus `json:"nodes"`
	// Zones lists the zones by name. It is omitted while zones do not count.
	Zones   []ZoneStatus  `json:"zones,omitempty"`
	Indexes []IndexStatus `json:"indexes"`
	Work
	// Damage is what nodes that answer have lost on their disks and not repaired yet.
	Damage []string `json:"damage"`
}

// Work is what the leader reports about its work.
type Work struct {
	// Decisions lists the decisions of the last day about where copies are, oldest first.
	Decisions []Decided `json:"decisions"`
	// Waits describes what the leader's work is waiting for, longest first. It omits work that
	// has waited for less than two seconds.
	Waits []string `json:"waits"`
}

// Decided is a decision about one copy that was carried out.
type Decided struct {
	At     time.Time `json:"at" msgpack:"a"`
	Reason string    `json:"reason" msgpack:"r"`
}

// NodeStatus describes one member.
type NodeStatus struct {
	ID       wire.NodeID `json:"id"`
	Name     string      `json:"name"`
	HTTP     string      `json:"http"`
	Peer     string      `json:"peer"`
	Data     bool        `json:"data"`
	Voter    bool        `json:"voter"` // may vote
	Votes    bool        `json:"votes"` // has a vote now, whether it answers or not
	Draining bool        `json:"draining"`
	Zone     string      `json:"zone"` // "" if it has none
	Alive    bool        `json:"alive"`
	Replicas int         `json:"replicas"`
	InSync   int         `json:"inSync"` // copies that searches may read, 0 for a node that does not answer
	// Lag is the number of log entries that the node has not applied yet, nil if the leader
	// does not know.
	Lag *uint64 `json:"lag"`
}

// IndexStatus is the placement of one index.
type IndexStatus struct {
	UID string `json:"uid"`
	// Aliases are its other names, sorted. It is omitted where there are none.
	Aliases     []string `json:"aliases,omitempty"`
	ID          uint32   `json:"id"`
	Version     uint64   `json:"version"`
	Documents   uint64   `json:"documents"`
	ReplicaGoal int      `json:"replicaGoal"`
	// ReplicaReason says why it should have so many copies.
	ReplicaReason string        `json:"replicaReason"`
	Shards        []ShardStatus `json:"shards"`
	ShardsWanted  int           `json:"shardsWanted,omitempty"` // while a change is under way
	// Plan says what shards and copies mean for searches, and what would be better; it is
	// left out where a node has the one shard that is enough.
	Plan string `json:"plan,omitempty"`
}

// ShardStatus describes one shard. Its slots are [From, To).
type ShardStatus struct {
	Number    uint16          `json:"number"`
	From      uint32          `json:"from"`
	To        uint32          `json:"to"`
	Documents uint64          `json:"documents"`
	Bytes     uint64          `json:"bytes"`
	Replicas  []ReplicaStatus `json:"replicas"`
}

// ReplicaStatus describes one copy of a shard.
type ReplicaStatus struct {
	Node  wire.NodeID `json:"node"`
	Name  string      `json:"name"`
	State string      `json:"state"` // copying, caughtUp or inSync, from the log, whether the node answers or not
	Alive bool        `json:"alive"`
}

// stateNames are the public names of replica states.
var stateNames = map[wire.ReplicaState]string{wire.Copying: "copying", wire.InSync: "inSync", wire.CaughtUp: "caughtUp"}

// Status describes the nodes and shards of a view, and adds the work that the leader reported.
// The caller owns the result.
func (k *Cluster) Status(v *View, work Work) *ClusterStatus {
	c := v.Catalog
	out := &ClusterStatus{
		ClusterID: c.ClusterID(), Applied: c.Applied(), State: StateOf(k.placement, v), Healthy: v.Fresh, Available: true,
		Nodes: []NodeStatus{}, Zones: v.Zones(k.placement), Indexes: []IndexStatus{}, Damage: append([]string{}, v.Damage...),
		Work: Work{Decisions: append([]Decided{}, work.Decisions...), Waits: append([]string{}, work.Waits...)},
	}
	nodes, all := dataNodes(c), c.Indexes()
	out.Indexes = slices.Grow(out.Indexes, len(all))
	members, why := v.members(), k.placement.reasonsIn(c)
	aliases := map[string][]string{}
	for _, a := range c.Aliases() {
		aliases[a.Index] = append(aliases[a.Index], a.Name)
	}
	for _, x := range all {
		st := k.index(v, x, members, why)
		st.Plan, st.Aliases = plan(x, nodes), aliases[x.UID]
		out.Indexes = append(out.Indexes, st)
		for _, s := range st.Shards {
			good := 0
			for _, r := range s.Replicas {
				m := members[r.Node]
				m.Replicas++
				if r.State == "inSync" && r.Alive {
					m.InSync++
					good++
				}
			}
			out.Healthy = out.Healthy && good >= st.ReplicaGoal
			out.Available = out.Available && good > 0
		}
	}
	for _, n := range c.Nodes() {
		out.Nodes = append(out.Nodes, *members[n.ID])
	}
	return out
}

// members describes the nodes of the cluster, without counts of copies. It is made once,
// because looking up the node of each copy is slow.
func (v *View) members() map[wire.NodeID]*NodeStatus {
	out := map[wire.NodeID]*NodeStatus{}
	for _, n := range v.Catalog.Nodes() {
		out[n.ID] = &NodeStatus{
			ID: n.ID, Name: n.Name, HTTP: n.HTTPAddr, Peer: n.PeerAddr, Data: n.Data, Voter: n.Voter,
			Draining: n.Draining, Zone: n.Zone, Alive: v.answers(n.ID),
		}
	}
	return out
}

// removedName is the name that a removed node had. The catalogue lists its copies until the
// balancer has replaced them. It is "" if the node is unknown.
func (v *View) removedName(id wire.NodeID) string {
	value, ok := v.Catalog.Value(wire.ValueRemoved)
	if !ok {
		return ""
	}
	var removed []wire.Removal
	if err := json.Unmarshal(value.JSON, &removed); err != nil {
		return "" // consensus, which writes the list, logs it
	}
	at := slices.IndexFunc(removed, func(r wire.Removal) bool { return r.ID == id })
	if at < 0 {
		return ""
	}
	return removed[at].Name
}

func (k *Cluster) index(v *View, x *wire.Index, members map[wire.NodeID]*NodeStatus, why reasons) IndexStatus {
	st := IndexStatus{
		UID: x.UID, ID: x.ID, Version: x.Version, Documents: x.Documents(),
		ReplicaGoal: why.of(wantedOf(x)), ReplicaReason: why.why(x), Shards: []ShardStatus{},
	}
	if x.ShardGoal != len(x.Shards) {
		st.ShardsWanted = x.ShardGoal // 0, no particular number, is omitted
	}
	for i := range x.Shards {
		s := &x.Shards[i]
		sh := ShardStatus{Number: s.Number, From: s.SlotLo, To: s.SlotHi, Replicas: []ReplicaStatus{}}
		if i < len(x.Stats) {
			sh.Documents, sh.Bytes = x.Stats[i].Documents, x.Stats[i].RawBytes
		}
		for _, r := range s.Replicas {
			m := members[r.Node]
			if m == nil { // it has left the cluster
				m = &NodeStatus{ID: r.Node, Name: v.removedName(r.Node), Alive: v.answers(r.Node)}
				members[r.Node] = m
			}
			sh.Replicas = append(sh.Replicas, ReplicaStatus{Node: r.Node, Name: cmp.Or(m.Name, string(r.Node)), State: stateNames[r.State], Alive: m.Alive})
		}
		st.Shards = append(st.Shards, sh)
	}
	return st
}

// Drain moves all replicas off a node. With off it lets them come back. node is a name or an
// id.
func (k *Cluster) Drain(ctx context.Context, node string, off bool) (json.RawMessage, error) {
	n, err := k.node(node)
	if err != nil {
		return nil, err
	}
	change := wire.Change{PutDraining: &wire.DrainingChange{Node: n.ID, Draining: !off}}
	if k.log.Catalog().Spoken() < wire.DrainingSince {
		next := *n
		next.Draining = !off
		change = wire.Change{PutNode: &next}
	}
	switch err := k.update(ctx, nil, change); {
	case errors.Is(err, coordinator.ErrFenced):
		return nil, unknownNode(node) // it was removed meanwhile
	case err != nil:
		return nil, err
	}
	for _, st := range k.Status(k.look(ctx), Work{}).Nodes {
		if st.ID == n.ID {
			return json.Marshal(st)
		}
	}
	return nil, unknownNode(node)
}

// node finds a member by id or name.
func (k *Cluster) node(name string) (*wire.Node, error) {
	c := k.log.Catalog()
	if n, ok := c.Node(wire.NodeID(name)); ok {
		return n, nil
	}
	for _, n := range c.Nodes() {
		if n.Name == name {
			return n, nil
		}
	}
	return nil, unknownNode(name)
}

func unknownNode(name string) *apierr.Error {
	return apierr.New(apierr.CodeBadRequest, "Node `"+name+"` is not a member of the cluster.")
}

// update proposes changes. It returns ErrFenced if the state changed meanwhile.
func (k *Cluster) update(ctx context.Context, guards []wire.Guard, changes ...wire.Change) error {
	res, err := k.log.Propose(ctx, &wire.Command{Update: &wire.Update{Changes: changes, Guards: guards}})
	if err != nil {
		return err
	}
	if res.Fenced {
		return coordinator.ErrFenced
	}
	return nil
}

// UpdateIndex sets the wanted numbers of shards and replicas of an index (nil =
// leave as it is, 0 replicas = as many as its size says) and returns its placement. Replicas follow by themselves. A
// change of the number of shards builds the index anew in the background while
// the old one serves; its tasks wait meanwhile.
func (k *Cluster) UpdateIndex(ctx context.Context, uid string, shards, replicas *uint64) (json.RawMessage, error) {
	for try := 0; ; try++ {
		c := k.log.Catalog()
		x, ok := c.Index(uid)
		if !ok {
			return nil, apierr.IndexNotFound(uid)
		}
		if shards != nil && (*shards < 1 || *shards > maxShardsByHand) {
			return nil, apierr.New(apierr.CodeBadRequest, "Invalid value at `.shards`: an index has between 1 and 256 shards.")
		}
		if replicas != nil && *replicas > 16 {
			return nil, apierr.New(apierr.CodeBadRequest, "Invalid value at `.replicas`: a shard has between 1 and 16 replicas, or with 0 as many as the size of its index says.")
		}
		err := k.setGoals(ctx, x, shards, replicas)
		if err == nil {
			break
		}
		if !errors.Is(err, coordinator.ErrFenced) || try > 20 {
			return nil, err
		}
		if err := coordinator.Backoff(ctx, try); err != nil {
			return nil, err
		}
	}
	v := k.look(ctx)
	x, ok := v.Catalog.Index(uid)
	if !ok {
		return nil, apierr.IndexNotFound(uid)
	}
	return json.Marshal(k.index(v, x, v.members(), k.placement.reasonsIn(v.Catalog)))
}

// maxShardsByHand is the limit of PATCH /cluster/indexes/{uid}.
const maxShardsByHand = 256

func (k *Cluster) setGoals(ctx context.Context, x *wire.Index, shards, replicas *uint64) error {
	next := x.Clone()
	if replicas != nil {
		next.ReplicaGoal = int(*replicas)
	}
	if shards != nil {
		next.ShardGoal = int(*shards)
	}
	if next.ReplicaGoal == x.ReplicaGoal && next.ShardGoal == x.ShardGoal {
		return nil
	}
	return k.update(ctx, []wire.Guard{wire.GuardOf(k.log.Catalog().Spoken(), x)}, wire.Change{PutIndex: next})
}
