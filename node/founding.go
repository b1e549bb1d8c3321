package node

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"shoal/node/folder"
	"shoal/node/formation"
	"shoal/node/peer"
	"shoal/wire"
)

const methodForm = "form"

const (
	// Listed members that do not answer are asked again after askMin, later, while nothing
	// changes, up to every askMax. A node that does not answer within askTime counts as
	// absent.
	askMin  = 10 * time.Millisecond
	askMax  = 500 * time.Millisecond
	askTime = time.Second
	// A waiting node logs that after waitFirst, then every waitEvery.
	waitFirst = 500 * time.Millisecond
	waitEvery = 5 * time.Second
	// seekEvery is how often a node that no cluster has admitted looks for others.
	seekEvery = time.Second
)

// founding is how a node without state finds its cluster: it begins one with the other
// listed members or joins the existing one.
type founding struct {
	*peers
	// voters form the cluster if the data folder has no state. nil means that the cluster
	// exists or is joined.
	voters []wire.NodeID
	joins  bool      // this node was listed for a new cluster and found it already formed
	found  time.Time // when it knew its cluster

	mu    sync.Mutex
	heard map[wire.NodeID]string // what asking nodes said of themselves
	news  chan struct{}          // capacity 1: a member said something new
}

func newFounding(p *peers) *founding {
	return &founding{peers: p, heard: map[wire.NodeID]string{}, news: make(chan struct{}, 1)}
}

// word describes this node to others.
func (n *founding) word() *formation.Word {
	w := &formation.Word{
		Self: formation.Member{Name: n.cfg.Name, ID: n.self.ID}, List: n.listedNames(),
		Cluster: n.cluster.id(), Used: n.folder.Used, Gossip: n.self.GossipAddr,
	}
	w.Promised, w.Begun = n.folder.First.State()
	return w
}

