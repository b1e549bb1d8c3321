package gossip

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"shoal/node/address"
	"shoal/node/machine"
	"shoal/wire"
)

// rejoinEvery is how often a node tries the seeds again while it misses a member, because
// memberlist forgets members after a long partition.
const rejoinEvery = 15 * time.Second

// lonelyAfter is how often a node that finds no other logs that.
const lonelyAfter = 10 * time.Second

// Gossip knows which nodes are reachable, and where. It nominates members; the leader
// decides (architecture 3). Safe for concurrent use.
type Gossip struct {
	list    *memberlist.Memberlist
	Self    wire.Node // this node's description; not changed
	seeds   []string
	twin    func(peerAddr string)
	log     *slog.Logger
	said    *listLog           // receives memberlist's log
	end     context.CancelFunc // ends dialling
	changed chan struct{}      // capacity 1: something changed since last read
	hurry   chan struct{}      // capacity 1: there is a new seed
	mu      struct {
		sync.RWMutex
		found []string // seeds beside those given
		// failed are the addresses that did not answer last time, with reasons.
		failed []string
		alive  map[wire.NodeID]wire.Node
		known  map[wire.NodeID]wire.Node // last seen, alive or not
	}
}

// metaLimit is memberlist's limit for the description of a node.
const metaLimit = 512

// Open binds the gossip address and joins nobody yet. If a node with this one's id but
// another address appears, Open's caller is told its address through twin, unless nil; twin
// must not block.
func Open(network machine.Network, self wire.Node, bind string, keys [][]byte, seeds []string, twin func(peerAddr string), log *slog.Logger) (*Gossip, error) {
	g := &Gossip{Self: self, seeds: seeds, twin: twin, log: log, said: &listLog{log: log}, changed: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
	g.mu.alive, g.mu.known = map[wire.NodeID]wire.Node{}, map[wire.NodeID]wire.Node{}
	meta, err := wire.Marshal(&self)
	if err != nil {
		return nil, fmt.Errorf("encode the node's description: %w", err)
	}
	if len(meta) > metaLimit {
		return nil, fmt.Errorf("the node's name, zone and addresses take %d bytes, gossip carries %d: use a shorter --name", len(meta), metaLimit)
	}
	host, port, err := address.SplitAddr(bind)
	if err != nil {
		return nil, fmt.Errorf("--gossip-addr: %w", err)
	}
	advHost, advPort, err := address.SplitAddr(self.GossipAddr)
	if err != nil {
		return nil, fmt.Errorf("--advertise-gossip: %w", err)
	}
	cfg := memberlist.DefaultLANConfig()
	cfg.Name = string(self.ID)
	// Nodes that join or leave also tell others directly or in answers to probes. Without
	// news, nodes need not wake up five times a second.
	cfg.GossipInterval = 500 * time.Millisecond
	cfg.BindAddr, cfg.BindPort = host, port
	cfg.AdvertiseAddr, cfg.AdvertisePort = advHost, advPort
	if address.LoopbackOnly(self.GossipAddr) {
		// Everything is on one machine: notice failures sooner.
		cfg.ProbeInterval, cfg.ProbeTimeout, cfg.SuspicionMult = 500*time.Millisecond, 250*time.Millisecond, 3
		cfg.PushPullInterval = 5 * time.Second
	}
	if cfg.Keyring, err = memberlist.NewKeyring(keys, keys[0]); err != nil {
		return nil, fmt.Errorf("keys of gossip: %w", err)
	}
	cfg.DeadNodeReclaimTime = 15 * time.Second
	cfg.EnableCompression = false
	cfg.Logger = nil
	cfg.LogOutput = g.said
	cfg.Delegate = gossipMeta(meta)
	cfg.Events, cfg.Conflict = g, g
	cfg.Label = label
	ctx, end := context.WithCancel(context.Background())
	if err := g.create(ctx, network, cfg); err != nil {
		end()
		if fault := address.BindFault(bind); fault != nil {
			err = fault
		}
		return nil, address.Fault("--gossip-addr", bind, err)
	}
	g.end = end
	return g, nil
}

// create starts memberlist. Its dialling ends with ctx.
func (g *Gossip) create(ctx context.Context, network machine.Network, cfg *memberlist.Config) error {
	c, err := carry(ctx, network, cfg, g.log)
	if err != nil {
		return err
	}
	cfg.Transport = c
	g.list, err = memberlist.Create(cfg)
	return err
}

// Run keeps joining the seeds and the given addresses until ctx ends: often while no node
// is known, every rejoinEvery afterwards. While most of them answer with another secret it
// calls stranger with their addresses.
func (g *Gossip) Run(ctx context.Context, peers func() []string, stranger func(addrs []string)) {
	pause := 100 * time.Millisecond
	lonely := time.Now()
	for {
		targets := g.missing(peers())
		var locked, failed []string
		for _, addr := range targets {
			if ctx.Err() != nil {
				return
			}
			_, err := g.list.Join([]string{addr})
			if err != nil {
				g.log.Debug("a member does not answer", "address", addr, "error", err)
				if otherSecret(err) {
					locked = append(locked, addr)
				}
				failed = append(failed, addr+" ("+reason(addr, err)+")")
			}
		}
		g.mu.Lock()
		g.mu.failed = failed
		g.mu.Unlock()
		if g.size() <= 1 && 2*len(locked) > len(targets) {
			stranger(locked)
		}
		if g.size() <= 1 && len(targets) > 0 && time.Since(lonely) > lonelyAfter {
			lonely = time.Now()
			g.log.Warn("no other member answers yet (--join); waiting for one", "tried", strings.Join(failed, ", "))
		}
		switch {
		case g.size() > 1:
			pause = rejoinEvery
		case pause < 2*time.Second:
			pause *= 2
		}
		select {
		case <-time.After(pause):
		case <-g.hurry:
		case <-ctx.Done():
			return
		}
	}
}

// Seed adds the gossip address of a member, "" for none, and joins it soon.
func (g *Gossip) Seed(addr string) {
	if addr == "" {
		return
	}
	g.mu.Lock()
	known := slices.Contains(g.mu.found, addr)
	if !known {
		g.mu.found = append(g.mu.found, addr)
	}
	g.mu.Unlock()
	if known {
		return
	}
	select {
	case g.hurry <- struct{}{}:
	default:
	}
}

// Unreached says why this node knows no other member: the addresses that it tried, each with
// a reason. It is "" when there is a member, or nothing was tried yet.
func (g *Gossip) Unreached() string {
	if g.size() > 1 {
		return ""
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	return strings.Join(g.mu.failed, ", ")
}

// otherSecret recognises memberlist's errors about a different key by their text, because
// memberlist has no error values for them.
func otherSecret(err error) bool {
	said := strings.ToLower(err.Error())
	return strings.Contains(said, "no installed keys could decrypt") || strings.Contains(said, "encryption is not configured")
}

// notGossip recognises the error about an answer that is not encrypted. All Shoal nodes
// encrypt, so another program answers, or another port of a node.
func notGossip(err error) bool {
	return strings.Contains(strings.ToLower(err.Error()), "encryption is configured but")
}

// reason says in a few words why an address could not be joined.
func reason(addr string, err error) string {
	if notGossip(err) {
		return "what answers there is not the --gossip-addr of a Shoal node"
	}
	said := strings.Join(strings.Fields(err.Error()), " ") // memberlist lists errors in lines
	said = strings.TrimPrefix(strings.TrimPrefix(said, "1 error occurred: * "), "failed to join "+addr+": ")
	if said == "EOF" {
		return "it hung up: is that the --gossip-addr of a member?"
	}
	return said
}

// missing returns the addresses of seeds and peers that are not alive here.
func (g *Gossip) missing(peers []string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	up := map[string]bool{g.Self.GossipAddr: true}
	for _, n := range g.mu.alive {
		up[n.GossipAddr] = true
	}
	var out []string
	for _, a := range slices.Concat(g.seeds, g.mu.found, peers) {
		if a != "" && !up[a] {
			up[a] = true
			out = append(out, a)
		}
	}
	return out
}

func (g *Gossip) size() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.mu.alive)
}

