package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"shoal/coordinator/placement"
	"shoal/embed/rerank"
	"shoal/httpfront"
	"shoal/httpfront/console"
	"shoal/httpfront/routing"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/observe"
	"shoal/node/report"
)

// drainTime is how long running requests may take after a stop was requested.
const drainTime = 5 * time.Second

// front answers clients. It implements admin.Probes.
type front struct {
	*batches
	http     *httpfront.Server
	stopping atomic.Bool // readiness fails from here on
}

// openFront makes the front, and answers the questions of other nodes about this one.
func openFront(n *batches, ready *readiness) (*front, error) {
	sha, date := config.Commit()
	var page *console.Console
	if !n.cfg.NoConsole {
		var err error
		if page, err = console.New(); err != nil {
			return nil, err
		}
	}
	f := &front{batches: n}
	port := &clusterPort{Cluster: placement.NewCluster(f.raft, f.placement, f.view.Now), standby: ready.standby, leader: f.leader}
	audit, err := f.openAudit()
	if err != nil {
		return nil, err
	}
	f.http = httpfront.New(httpfront.Config{
		MasterKey: f.cfg.MasterKey, Version: f.cfg.APIVersion, CommitSHA: sha, CommitDate: date, Console: page,
		Families: f.metrics, AlwaysTimed: f.cfg.MetricsAddr != "", Now: f.group.Now,
		Routing: routing.Config{
			PayloadLimit: f.cfg.PayloadLimit, SearchesRunning: f.cfg.SearchesPerCore * f.cores, Cores: f.cores,
			SearchQueueSize: &f.cfg.SearchQueueSize, DropSearchAfter: f.cfg.DropSearchAfter, MaxStaleness: f.cfg.MaxStaleness, LeaseWait: leaseWait, Connections: connectionsAllowed(),
			Tracer: f.tracer(), Audit: audit, Log: f.sparingly("http"),
		},
	}, f.connect(port, ready))
	f.view.Serve(f.http, f.server)
	port.Reports = report.Open(report.Config{
		Self: f.self, Options: &f.cfg, Cores: f.cores, Begun: f.begun, Logs: f.logs, Host: f.host, Group: f.group, Front: f.http,
		Disk: f.disk, Payloads: f.dir(folder.DirBlobs), Awaits: f.clients.Awaits,
	}, f.members, f.server)
	f.run(port.Reports.Run)
	f.run(func(ctx context.Context) { f.disks.Watch(ctx, f.members, port.Free) })
	return f, nil
}

// connect adds the ports that need the process to those of the coordinator.
func (f *front) connect(port *clusterPort, ready *readiness) httpfront.Ports {
	ports := f.ports
	ports.Streams, ports.Stats, ports.Lease, ports.Logs, ports.Cluster, ports.Probes = streams{f.feed}, ready, ready.lease, f.logs, port, f
	if f.cfg.PersonalizationKey != "" {
		ports.Reranker = rerank.New(rerank.Config{Post: f.outbound.Ask, Key: f.cfg.PersonalizationKey, URL: f.cfg.PersonalizationURL, Model: f.cfg.PersonalizationModel})
	}
	return ports
}

// openAudit opens the destinations of the audit log. It returns nil if there are none.
func (f *front) openAudit() (audit func(httpfront.Change), err error) {
	if f.cfg.AuditLog != "" {
		a, err := observe.OpenAudit(f.cfg.AuditLog, f.cfg.Name, f.log.With("component", "audit"))
		if err != nil {
			return nil, err
		}
		f.opened("audit log", a.Close)
		audit = a.Write
	}
	if f.cfg.AuditWebhook != "" {
		hook, file := observe.NewAuditWebhook(f.cfg.AuditWebhook, f.cfg.Name, f.outbound.Post, f.log.With("component", "audit")), audit
		f.metrics.AuditWebhook.Store(hook)
		f.run(hook.Run)
		audit = func(c httpfront.Change) {
			if file != nil {
				file(c)
			}
			hook.Write(c)
		}
	}
	return audit, nil
}

// serve serves clients.
func (f *front) serve() error {
	if err := f.clients.Open(); err != nil {
		return fmt.Errorf("serve clients: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f.http.Serve(f.clients.Listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			f.fail(fmt.Errorf("serve clients: %w", err))
		}
	}()
	f.opened("service for clients", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		f.feed.Close() // its streams would otherwise last for all of drainTime
		err := f.http.Shutdown(ctx)
		<-done
		if errors.Is(err, context.DeadlineExceeded) {
			f.log.Warn("requests were cut off by the stop", "after", drainTime.String())
			return nil
		}
		return err
	})
	f.log.Info("serving", "http", f.self.HTTPAddr, "nodes", f.self.PeerAddr, "gossip", f.self.GossipAddr, "version", config.Release)
	if err := f.serveMetrics(); err != nil {
		return err
	}
	f.run(f.copies.Run)
	return nil
}

// Stopping tells whether the process was asked to end.
func (f *front) Stopping() bool { return f.stopping.Load() }

// Draining tells whether the copies of this node are being moved to others.
func (f *front) Draining() bool {
	d, ok := f.group.Catalog().Node(f.self.ID)
	return ok && d.Draining
}

// Behind is the number of log entries that are known here but not applied.
func (f *front) Behind() uint64 {
	s := f.group.Stats()
	return s.Committed - min(s.Applied, s.Committed)
}

// Lacking counts copies of this node that have not caught up since its start. For a while,
// until the first contact to a leader, the catalogue is old and known is false.
func (f *front) Lacking() (copies int, known bool) { return f.copies.Lacking() }

// standDown fails /readyz and goes on serving for --shutdown-delay, so that load balancers
// stop sending requests before the first one is refused. A fault ends the wait.
func (f *front) standDown() {
	f.stopping.Store(true)
	delay := time.NewTimer(f.cfg.ShutdownDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case why := <-f.fatal:
		f.log.Error("stopping at once", "err", why.err)
	}
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

// serveMetrics serves --metrics-addr.
func (f *front) serveMetrics() error {
	if f.cfg.MetricsAddr == "" {
		return nil
	}
	o, err := observe.Serve(f.cfg.MetricsAddr, f.http, f.fail)
	if err != nil {
		return err
	}
	f.opened("service for metrics", o.Close)
	f.log.Info("serving metrics", "addr", o.Addr())
	return nil
}
