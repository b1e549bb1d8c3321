package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/cables"
	"shoal/cluster-test/history"
)

const masterKey = "the master key of a whole life"

// options say how a life is led.
type options struct {
	binary string
	dir    string
	seed   uint64
	length time.Duration // of all rounds together; the one under way is finished
	storm  time.Duration // how long a round is not left alone
	nodes  int
	only   []string // kinds of harm, all if empty
	plant  string   // a fault that must be found
	out    io.Writer
}

// life is a cluster, who uses it, and the books.
type life struct {
	options
	cluster *clustertest.Cluster
	net     *cables.Switch // nil where there can be none
	roster  roster
	mounts  []string
	plugged int
	never   map[string]bool // harms that cannot be done here

	gate sync.RWMutex // held while nothing may be written

	book    *book
	world   *world
	closed  uint32   // the first task that is not in the books
	ended   []uint32 // tasks in the books that may be deleted
	history history.Recorder
	batches atomic.Int64

	// Of the round: how many were asked for, and the tasks.
	dumps, snapshots int
	dump, snapshot   *uint32
	keys, remotes    []string
	contains         *bool

	harms, restores, failed, byKind map[string]int
	adjusted, verified              int
	searches                        atomic.Int64
}

// lead leads a life. The error is the first fault.
func lead(ctx context.Context, o options) (err error) {
	l := &life{options: o, book: newBook(), world: newWorld(), never: map[string]bool{},
		harms: map[string]int{}, restores: map[string]int{}, failed: map[string]int{}, byKind: map[string]int{}}
	defer func() { err = errors.Join(err, l.clear()) }()
	if err := l.start(ctx); err != nil {
		return err
	}
	defer l.cluster.Close()
	begun := time.Now()
	for round := 1; ; round++ {
		if err := l.round(ctx, round, begun); err != nil {
			l.say("round %d of seed %d: %v\n%s", round, l.seed, err, stories(l.cluster.Nodes))
			return fmt.Errorf("round %d of seed %d: %w", round, l.seed, err)
		}
		if time.Since(begun) > l.length {
			break
		}
	}
	if err := l.history.Check(time.Minute); err != nil {
		return err
	}
	l.table(begun)
	return nil
}

func (l *life) say(format string, a ...any) { fmt.Fprintf(l.out, format+"\n", a...) }

// start runs the nodes and makes what every life begins with.
func (l *life) start(ctx context.Context) (err error) {
	if l.cluster, err = clustertest.New(l.binary, l.dir, l.nodes, "SHOAL_MASTER_KEY="+masterKey, "SHOAL_DEFAULT_SHARDS=2"); err != nil {
		return err
	}
	if l.allowed("cut") || l.allowed("cut all") {
		if l.net, err = cables.Lay(l.cluster); err != nil && !errors.Is(err, cables.ErrNotAllowed) {
			return err
		}
	}
	for _, n := range l.cluster.Nodes {
		l.equip(n)
		if err := l.disk(n); err != nil {
			return err
		}
	}
	l.roster.set(l.cluster.Nodes)
	if err := l.cluster.Start(ctx); err != nil {
		l.cluster.Close()
		return err
	}
	n := l.cluster.Nodes[0]
	var answer any
	if err := ask(ctx, n, "PATCH", "/experimental-features", map[string]any{"editDocumentsByFunction": true, "network": true, "dynamicSearchRules": true}, &answer); err != nil {
		return err
	}
	filterable, cutoff := []string{"group"}, 60_000
	first := []*request{{
		kind: "settingsUpdate", method: "PATCH", path: "/indexes/" + groupIndex + "/settings", index: groupIndex,
		body: map[string]any{"filterableAttributes": filterable, "stopWords": []string{"first"}, "searchCutoffMs": cutoff},
		outcome: func(w *world) (string, func()) {
			return "", func() { w.made(groupIndex).filterable, w.made(groupIndex).stopWords = filterable, []string{"first"} }
		},
	}}
	for _, q := range first {
		if _, err := l.put(ctx, n, q); err != nil {
			return err
		}
	}
	return settle(ctx, n)
}

// equip gives a node what all have.
func (l *life) equip(n *clustertest.Node) {
	n.Key = masterKey
	n.Option("dump-dir", filepath.Join(l.dir, "dumps"))
	n.Option("snapshot-dir", filepath.Join(l.dir, "snapshots"))
}

// clear takes disks and cables away.
func (l *life) clear() error {
	var errs []error
	for _, path := range l.mounts {
		errs = append(errs, syscall.Unmount(path, syscall.MNT_DETACH))
	}
	if l.net != nil {
		errs = append(errs, l.net.Close())
	}
	return errors.Join(errs...)
}

