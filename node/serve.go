package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/consensus"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/embed/rerank"
	"shoal/httpfront"
	"shoal/httpfront/console"
	"shoal/httpfront/routing"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/report"
	"shoal/node/startup"
	"shoal/wire"
)

// serveLinks serves other nodes from now on: at first only this node's identity, the rest
// once it is open. Until then callers are told that it is unavailable.
func (n *Node) serveLinks(context.Context) error {
	peer.Handle(n.server, methodHello, n.serveHello)
	peer.Handle(n.server, methodForm, n.serveForm)
	ln := n.listener.RPC()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := n.server.Serve(ln); err != nil {
			n.fail(fmt.Errorf("serve other nodes: %w", err))
		}
	}()
	n.stopLinks = sync.OnceFunc(func() { n.server.Close(); <-done })
	n.opened("service for nodes", func() error { n.stopLinks(); return nil })
	return nil
}

// linksEndHere makes Close end the service for nodes before it closes the parts opened so
// far, because that service uses them.
func (n *Node) linksEndHere(context.Context) error {
	n.opened("service for nodes", func() error { n.stopLinks(); return nil })
	return nil
}

// leaseWait keeps a refusal without a leader within the promised five seconds.
const leaseWait = 4 * time.Second

// openFront makes the front, and answers the questions of other nodes about this one.
func (n *Node) openFront(context.Context) error {
	w := n.work
	sha, date := config.Commit()
	var page *console.Console
	if !n.cfg.NoConsole {
		var err error
		if page, err = console.New(); err != nil {
			return err
		}
	}
	port := &clusterPort{Cluster: w.cluster, n: n}
	ports := httpfront.Ports{
		Search: w.search, Tasks: w.tasks, Streams: streams{w.feed}, Keys: w.keys, SlowLog: w.slowLog, Aliases: w.aliases, Analytics: w.analytics, Features: w.features, Network: w.network, Webhooks: w.webhooks, Rules: w.rules, Chats: w.chats, Completions: w.completions,
		Stats: readiness{w.stats, n}, Lease: lease{n.group, n.outside, n.awaitsImport, n.cfg.Follow != ""}, Logs: n.logs, Cluster: port, Probes: probes{n},
		DocumentPorts: httpfront.DocumentPorts{Indexes: w.indexes, Documents: w.documents, Writes: w.writer},
	}
	if n.cfg.PersonalizationKey != "" {
		ports.Reranker = rerank.New(rerank.Config{Post: w.outbound.Ask, Key: n.cfg.PersonalizationKey, URL: n.cfg.PersonalizationURL, Model: n.cfg.PersonalizationModel})
	}
	var audit func(httpfront.Change)
	if n.cfg.AuditLog != "" {
		a, err := observe.OpenAudit(n.cfg.AuditLog, n.cfg.Name, n.log.With("component", "audit"))
		if err != nil {
			return err
		}
		n.opened("audit log", a.Close)
		audit = a.Write
	}
	if n.cfg.AuditWebhook != "" {
		hook, file := observe.NewAuditWebhook(n.cfg.AuditWebhook, n.cfg.Name, w.outbound.Post, n.log.With("component", "audit")), audit
		n.metrics.AuditWebhook.Store(hook)
		n.run(hook.Run)
		audit = func(c httpfront.Change) {
			if file != nil {
				file(c)
			}
			hook.Write(c)
		}
	}
	n.front = httpfront.New(httpfront.Config{
		MasterKey: n.cfg.MasterKey, Version: n.cfg.APIVersion, CommitSHA: sha, CommitDate: date, Console: page,
		Families: n.metrics, AlwaysTimed: n.cfg.MetricsAddr != "", Now: n.group.Now,
		Routing: routing.Config{
			PayloadLimit: n.cfg.PayloadLimit, SearchesRunning: n.searchesRunning(), Cores: n.cores,
			SearchQueueSize: &n.cfg.SearchQueueSize, DropSearchAfter: n.cfg.DropSearchAfter, MaxStaleness: n.cfg.MaxStaleness, LeaseWait: leaseWait, Connections: connectionsAllowed(),
			Tracer: n.tracer(), Audit: audit, Log: n.sparingly("http"),
		},
	}, ports)
	n.view.Serve(n.front, n.server)
	port.Reports = report.Open(report.Config{
		Self: n.self, Options: &n.cfg, Cores: n.cores, Begun: n.begun, Logs: n.logs, Host: n.host, Group: n.group, Front: n.front,
		Disk: n.disk, Payloads: n.dir(folder.DirBlobs), Awaits: func() string { return *n.awaited.Load() },
	}, n.members, n.server)
	n.run(port.Reports.Run)
	n.run(func(ctx context.Context) { n.disks.Watch(ctx, n.members, port.Free) })
	return nil
}

