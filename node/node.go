package node

import (
	"context"
	"errors"
	"fmt"

	"shoal/httpfront"
	"shoal/node/config"
	"shoal/node/machine"
	"shoal/node/peer"
	"shoal/text/dictionary"
)

// Node is one running process. open opens its parts, each of which needs those before it.
// Close closes them in reverse order.
type Node struct {
	*process
	dictionaries dictionary.Set
	importing    *importing
	peers        *peers
	twins        *twins
	greeter      *greeter
	founding     *founding
	member       *member
	batches      *batches
	ready        *readiness
	front        *front
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
	p := &process{life: newLife(), cfg: cfg, on: on}
	n := &Node{process: p, importing: &importing{process: p}}
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
			n.front.standDown()
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

// open opens the parts of a node in order. On an error it closes those that are open.
func (n *Node) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		n.openLogs, n.caution, n.importing.plan, n.openFolder, n.openTraces, n.bindAddresses, n.meetPeers, n.joinCluster, n.startWork, n.serveClients,
	} {
		if err := step(ctx); err != nil {
			return errors.Join(err, n.Close())
		}
	}
	return nil
}

// Close stops accepting, drains, and closes everything in reverse order. It joins all
// errors. It returns within closing.Limit.
func (n *Node) Close() error { return errors.Join(n.close(n.log), n.importing.clear()) }

// bindAddresses binds the addresses for clients and nodes early, so that a taken port is
// reported before anything else happens.
func (n *Node) bindAddresses(ctx context.Context) error {
	cluster, err := openMembership(n.folder)
	if err != nil {
		return err
	}
	if n.dictionaries, err = openDictionaries(n.process); err != nil {
		return err
	}
	clients, err := openEntrance(n.process)
	if err != nil {
		return err
	}
	if n.peers, err = openPeers(n.process, clients, cluster); err != nil {
		return err
	}
	return n.folder.AwaitRoom(ctx, n.log, clients.Await)
}

// meetPeers begins to look for other nodes, and answers them from now on: at first only
// this node's identity, the rest once it is open. Until then callers are told that it is
// unavailable.
func (n *Node) meetPeers(context.Context) error {
	n.peers.describe(n.dictionaries)
	n.twins = newTwins(n.peers)
	if err := n.peers.openGossip(n.twins.heard); err != nil {
		return err
	}
	n.run(n.twins.watch)
	n.greeter, n.founding = newGreeter(n.peers), newFounding(n.peers)
	peer.Handle(n.peers.server, methodHello, n.greeter.serveHello)
	peer.Handle(n.peers.server, methodForm, n.founding.serveForm)
	n.peers.serve()
	return nil
}

// joinCluster finds the cluster of this node, and takes part in its log.
func (n *Node) joinCluster(ctx context.Context) (err error) {
	if err := n.founding.find(ctx); err != nil {
		return err
	}
	if n.member, err = openMember(n.greeter, n.twins, n.founding.voters); err != nil {
		return err
	}
	n.run(n.greeter.greet)
	return nil
}

// startWork opens the shards of this node, and starts the coordinator's work on it.
func (n *Node) startWork(ctx context.Context) error {
	out, err := httpfront.NewOutbound(n.cfg.AllowedIPNetworks)
	if err != nil {
		return fmt.Errorf("--experimental-allowed-ip-networks: %w", err)
	}
	data, err := openData(n.member, newEmbedders(n.process, out))
	if err != nil {
		return err
	}
	work, err := openWork(data, out)
	if err != nil {
		return err
	}
	n.batches = openBatches(work)
	n.ready = openReadiness(lease{standby{work}, n.importing}, n.greeter, n.founding.found)
	n.peers.endHere()
	return n.importing.settle(ctx, n.founding.joins, n.member)
}

// serveClients makes the front, imports what this start was told to, and serves clients.
func (n *Node) serveClients(ctx context.Context) (err error) {
	if n.front, err = openFront(n.batches, n.ready); err != nil {
		return err
	}
	if err := n.importing.load(ctx, n.batches.work); err != nil {
		return err
	}
	if err := n.front.serve(); err != nil {
		return err
	}
	// Another node leads before this one refuses requests. Otherwise the cluster would wait
	// for a leader.
	n.opened("lead", n.member.group.HandOver)
	return nil
}
