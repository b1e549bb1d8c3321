package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"shoal/consensus"
	"shoal/consensus/state"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/snapshot"
	"shoal/httpfront"
	"shoal/node/address"
	"shoal/node/blob"
	"shoal/node/catchup"
	"shoal/node/closing"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/gossip"
	"shoal/node/machine"
	"shoal/node/memory"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/poll"
	"shoal/node/startup"
	"shoal/node/view"
	"shoal/shard"
	"shoal/text/dictionary"
	"shoal/wire"
)

// drainTime is how long running requests may take after a stop was requested.
const drainTime = 5 * time.Second

// Node is one running process. Open starts it. Close ends its parts in reverse order.
type Node struct {
	cfg    config.Config
	on     *machine.Machine
	logs   *observe.Logs
	log    *slog.Logger
	folder *folder.Folder
	self   wire.Node
	// dictionaries are the dictionaries that this node has.
	dictionaries dictionary.Set
	secret       *peer.Secret
	// identity is the identity that this node proves to others.
	identity *peer.Identity

	http     net.Listener
	clients  *startup.Listener
	listener *peer.Listener
	server   *peer.Server
	link     *peer.Link
	traffic  peer.Traffic // of server and link
	gossip   *gossip.Gossip
	group    *consensus.Group
	blobs    *blob.Cluster
	store    *blob.Store
	host     *shard.Host
	work     *work
	front    *httpfront.Server
	metrics  *observe.Metrics
	traces   *observe.Traces // nil: none are sent
	// repository is the destination of snapshots; nil means a file.
	repository *repository.Repository
	frugal     memory.BuildGC
	cores      int

	// voters form the cluster if this folder has no state. nil means that the cluster
	// exists or is joined. joins: this node was listed for a new cluster and found it
	// already formed.
	voters    []wire.NodeID
	joins     bool
	founding  *founding
	stopLinks func()
	// grouped is group; nil until it is open.
	grouped   atomic.Pointer[consensus.Group]
	clusterID atomic.Pointer[string]
	begun     time.Time
	found     time.Time // when it knew its cluster
	// heldBack is the reason why the leader does not admit this node yet.
	heldBack atomic.Pointer[string]
	// awaited is what the start is waiting for.
	awaited atomic.Pointer[string]
	// greeted are the nodes that may belong to this node's cluster, with their own
	// descriptions.
	greeted sync.Map // wire.NodeID -> wire.Node
	// arrived: this node has had the state of its cluster.
	arrived atomic.Bool
	// suspects are addresses where gossip sees a node with this node's id.
	suspects chan string
	wasReady atomic.Bool
	// certificateEnds is the expiry of the certificate for clients, nil without one.
	certificateEnds *time.Time
	disk            *view.Disk // of the data folder
	disks           view.Disks // of all members
	members         *poll.Members
	view            *view.Cluster
	stopping        atomic.Bool // readiness fails from here on
	copies          *catchup.Copies
	fatal           chan end // first reason to stop

	importDump, importSnapshot bool // this start imports one before it serves
	snapshot                   snapshot.Source
	halfImport                 bool // an earlier start was cut off during its import
	awaitsImport               bool // another node imports it
	// useless is the data folder if the import into it failed. Close removes it, once
	// nothing writes to it any more.
	useless string

	stack []closing.Step // what is open, in order
	tasks sync.WaitGroup
	ctx   context.Context // ends with Close
	stop  context.CancelFunc
}

// Run runs one serving node: it opens everything, serves until ctx ends, and closes
// everything again. The error says what an operator can do.
func Run(ctx context.Context, cfg config.Config) error { return RunOn(ctx, cfg, machine.Real()) }

// RunOn is Run on another machine than the real one.
func RunOn(ctx context.Context, cfg config.Config, on *machine.Machine) error {
	if err := cfg.CheckMasterKey(); err != nil {
		return err
	}
	if !on.Shared {
		machine.KeepPrivate() // documents and keys
	}
	n := &Node{cfg: cfg, on: on, fatal: make(chan end, 1), begun: time.Now(), founding: newFounding(), suspects: make(chan string, 1)}
	n.ctx, n.stop = context.WithCancel(context.Background())
	opened := make(chan error, 1)
	opening, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() { opened <- n.open(opening) }()
	for {
		select {
		case err := <-opened:
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				n.log.Info("stopped before this node was part of a cluster")
				return nil
			}
			if err != nil {
				return err
			}
			opened = nil // it is open: now wait for its end
		case why := <-n.fatal:
			if why.dead && on.Died == nil {
				return why.err
			}
			if why.dead {
				on.Died(why.err)
			}
			if opened != nil {
				giveUp()
				if err := <-opened; err != nil {
					return why.err // closed already
				}
			}
			return errors.Join(why.err, n.Close())
		case <-ended(ctx, opened):
			n.log.Info("stopping", "after", n.cfg.ShutdownDelay.String())
			n.standDown(n.fatal)
			return n.Close()
		}
	}
}

