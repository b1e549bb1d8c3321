package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	clustertest "shoal/cluster-test"
)

// harm is one kind of thing that is done to a cluster, and undone before the next one.
type harm struct {
	name string
	do   func(l *life, ctx context.Context, dice *rand.Rand) error
}

var harms = []harm{
	{"kill", (*life).kill},
	{"kill all", (*life).killAll},
	{"freeze", (*life).freeze},
	{"cut", (*life).cut},
	{"cut all", (*life).cutAll},
	{"disk", (*life).fillDisk},
	{"drain", (*life).drain},
	{"add", (*life).add},
	{"remove", (*life).remove},
	{"replace", (*life).replace},
	{"empty", (*life).empty},
}

// errNotHere: this harm cannot be done on this machine.
var errNotHere = errors.New("not on this machine")

// hit does one harm after another until ctx ends. What was begun is undone all the same.
func (l *life) hit(ctx context.Context, dice *rand.Rand) error {
	always := context.WithoutCancel(ctx)
	for pause(ctx, time.Duration(300+dice.IntN(1500))*time.Millisecond); ctx.Err() == nil; {
		possible := slices.DeleteFunc(slices.Clone(harms), func(h harm) bool { return !l.allowed(h.name) })
		if len(possible) == 0 {
			return nil
		}
		h := possible[dice.IntN(len(possible))]
		err := h.do(l, always, dice)
		if errors.Is(err, errNotHere) {
			l.never[h.name] = true
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		l.harms[h.name]++
		pause(ctx, time.Duration(300+dice.IntN(2000))*time.Millisecond)
	}
	return nil
}

func (l *life) allowed(name string) bool {
	return !l.never[name] && (len(l.only) == 0 || slices.Contains(l.only, name))
}

// victim is the leader half of the time.
func (l *life) victim(ctx context.Context, dice *rand.Rand) *clustertest.Node {
	nodes := l.roster.all()
	if dice.IntN(2) == 0 {
		one, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if s, err := nodes[dice.IntN(len(nodes))].Status(one); err == nil {
			for _, n := range nodes {
				if n.Name == s.Leader {
					return n
				}
			}
		}
	}
	return nodes[dice.IntN(len(nodes))]
}

// back starts a node and waits until it serves.
func (l *life) back(ctx context.Context, n *clustertest.Node) error {
	if err := n.Start(l.cluster); err != nil {
		return err
	}
	return n.Ready(ctx)
}

func (l *life) kill(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	n.Kill()
	pause(ctx, time.Duration(dice.IntN(3000))*time.Millisecond)
	return l.back(ctx, n)
}

func (l *life) killAll(ctx context.Context, _ *rand.Rand) error {
	nodes := l.roster.all()
	for _, n := range nodes {
		n.Kill()
	}
	for _, n := range nodes {
		if err := n.Start(l.cluster); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		if err := n.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) freeze(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	if err := n.Freeze(); err != nil {
		return err
	}
	pause(ctx, time.Duration(500+dice.IntN(6000))*time.Millisecond)
	return n.Thaw()
}

func (l *life) cut(ctx context.Context, dice *rand.Rand) error {
	if l.net == nil {
		return errNotHere
	}
	n := l.victim(ctx, dice)
	if err := l.net.Cut(n); err != nil {
		return err
	}
	pause(ctx, time.Duration(500+dice.IntN(6000))*time.Millisecond)
	return l.net.Heal(n)
}

func (l *life) cutAll(ctx context.Context, dice *rand.Rand) error {
	if l.net == nil {
		return errNotHere
	}
	nodes := l.roster.all()
	for _, n := range nodes {
		if err := l.net.Cut(n); err != nil {
			return err
		}
	}
	pause(ctx, time.Duration(500+dice.IntN(4000))*time.Millisecond)
	for _, n := range nodes {
		if err := l.net.Heal(n); err != nil {
			return err
		}
	}
	return nil
}

// diskSize is how large the disk of a node is where one can be made for it.
const diskSize = 384 << 20

// disk gives a node that does not run a disk of its own.
func (l *life) disk(n *clustertest.Node) error {
	if err := os.MkdirAll(n.Folder(), 0o700); err != nil {
		return err
	}
	n.Option("db-path", filepath.Join(n.Folder(), "db"))
	if !l.allowed("disk") {
		return nil
	}
	if err := syscall.Mount("tmpfs", n.Folder(), "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
		l.never["disk"] = true
		return nil //nolint:nilerr // the machine allows no disks of their own
	}
	l.mounts = append(l.mounts, n.Folder())
	return nil
}

// fillDisk leaves a node no room for some seconds.
func (l *life) fillDisk(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	if !slices.Contains(l.mounts, n.Folder()) {
		return errNotHere
	}
	ballast := filepath.Join(n.Folder(), "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		return err
	}
	block := make([]byte, 256<<10)
	end := time.Now().Add(time.Duration(2000+dice.IntN(5000)) * time.Millisecond)
	for time.Now().Before(end) { // what the node gives up is filled, too
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			pause(ctx, 20*time.Millisecond)
		} else if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(f.Close(), os.Remove(ballast)); err != nil {
		return err
	}
	// A node starts again by itself, but for one whose listener was opened by somebody else.
	for end := time.Now().Add(3 * time.Second); l.net != nil && time.Now().Before(end); pause(ctx, 50*time.Millisecond) {
		if n.Runs() {
			continue
		}
		n.Kill()
		if err := l.back(ctx, n); err != nil {
			return err
		}
		break
	}
	return l.whole(ctx)
}

// api sends a change of the cluster until it is carried out.
func (l *life) api(ctx context.Context, method, path string, except *clustertest.Node) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	last := ""
	for ctx.Err() == nil {
		for _, n := range l.roster.all() {
			if n == except {
				continue
			}
			one, stop := context.WithTimeout(ctx, answerTime)
			a, err := n.Ask(one, method, path, nil)
			stop()
			if err == nil && a.Status == http.StatusOK {
				return nil
			}
			last = fmt.Sprint(err)
			if err == nil {
				last = fmt.Sprintf("%d %.300s", a.Status, a.Body)
			}
			pause(ctx, 200*time.Millisecond)
		}
	}
	return fmt.Errorf("%s %s is not carried out for two minutes: %s", method, path, last)
}

func (l *life) drain(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	path := "/cluster/nodes/" + n.Name + "/drain"
	if err := l.api(ctx, "POST", path, nil); err != nil {
		return err
	}
	pause(ctx, time.Duration(500+dice.IntN(5000))*time.Millisecond)
	return l.api(ctx, "DELETE", path, nil)
}

// join starts an empty node with a name of its own.
func (l *life) join(ctx context.Context) (*clustertest.Node, error) {
	n, err := l.cluster.Join()
	if err != nil {
		return nil, err
	}
	l.cluster.Nodes = l.cluster.Nodes[:len(l.cluster.Nodes)-1] // a member when it runs
	l.equip(n)
	if err := l.disk(n); err != nil {
		return nil, err
	}
	if l.net != nil {
		l.plugged++
		host := fmt.Sprintf("10.77.0.%d", 10+l.plugged)
		if err := l.net.Plug(n, host); err != nil {
			return nil, err
		}
		n.Peer, n.Gossip = host+":7701", host+":7946"
		n.Option("peer-addr", n.Peer)
		n.Option("gossip-addr", n.Gossip)
	}
	if err := l.back(ctx, n); err != nil {
		n.Kill()
		return nil, fmt.Errorf("%w: %s", err, n.Tail(5))
	}
	return n, nil
}

// mostNodes is how far a cluster grows.
const mostNodes = 5

func (l *life) add(ctx context.Context, _ *rand.Rand) error {
	if len(l.roster.all()) >= mostNodes {
		return nil
	}
	n, err := l.join(ctx)
	if err != nil {
		return err
	}
	l.member(append(l.roster.all(), n))
	return nil
}

// member makes these the nodes of the cluster.
func (l *life) member(nodes []*clustertest.Node) {
	l.cluster.Nodes = nodes
	l.roster.set(nodes)
}

func without(nodes []*clustertest.Node, n *clustertest.Node) []*clustertest.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(o *clustertest.Node) bool { return o == n })
}