// round is a storm, a calm, and the closing of the books.
func (l *life) round(ctx context.Context, round int, begun time.Time) error {
	l.dumps, l.snapshots, l.dump, l.snapshot = 0, 0, nil, nil
	if err := l.rage(ctx, uint64(round)); err != nil {
		return err
	}
	if err := l.whole(ctx); err != nil {
		return err
	}
	n := l.roster.all()[0]
	if err := settle(ctx, n); err != nil {
		return err
	}
	list, err := tasks(ctx, n, l.closed)
	if err != nil {
		return err
	}
	before := l.world.clone()
	ends, err := l.account(list)
	if err != nil {
		return err
	}
	for _, n := range l.roster.all() {
		if err := errors.Join(compare(ctx, n, l.world), l.compareSmall(ctx, n)); err != nil {
			return err
		}
	}
	if err := l.verify(ctx); err != nil {
		return err
	}
	for option, task := range map[string]*uint32{importDump: l.dump, importSnapshot: l.snapshot} {
		if task == nil {
			continue
		}
		if err := l.restored(ctx, before, list, *task, option); err != nil {
			return err
		}
	}
	for _, t := range list {
		l.ended, l.closed = append(l.ended, t.UID), t.UID+1
	}
	l.say("%6s  round %d: %d tasks (%s), %d nodes, %d searches; %d of 202 in all, 0 lost, 0 twice, 0 torn, 0 diverged; seed %d",
		time.Since(begun).Round(time.Second), round, len(list), counts(ends), len(l.roster.all()), l.searches.Load(), l.book.acked, l.seed)
	return nil
}

// rage sends everything while harm is done; the first fault ends it.
func (l *life) rage(ctx context.Context, round uint64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	storm, calm := context.WithTimeout(ctx, l.storm)
	defer calm()
	var work sync.WaitGroup
	stream := round * 100
	run := func(f func() error) {
		work.Go(func() {
			if err := f(); err != nil {
				cancel(err)
			}
		})
	}
	for i := range 3 {
		g := newWriter(l.seed, fmt.Sprintf("w%d.%d", round, i), stream+uint64(i))
		run(func() error { return l.write(storm, g) })
	}
	admin := newWriter(l.seed, fmt.Sprintf("a%d", round), stream+10)
	run(func() error { return l.administer(storm, admin) })
	for i := range groupCount {
		g := newWriter(l.seed, fmt.Sprintf("g%d.%d", round, i), stream+20+uint64(i))
		run(func() error { return l.writeGroup(storm, g, i) })
	}
	for i := range 2 {
		run(func() error { return l.readGroups(storm, rand.New(rand.NewPCG(l.seed, stream+30+uint64(i)))) })
	}
	run(func() error { return l.hit(storm, rand.New(rand.NewPCG(l.seed, stream+40))) })
	work.Wait()
	return context.Cause(ctx)
}

// verify reads all copies on all nodes and compares them.
func (l *life) verify(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, l.binary, "verify", "--url=http://"+l.roster.all()[0].HTTP)
	cmd.Env = append(os.Environ(), "SHOAL_API_KEY="+masterKey)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("shoal verify: %w: %s", err, out)
	}
	l.verified++
	return nil
}

// counts shows numbers by name.
func counts(m map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[name], name))
	}
	return strings.Join(parts, ", ")
}

// table is the end of a life without a fault.
func (l *life) table(begun time.Time) {
	l.say("seed %d, %s", l.seed, time.Since(begun).Round(time.Second))
	for _, row := range []struct {
		what string
		n    any
	}{
		{"requests answered with 202", l.book.acked}, {"lost", 0}, {"carried out twice", 0}, {"stuck", 0},
		{"multi-searches", l.searches.Load()}, {"torn", 0}, {"reads explained by one order", l.history.Reads()},
		{"comparisons of all copies", l.verified}, {"diverged", 0},
		{"restored and compared", counts(l.restores)},
		{"changes of shards and copies", l.adjusted}, {"keys", len(l.keys)}, {"remotes", len(l.remotes)},
		{"tasks", counts(l.byKind)}, {"tasks that failed as they should", counts(l.failed)},
		{"requests refused", counts(l.book.refused)}, {"harms", counts(l.harms)},
		{"harms that this machine does not allow", strings.Join(slices.Sorted(maps.Keys(l.never)), ", ")},
	} {
		l.say("  %-40s %v", row.what, row.n)
	}
}