// serveFront serves clients.
func (n *Node) serveFront(context.Context) error {
	if err := n.clients.Open(); err != nil {
		return fmt.Errorf("serve clients: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := n.front.Serve(n.clients); err != nil && !errors.Is(err, http.ErrServerClosed) {
			n.fail(fmt.Errorf("serve clients: %w", err))
		}
	}()
	n.opened("service for clients", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		n.work.feed.Close() // its streams would otherwise last for all of drainTime
		err := n.front.Shutdown(ctx)
		<-done
		if errors.Is(err, context.DeadlineExceeded) {
			n.log.Warn("requests were cut off by the stop", "after", drainTime.String())
			return nil
		}
		return err
	})
	n.log.Info("serving", "http", n.self.HTTPAddr, "nodes", n.self.PeerAddr, "gossip", n.self.GossipAddr, "version", config.Release)
	return nil
}

// attend answers probes, and holds other requests for a while, until clients are served.
func (n *Node) attend() error {
	ln, err := n.clientTLS(n.http)
	if err != nil {
		return err
	}
	tcp, ok := n.http.(interface{ SetDeadline(t time.Time) error })
	if !ok {
		return fmt.Errorf("--http-addr %s is no TCP address", n.http.Addr())
	}
	n.awaits("the node starts")
	n.clients = startup.Attend(startup.Config{
		Listener: ln, Interrupt: tcp.SetDeadline, Hold: leaseWait, Why: func() string { return *n.awaited.Load() }, Log: n.sparingly("http"),
	})
	return nil
}

// awaits records what the start is waiting for, for /readyz.
func (n *Node) awaits(what string) { n.awaited.Store(&what) }

func (n *Node) searchesRunning() int { return n.cfg.SearchesPerCore * n.cores }

// clientTLS puts HTTPS around the listener when certificates were given.
func (n *Node) clientTLS(ln net.Listener) (net.Listener, error) {
	if n.cfg.TLSCert == "" {
		return ln, nil
	}
	cert, err := tls.LoadX509KeyPair(n.cfg.TLSCert, n.cfg.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("--ssl-cert-path, --ssl-key-path: %w", err)
	}
	if n.cfg.TLSOCSP != "" {
		if cert.OCSPStaple, err = os.ReadFile(n.cfg.TLSOCSP); err != nil {
			return nil, fmt.Errorf("--ssl-ocsp-path: %w", err)
		}
	}
	n.certificateEnds = &cert.Leaf.NotAfter
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	if n.cfg.TLSClientCA != "" {
		pem, err := os.ReadFile(n.cfg.TLSClientCA)
		if err != nil {
			return nil, fmt.Errorf("--ssl-auth-path: %w", err)
		}
		cfg.ClientCAs = x509.NewCertPool()
		if !cfg.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ssl-auth-path: %s holds no PEM certificate", n.cfg.TLSClientCA)
		}
		cfg.ClientAuth = tls.VerifyClientCertIfGiven
		if n.cfg.TLSRequireClient {
			cfg.ClientAuth = tls.RequireAndVerifyClientCert
		}
	}
	return tls.NewListener(ln, cfg), nil
}

// lease adapts the log to the front.
type lease struct {
	*consensus.Group
	outside func() string
	awaits  bool // another node was told to import a dump or snapshot, too
	follows bool // this node was told to follow another cluster
}

// Outside says why this node has never had the state of its cluster.
func (l lease) Outside() string { return l.outside() }

// Follows tells whether the cluster follows another one, or is about to.
func (l lease) Follows() bool {
	s, known := coordinator.Standby(l.Catalog())
	return known && !s.Promoted || !known && l.follows
}