// remove takes a node out as an operator does: it is drained, stopped, and removed.
func (l *life) remove(ctx context.Context, dice *rand.Rand) error {
	if len(l.roster.all()) <= 3 {
		return nil
	}
	n := l.victim(ctx, dice)
	if err := l.api(ctx, "POST", "/cluster/nodes/"+n.Name+"/drain", nil); err != nil {
		return err
	}
	if err := l.until(ctx, n.Name+" to be empty", func(s *clustertest.Status) bool { return s.Healthy && !s.Holds(n.Name) }, n); err != nil {
		return err
	}
	l.member(without(l.roster.all(), n))
	n.Stop()
	return l.api(ctx, "DELETE", "/cluster/nodes/"+n.Name, n)
}

// lose lets a node lose its disk while every document has another copy: nothing is written,
// for a copy that is behind and a lost disk are two failures at once.
func (l *life) lose(ctx context.Context, n *clustertest.Node) error {
	l.gate.Lock()
	defer l.gate.Unlock()
	if err := errors.Join(settle(ctx, n), l.whole(ctx)); err != nil {
		return err
	}
	n.Kill()
	return os.RemoveAll(filepath.Join(n.Folder(), "db"))
}

// replace removes a node that lost its disk, then adds an empty one with another name.
func (l *life) replace(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	if err := l.lose(ctx, n); err != nil {
		return err
	}
	l.member(without(l.roster.all(), n))
	if err := l.api(ctx, "DELETE", "/cluster/nodes/"+n.Name, n); err != nil {
		return err
	}
	fresh, err := l.join(ctx)
	if err != nil {
		return err
	}
	l.member(append(l.roster.all(), fresh))
	return l.whole(ctx)
}