// listedNames are the names of --init-members, in order.
func (n *founding) listedNames() []string {
	var names []string
	for _, m := range n.cfg.InitMembers {
		name, _, _ := strings.Cut(m, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// serveForm answers a member that looks for its cluster. It wakes this node if it is
// looking too and learns something new.
func (n *founding) serveForm(ctx context.Context, w *formation.Word) (*formation.Word, error) {
	if err := speaksFor(ctx, w.Self.ID); err != nil {
		return nil, err
	}
	answer := n.word()
	answer.Proof = n.key.proof(w.Self.ID, n.self.ID, w.Challenge)
	n.hear(*w)
	return answer, nil
}

func (n *founding) hear(w formation.Word) {
	w.Challenge = nil // differs each time
	said := fmt.Sprintf("%v", w)
	n.mu.Lock()
	news := n.heard[w.Self.ID] != said
	if len(n.heard) > 1000 { // ids of strangers
		clear(n.heard)
	}
	n.heard[w.Self.ID] = said
	n.mu.Unlock()
	if news {
		select {
		case n.news <- struct{}{}:
		default:
		}
	}
}

// find decides with which members a node without state begins a cluster: with the listed
// ones, alone, or not at all because it joins one. It waits for as long as that takes;
// other nodes are answered meanwhile.
func (n *founding) find(ctx context.Context) error {
	defer func() {
		n.found = time.Now()
		if n.cluster.id() == "" && len(n.cfg.InitMembers) > 1 {
			n.run(n.seek)
		}
	}()
	promised, begun := n.folder.First.State()
	switch {
	case n.folder.Used && n.cluster.id() != "" && !n.folder.Logged:
		return fmt.Errorf("data folder %s is damaged: it belongs to cluster %s but its log (%s) is gone: %s",
			n.folder.Path, n.cluster.id(), folder.DirRaft, folder.Anew(n.folder.Path))
	case begun:
		n.voters = promised.IDs()
		return nil
	case n.folder.Used:
		return nil
	case len(n.cfg.InitMembers) == 0 && len(n.cfg.Join) > 0:
		return nil
	}
	list := n.listedNames()
	if len(list) == 0 {
		list = []string{n.cfg.Name}
	}
	if len(list)%2 == 0 {
		n.log.Warn("an even number of first members tolerates no more failures than one less: use 1, 3 or 5", "members", len(list))
	}
	w := waiting{node: n, since: time.Now(), next: waitFirst}
	pause := askMin
	for {
		step, err := n.findOnce(ctx, list)
		if err != nil || step.Kind == formation.Begin || step.Kind == formation.Join {
			return err
		}
		w.tell(step.Missing)
		if step.Kind == formation.Promise {
			pause = askMin
			continue
		}
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-n.news:
			n.retry()
			pause = askMin
		case <-t.C:
			pause = min(pause*3/2, askMax)
		}
		t.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// seek makes gossip find others through the listed members until a cluster has admitted
// this node. Until then no catalogue has addresses, and a node that was stopped early looks
// for no cluster when it is started again.
func (n *founding) seek(ctx context.Context) {
	list := n.listedNames()
	for n.cluster.id() == "" && ctx.Err() == nil {
		for _, w := range n.ask(ctx, list).Listed {
			n.gossip.Seed(w.Gossip)
		}
		select {
		case <-ctx.Done():
		case <-time.After(seekEvery):
		}
	}
}

// findOnce asks everybody once and takes the resulting step.
func (n *founding) findOnce(ctx context.Context, list []string) (formation.Step, error) {
	r := n.ask(ctx, list)
	step := r.Next()
	var err error
	switch step.Kind {
	case formation.Promise:
		err = n.folder.First.Promise(step.Members)
	case formation.Begin:
		if err = n.folder.First.Begin(step.Members); err == nil {
			n.voters = step.Members.IDs()
			n.log.Info("a new cluster begins", "members", strings.Join(list, ","))
		}
	case formation.Join:
		n.gossip.Seed(step.Via.Gossip)
		n.joins = true
		n.log.Info("the cluster exists already: joining it", "cluster", step.Via.Cluster, "through", step.Via.Self.Name)
	case formation.Wait:
		err = n.otherKeys(step.Missing, list)
	}
	return step, err
}

// otherKeys ends a node whose master key differs from that of most listed members.
func (n *founding) otherKeys(missing []formation.Reason, list []string) error {
	var names []string
	for _, m := range missing {
		if m.OtherKey {
			names = append(names, m.Name)
		}
	}
	if 2*len(names) <= len(list)-1 {
		return nil
	}
	return fmt.Errorf("--master-key differs from that of %s: start this node with the key of the others", strings.Join(names, ", "))
}

// ask is one round of questions to the listed members and the nodes that gossip has found.
// It ends early if one of them belongs to a cluster, because then the others do not matter.
func (n *founding) ask(ctx context.Context, list []string) *formation.Round {
	r := &formation.Round{Mine: *n.word(), Listed: map[string]formation.Word{}}
	r.Mine.List = list
	question := r.Mine
	question.Challenge = newChallenge()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	one := func(addr string, take func(w formation.Word)) {
		wg.Go(func() {
			w, err := peer.CallAddr[formation.Word, formation.Word](ctx, n.link, addr, methodForm, &question)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				n.log.Debug("a first member does not answer", "address", addr, "error", err)
				return
			}
			w.OtherKey = !hmac.Equal(w.Proof, n.key.proof(n.self.ID, w.Self.ID, question.Challenge))
			take(*w)
			if w.Cluster != "" {
				cancel()
			}
		})
	}
	listed := map[string]bool{n.self.PeerAddr: true}
	for _, m := range n.cfg.InitMembers {
		name, addr, _ := strings.Cut(m, "=")
		listed[addr] = true
		if name != n.cfg.Name {
			one(addr, func(w formation.Word) { r.Listed[name] = w })
		}
	}
	for _, d := range n.gossip.Members() {
		if !listed[d.PeerAddr] && d.ID != n.self.ID {
			one(d.PeerAddr, func(w formation.Word) { r.Others = append(r.Others, w) })
		}
	}
	wg.Wait()
	return r
}

// retry makes the next questions go out at once, even after failures, because a member has
// just shown that it is alive.
func (n *founding) retry() {
	for _, m := range n.cfg.InitMembers {
		_, addr, _ := strings.Cut(m, "=")
		n.link.Retry(addr)
	}
}

// waiting logs for whom a node waits.
type waiting struct {
	node  *founding
	since time.Time
	next  time.Duration // after since
	told  bool
}

func (w *waiting) tell(missing []formation.Reason) {
	waited := time.Since(w.since)
	if waited < w.next || len(missing) == 0 && waited < waitEvery {
		return
	}
	w.next = max(w.next+waitEvery, waited)
	if !w.told {
		w.told = true
		w.node.log.Info("this node is new: a cluster begins once all of --init-members are there, or is joined when one of them belongs to one",
			"members", strings.Join(w.node.cfg.InitMembers, ","))
	}
	var names []string
	for _, m := range missing {
		why := m.Why
		if why == "" {
			why = "does not answer"
		}
		names = append(names, m.Name+" ("+why+")")
	}
	w.node.clients.Await("it waits for the other first members of its cluster (its log names them)")
	if len(missing) == 0 {
		w.node.log.Warn("the other first members answer and wait: see in their logs for whom; if it is for this node, the address is wrong at which they list it",
			"listed", w.node.listedSelf(), "serves", w.node.self.PeerAddr, "for", waited.Round(time.Second).String())
		return
	}
	w.node.log.Warn("waiting for first members", "missing", strings.Join(names, ", "), "for", waited.Round(time.Second).String())
}