// ended yields when ctx ends, once the node is open. A node that is still opening watches
// ctx itself.
func ended(ctx context.Context, opened <-chan error) <-chan struct{} {
	if opened != nil {
		return nil
	}
	return ctx.Done()
}

// end is a reason to stop. dead means that nothing can be closed any more: the disk does
// not answer, or a store holds its locks for ever.
type end struct {
	err  error
	dead bool
}

// open opens the parts of a node in order. On an error it closes those that are open.
func (n *Node) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		n.openLogs, n.caution, n.planImport, n.openFolder, n.openTraces, n.openDictionaries, n.openAddresses,
		func(ctx context.Context) error { return n.folder.AwaitRoom(ctx, n.log, n.awaits) },
		n.openLinks, n.openGossip, n.serveLinks, n.find, n.openGroup, n.openShards, n.openWork, n.linksEndHere, n.planReading, n.openFront, n.load, n.serveFront, n.openObservation, n.watchCopies, n.handOver,
	} {
		if err := step(ctx); err != nil {
			return errors.Join(err, n.Close())
		}
	}
	return nil
}

// opened adds one open part to the stack that Close unwinds.
func (n *Node) opened(name string, close func() error) {
	n.stack = append(n.stack, closing.Step{Name: name, Close: close})
}

// handOver makes another node lead before this one refuses requests. Otherwise the cluster
// would wait for a leader.
func (n *Node) handOver(context.Context) error {
	n.opened("lead", n.group.HandOver)
	return nil
}

// Close stops accepting, drains, and closes everything in reverse order. It joins all
// errors. It returns within closing.Limit.
func (n *Node) Close() error {
	work := closing.Step{Name: "background work", Close: func() error {
		n.stop()
		n.tasks.Wait()
		return nil
	}}
	errs := []error{closing.Unwind(append([]closing.Step{work}, n.stack...), closing.Slow, closing.Limit, n.log)}
	n.stack = nil
	n.stop()
	if n.useless != "" {
		if err := n.on.Files.RemoveAll(n.useless); err != nil {
			errs = append(errs, fmt.Errorf("remove the failed import: %w", err))
		}
	}
	return errors.Join(errs...)
}

// run starts a goroutine that ends with ctx and that Close waits for.
func (n *Node) run(f func(context.Context)) {
	n.tasks.Add(1)
	go func() {
		defer n.tasks.Done()
		f(n.ctx)
	}()
}

// fail makes Run end with this reason. Only the first reason counts.
func (n *Node) fail(err error) { n.end(end{err: err}) }

// die is fail for the case that the open parts cannot be closed in order any more.
// Everything acknowledged is on disk.
func (n *Node) die(what string, err error) { n.end(end{err: n.folder.Fault(what, err), dead: true}) }

func (n *Node) end(why end) {
	select {
	case n.fatal <- why:
	default:
	}
}

func (n *Node) openLogs(context.Context) error {
	l, err := observe.NewLogs(n.on.Log, n.cfg.LogLevel, n.cfg.LogJSON)
	if err != nil {
		return err
	}
	n.logs, n.log = l, l.Logger()
	n.on.Files.Mended = func(path string) {
		n.log.Warn("a bit of a file had flipped and was put right: look at the disk and the memory of this machine", "file", path)
	}
	n.cores = n.on.Processors()
	if n.cfg.MemoryLimit == 0 {
		n.cfg.MemoryLimit = memory.Available() * 6 / 10
	}
	if n.on.Shared {
		return nil
	}
	if n.cfg.MemoryLimit > 0 && debug.SetMemoryLimit(-1) > 1<<60 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(memory.HeapLimit(n.cfg.MemoryLimit))
	}
	n.frugal.Steady(memory.BallastFor(n.cfg.MemoryLimit))
	return nil
}

// sparingly is the log of a component that strangers can trigger.
func (n *Node) sparingly(component string) *slog.Logger {
	return observe.Sparing(n.log.With("component", component))
}

func (n *Node) openFolder(context.Context) error {
	f, err := folder.Open(n.on.Files, n.cfg.DBPath)
	if err != nil {
		return err
	}
	n.folder = f
	n.opened("data folder", f.Close)
	id, err := f.ClusterID()
	if err != nil {
		return err
	}
	n.clusterID.Store(&id)
	return nil
}

// catalog is the catalogue. It is nil until the log is open.
func (n *Node) catalog() *state.Catalog {
	if g := n.grouped.Load(); g != nil {
		return g.Catalog()
	}
	return nil
}

// cluster is the id of this node's cluster, "" if it belongs to none yet.
func (n *Node) cluster() string { return *n.clusterID.Load() }