// empty takes the disk of a node, which comes back under its name.
func (l *life) empty(ctx context.Context, dice *rand.Rand) error {
	n := l.victim(ctx, dice)
	if err := l.lose(ctx, n); err != nil {
		return err
	}
	if err := l.back(ctx, n); err != nil {
		return err
	}
	return l.whole(ctx)
}

// until waits for a state of the cluster, as any node but one tells it.
func (l *life) until(ctx context.Context, what string, ok func(*clustertest.Status) bool, except *clustertest.Node) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last *clustertest.Status
	for ctx.Err() == nil {
		for _, n := range l.roster.all() {
			if n == except {
				continue
			}
			one, stop := context.WithTimeout(ctx, 2*time.Second)
			s, err := n.Status(one)
			stop()
			if err == nil {
				if last = s; ok(s) {
					return nil
				}
			}
		}
		pause(ctx, 100*time.Millisecond)
	}
	return fmt.Errorf("waited %s for %s; the cluster says %+v", patience, what, last)
}

// whole waits until every node is there, every copy is in sync, and as many vote as are to.
func (l *life) whole(ctx context.Context) error {
	n := len(l.roster.all())
	votes := n - (n+1)%2 // an even number tolerates no more failures than one less
	if n == 2 {
		votes = 2
	}
	return l.until(ctx, fmt.Sprintf("%d nodes that are well, and %d votes", n, votes), func(s *clustertest.Status) bool {
		alive, voting := 0, 0
		for _, o := range s.Nodes {
			if o.Alive {
				alive++
			}
			if o.Alive && o.Votes {
				voting++
			}
		}
		return s.Healthy && alive == n && len(s.Nodes) == n && voting == votes
	}, nil)
}