// Node returns the last description of a node, alive or not.
func (g *Gossip) Node(id wire.NodeID) (wire.Node, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	n, ok := g.mu.known[id]
	return n, ok
}

// Alive tells whether gossip sees the node.
func (g *Gossip) Alive(id wire.NodeID) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	_, ok := g.mu.alive[id]
	return ok
}

// Occupied tells whether a node that gossip sees has this address for links.
func (g *Gossip) Occupied(peerAddr string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, n := range g.mu.alive {
		if n.PeerAddr == peerAddr {
			return true
		}
	}
	return false
}

// Members lists the reachable nodes, this one included, in no order.
func (g *Gossip) Members() []wire.Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := make([]wire.Node, 0, len(g.mu.alive))
	for _, n := range g.mu.alive {
		out = append(out, n)
	}
	return out
}

// Changed yields after members came, went or changed.
func (g *Gossip) Changed() <-chan struct{} { return g.changed }

// Close says goodbye to the other nodes, gives up dialling, and frees the address.
// memberlist may still try to send; those failures are not logged.
func (g *Gossip) Close(leave bool) error {
	if leave && g.size() > 1 {
		if err := g.list.Leave(500 * time.Millisecond); err != nil {
			g.log.Debug("leave gossip", "error", err)
		}
	}
	g.said.closed.Store(true)
	g.end()
	return g.list.Shutdown()
}

// NotifyJoin, NotifyUpdate and NotifyLeave run under memberlist's lock: they
// only copy.
func (g *Gossip) NotifyJoin(n *memberlist.Node)   { g.set(n, true) }
func (g *Gossip) NotifyUpdate(n *memberlist.Node) { g.set(n, true) }
func (g *Gossip) NotifyLeave(n *memberlist.Node)  { g.set(n, false) }

// NotifyConflict is called for a node with the id of another one. It runs under
// memberlist's lock.
func (g *Gossip) NotifyConflict(_, other *memberlist.Node) {
	var d wire.Node
	if g.twin == nil || other.Name != string(g.Self.ID) || wire.Unmarshal(other.Meta, &d) != nil {
		return
	}
	g.twin(d.PeerAddr)
}

func (g *Gossip) set(n *memberlist.Node, alive bool) {
	var d wire.Node
	if err := wire.Unmarshal(n.Meta, &d); err != nil || d.ID == "" {
		return // not one of ours, or a version we cannot read
	}
	g.mu.Lock()
	g.mu.known[d.ID] = d
	if alive {
		g.mu.alive[d.ID] = d
	} else {
		delete(g.mu.alive, d.ID)
	}
	g.mu.Unlock()
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// gossipMeta is this node's description.
type gossipMeta []byte

func (m gossipMeta) NodeMeta(int) []byte           { return m }
func (gossipMeta) NotifyMsg([]byte)                {}
func (gossipMeta) GetBroadcasts(int, int) [][]byte { return nil }
func (gossipMeta) LocalState(bool) []byte          { return nil }
func (gossipMeta) MergeRemoteState([]byte, bool)   {}