// openAddresses binds the addresses for clients and nodes early, so that a taken port is
// reported before anything else happens.
func (n *Node) openAddresses(context.Context) error {
	ln, err := n.listenClients()
	if err != nil {
		return address.Fault("--http-addr", n.cfg.HTTPAddr, err)
	}
	n.http = ln
	if err := n.attend(); err != nil {
		return errors.Join(err, ln.Close())
	}
	n.opened("client address", func() error { return address.IgnoreClosed(n.clients.Close()) })
	if n.secret, err = n.clusterSecret(); err != nil {
		return err
	}
	if n.identity, err = n.secret.Identify(n.folder.ID); err != nil {
		return err
	}
	if n.listener, err = n.listenPeers(func(addr string) (*peer.Listener, error) {
		return peer.Listen(n.on.Network, addr, n.identity, n.sparingly("link"))
	}); err != nil {
		return err
	}
	n.opened("node address", n.listener.Close)
	n.link = peer.NewLink(n.on.Network, n.identity, n.addressOf)
	n.link.Hear(n.heardAt)
	n.link.Count(&n.traffic)
	n.listener.Tell(n.link.Back)
	n.opened("links", n.link.Close)
	return nil
}

// listenClients binds --http-addr, unless the parent did.
func (n *Node) listenClients() (net.Listener, error) {
	if n.cfg.HTTPFile == 0 {
		return n.on.Network.Listen(n.cfg.HTTPAddr)
	}
	f := os.NewFile(uintptr(n.cfg.HTTPFile), "listener for clients")
	ln, err := net.FileListener(f)
	return ln, errors.Join(err, f.Close())
}

// listenPeers binds --peer-addr, or without that option the usual port, or a free one if
// another node of this machine has it.
func (n *Node) listenPeers(listen func(string) (*peer.Listener, error)) (*peer.Listener, error) {
	if n.cfg.PeerAddr != "" {
		l, err := listen(n.cfg.PeerAddr)
		if err != nil {
			return nil, address.Fault("--peer-addr", n.cfg.PeerAddr, err)
		}
		return l, nil
	}
	if l, err := listen("127.0.0.1:7701"); err == nil {
		return l, nil
	}
	return listen("127.0.0.1:0")
}

// openLinks describes this node and makes its link to other nodes.
func (n *Node) openLinks(context.Context) error {
	n.disk = view.NewDisk(n.on.Files, n.dir(folder.DirShards), n.folder.Path) // the first is made with the first shard
	_, disk := n.disk.Space()
	n.self = wire.Node{
		ID: n.folder.ID, Name: n.cfg.Name, Zone: n.cfg.Zone, Data: n.cfg.Data, Voter: n.cfg.Voter, Version: wire.Version, Dictionaries: n.dictionaries, Disk: disk,
		HTTPAddr: address.Advertised(n.cfg.AdvertiseHTTP, n.cfg.HTTPAddr, n.http.Addr()),
		PeerAddr: address.Advertised(n.cfg.AdvertisePeer, n.cfg.PeerAddr, n.listener.Addr()),
	}
	n.server = peer.NewServer(n.sparingly("link"))
	n.server.Count(&n.traffic)
	n.server.Bar(n.bar)
	n.server.Trace(n.tracer())
	return nil
}

// addressOf finds the current address of a node. Gossip knows it best; the list of first
// members is the first hint; the catalogue remembers it. An address where another node is
// now does not count.
//
// A node that this cluster was recovered without has no address: for a moment the indexes
// still list its copies, and anything built there would be lost.
func (n *Node) addressOf(id wire.NodeID) (string, bool) {
	if id == n.self.ID {
		return n.self.PeerAddr, true
	}
	if n.lost(id) {
		return "", false
	}
	if n.gossip == nil {
		return n.listedAddr(id)
	}
	last, seen := n.gossip.Node(id)
	if seen && n.gossip.Alive(id) {
		return last.PeerAddr, true
	}
	addr, ok := last.PeerAddr, seen
	if !ok {
		addr, ok = n.listedAddr(id)
	}
	if c := n.catalog(); !ok && c != nil {
		if d, known := c.Node(id); known {
			addr, ok = d.PeerAddr, true
		}
	}
	return addr, ok && !n.gossip.Occupied(addr)
}

// heardAt is where gossip sees a node whose link address is a host name, "" for nowhere.
// Gossip sees a node that moved at once, while a name server may return its old address for
// a while.
func (n *Node) heardAt(id wire.NodeID) string {
	if n.gossip == nil || !n.gossip.Alive(id) {
		return ""
	}
	d, _ := n.gossip.Node(id)
	host, port, err := net.SplitHostPort(d.PeerAddr)
	if err != nil || net.ParseIP(host) != nil {
		return ""
	}
	at, _, err := net.SplitHostPort(d.GossipAddr)
	if err != nil || net.ParseIP(at) == nil {
		return ""
	}
	return net.JoinHostPort(at, port)
}

func (n *Node) dir(name string) string { return filepath.Join(n.folder.Path, name) }