// Importing tells whether a dump or snapshot is partly imported, or about to be: the leader
// verifies the file before it announces the import.
func (l lease) Importing() bool {
	c := l.Catalog()
	if l.Follows() {
		s, _ := coordinator.Standby(c)
		return s.Snapshot == "" && len(s.Indexes) == 0 // no snapshot has arrived yet
	}
	switch coordinator.Importing(c) {
	case coordinator.ImportDocuments, coordinator.ImportQueue:
		return true
	case coordinator.ImportNone:
		if l.awaits {
			_, any := c.LastTask()
			return !any && len(c.Indexes()) == 0
		}
	}
	return false
}

// readiness adds this node's own state to the statistics. /health answers 200 once the node
// can serve, or in a local cluster once all nodes can.
type readiness struct {
	*figures
	n *Node
}

// figures is an alias because a field named Stats would hide the method.
type figures = admin.Stats

// Health is nil while the node can serve.
func (r readiness) Health(ctx context.Context) error {
	if (lease{r.n.group, r.n.outside, r.n.awaitsImport, r.n.cfg.Follow != ""}).Importing() {
		return apierr.ImportRunning()
	}
	if r.n.wasReady.Load() {
		return r.figures.Health(ctx)
	}
	switch err := r.n.ready(ctx); {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return wire.ErrNoLeader // readyWithin was too short: the client asks again
	case err != nil:
		return err
	}
	if err := r.figures.Health(ctx); err != nil {
		return err
	}
	r.n.wasReady.Store(true)
	return nil
}

const methodReady = "ready"

// readyWithin bounds one check of the other nodes.
const readyWithin = time.Second

// ready tells whether this node has caught up with a leader and, in a local
// cluster, whether every node has.
func (n *Node) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if err := n.selfReady(ctx); err != nil {
		return err
	}
	if n.cfg.ExpectNodes <= 1 {
		return nil
	}
	for _, d := range n.group.Catalog().Nodes() {
		if d.ID == n.self.ID {
			continue
		}
		if _, err := peer.Call[hello, helloReply](ctx, n.link, d.ID, methodReady, n.hello()); err != nil {
			return err
		}
	}
	return nil
}

// selfReady checks that the log is applied up to now, including the expected members, the
// default keys and, in a new cluster, the version of the log that its programs know: before
// it, nodes would refuse what needs that version.
func (n *Node) selfReady(ctx context.Context) error {
	if err := n.group.Barrier(ctx); err != nil {
		return err
	}
	if fresh, _ := n.group.Lease(); !fresh {
		return wire.ErrUnavailable
	}
	c := n.group.Catalog()
	if c.ClusterID() == "" || len(c.Nodes()) < n.expectedNodes() || len(c.Keys()) == 0 || n.assembling() && c.Program() < min(wire.LeastSpoken(c.Nodes()), wire.Version) {
		if last, any := c.LastTask(); !any && last == 0 {
			return wire.ErrUnavailable
		}
	}
	return nil
}

// assembly is how long a new cluster waits for the descriptions of all its first members
// before it serves without the missing ones.
const assembly = 10 * time.Second

// assembling reports whether a new cluster may still be without some of its first members.
func (n *Node) assembling() bool { return time.Since(n.found) < assembly }

// expectedNodes is how many members the catalogue must list before clients are told to
// come. Earlier writes would have fewer copies at first.
func (n *Node) expectedNodes() int {
	if len(n.cfg.InitMembers) > n.cfg.ExpectNodes && n.assembling() {
		return len(n.cfg.InitMembers)
	}
	return max(1, n.cfg.ExpectNodes)
}

// serveReady tells another node whether this one is ready.
func (n *Node) serveReady(ctx context.Context, _ *hello) (*helloReply, error) {
	if err := n.selfReady(ctx); err != nil {
		return nil, err
	}
	return &helloReply{Hello: *n.hello()}, nil
}

// mostConnections bounds the connections of clients, if the system allows that many.
const mostConnections = 10_000

// connectionsAllowed is how many clients may be connected: half of the descriptors of the
// process, so that files and links to other nodes have the rest.
func connectionsAllowed() int {
	most, known := machine.Descriptors()
	if !known {
		return mostConnections
	}
	return int(max(16, min(mostConnections, most/2)))
}

// openObservation serves --metrics-addr.
func (n *Node) openObservation(context.Context) error {
	if n.cfg.MetricsAddr == "" {
		return nil
	}
	o, err := observe.Serve(n.cfg.MetricsAddr, n.front, n.fail)
	if err != nil {
		return err
	}
	n.opened("service for metrics", o.Close)
	n.log.Info("serving metrics", "addr", o.Addr())
	return nil
}
