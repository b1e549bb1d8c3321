package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shoal/consensus"
	"shoal/node"
	"shoal/node/config"
	"shoal/node/machine"
	"shoal/wire"
)

// cluster is some hosts, the network between them and a diary.
type cluster struct {
	t       *testing.T
	seed    uint64
	plant   string // a defect
	disks   uint64 // how large each host's is, as its system tells
	net     *network
	trace   *trace
	hosts   []*host
	scratch string
	work    sync.WaitGroup // processes, those that were killed too
	begun   time.Time

	mu     sync.Mutex
	diary  []string
	faults []string // what must not be
	stop   bool

	started []*host
}

// host is one machine. Its process comes and goes, its disk stays.
type host struct {
	c        *cluster
	name, ip string
	joins    bool // is not one of the first members
	disk     *disk
	skew     atomic.Int64 // of its clock, nanoseconds
	gone     bool         // it was taken away; belongs to the nemesis

	mu   sync.Mutex
	life *life    // nil while no process runs
	last *witness // of the newest process
	wake func()
	// forked is why the last process ended, if it was for two histories, and mayFork
	// whether that is no fault of the product.
	forked  error
	mayFork bool
}

// life is one process.
type life struct {
	port   *port
	cancel context.CancelFunc
	done   chan struct{}
	seen   *witness
}

// secret is that of all simulated clusters.
const secret = "6f1d3c0b9a8e7f66554433221100ffeeddccbbaa99887766554433221100ab1e"

func newCluster(t *testing.T, seed, disks uint64, first, later int) *cluster {
	c := &cluster{t: t, seed: seed, disks: disks, net: newNetwork(seed), scratch: t.TempDir(), begun: time.Now()}
	c.trace = newTrace(c.begun)
	for i := range first + later {
		name := fmt.Sprintf("n%d", i+1)
		c.hosts = append(c.hosts, &host{
			c: c, name: name, ip: fmt.Sprintf("10.0.0.%d", i+1), joins: i >= first, disk: newDisk(c.random("disk "+name), disks), wake: func() {},
		})
	}
	return c
}

// random is the source of one thing's randomness, so that one does not disturb another.
func (c *cluster) random(of string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, of)
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// note writes something down.
func (c *cluster) note(format string, a ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.diary = append(c.diary, fmt.Sprintf("%9.4f  %s", time.Since(c.begun).Seconds(), fmt.Sprintf(format, a...)))
}

// wrong notes something that must not be.
func (c *cluster) wrong(format string, a ...any) {
	c.note("WRONG: "+format, a...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, a...))
}

// known are the hosts on which a node has been started.
func (c *cluster) known() []*host {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.started)
}

func (h *host) config() config.Config {
	cfg := config.DefaultConfig()
	cfg.DBPath, cfg.Name, cfg.ClusterSecret = dataFolder, h.name, secret
	cfg.HTTPAddr, cfg.PeerAddr, cfg.GossipAddr = h.ip+":7700", h.ip+":7701", h.ip+":7946"
	cfg.MemoryLimit, cfg.DefaultShards, cfg.ScrubInterval = 64<<20, 2, 0
	cfg.LogLevel = *logLevel
	for _, o := range h.c.hosts {
		switch {
		case o.joins:
		case h.joins:
			cfg.Join = append(cfg.Join, o.ip+":7946")
		default:
			cfg.InitMembers = append(cfg.InitMembers, o.name+"="+o.ip+":7701")
		}
	}
	return cfg
}

// start begins a process on the host, unless one runs.
func (h *host) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life != nil {
		return
	}
	h.wake()
	h.wake = func() {}
	c := h.c
	cfg := h.config()
	if err := cfg.Validate(); err != nil {
		c.wrong("%s: %v", h.name, err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &life{port: c.net.port(h.ip), cancel: cancel, done: make(chan struct{}), seen: &witness{trace: c.trace}}
	h.life, h.last = l, l.seen
	c.mu.Lock()
	scratch := filepath.Join(c.scratch, fmt.Sprintf("%s-%d", h.name, len(c.diary)))
	if !slices.Contains(c.started, h) {
		c.started = append(c.started, h)
	}
	c.mu.Unlock()
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		c.wrong("%v", err)
	}
	c.note("%s starts", h.name)
	latency := c.random(fmt.Sprint("latency ", h.name, c.net.source(h.ip, "life").Uint64()))
	on := &machine.Machine{
		Network: l.port,
		Clock: consensus.Clock{
			Elapsed: func() time.Duration { return time.Since(c.begun) },
			Now:     func() time.Time { return time.Now().Add(time.Duration(h.skew.Load())) },
		},
		Files: h.disk.files(scratch, func() { time.Sleep(time.Duration(20+latency.IntN(400)) * time.Microsecond) }, c.plant == "nosync", l.seen),
		Log:   &lines{h: h, port: l.port}, Shared: true,
		Died: func(why error) { h.vanish(l, why) },
		Observe: func(id wire.NodeID) consensus.Observer {
			c.note("%s is node %s", h.name, id)
			l.seen.id = string(id)
			return l.seen
		},
	}
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		defer close(l.done)
		err := node.RunOn(ctx, cfg, on)
		h.ended(l, err)
	}()
}

// ended looks at the end of a process. One that ended by itself is started again, as
// whoever keeps processes running would.
func (h *host) ended(l *life, err error) {
	h.mu.Lock()
	mine := h.life == l
	if mine {
		h.life = nil
		l.seen.stops()
	}
	h.mu.Unlock()
	if !mine {
		return // killed, or noted already: it may say what it wants
	}
	h.judge(err)
}

// judge says whether a process may have ended so.
func (h *host) judge(err error) {
	h.c.mu.Lock()
	stop := h.c.stop
	h.c.mu.Unlock()
	if stop {
		if err != nil {
			h.c.wrong("%s closes with: %v", h.name, err)
		}
		return
	}
	if h.tookBack(err) {
		h.c.note("%s ends: %v", h.name, err)
		return
	}
	h.c.wrong("%s ended by itself: %v", h.name, err)
}

// vanish takes network and disk away from a process that ends without closing anything.
func (h *host) vanish(l *life, why error) {
	h.mu.Lock()
	mine := h.life == l
	if mine {
		h.life = nil
		l.seen.stops()
		h.disk.crash(false)
		h.wake = l.port.kill(true)
	}
	h.mu.Unlock()
	if mine {
		h.judge(why)
	}
}

// tookBack notes that a process ended for two histories, if it may.
func (h *host) tookBack(err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.mayFork || !errors.Is(err, consensus.ErrForked) {
		return false
	}
	h.forked = err
	return true
}

// expectFork says that the next processes of the host may end for two histories, or that
// they may not any more.
func (h *host) expectFork(may bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mayFork, h.forked = may, nil
}

// parted is why the host's process ended for two histories, nil if it did not.
func (h *host) parted() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.forked
}

// kill ends a process as a signal or a loss of power does. The old process closes where
// nobody sees it.
func (h *host) kill(power bool) bool {
	h.disk.disarm()
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.life
	if l == nil {
		return false
	}
	h.life = nil
	l.seen.stops()
	h.disk.crash(power)
	h.wake = l.port.kill(!power)
	l.cancel()
	h.c.net.change(func() { delete(h.c.net.still, h.ip) })
	return true
}

// runs tells whether a process is there.
func (h *host) runs() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.life != nil
}

// shutdown ends all processes in order and waits for them.
func (c *cluster) shutdown() {
	c.mu.Lock()
	c.stop = true
	c.mu.Unlock()
	for _, h := range c.hosts {
		h.mu.Lock()
		if h.life != nil {
			h.life.cancel()
		}
		h.mu.Unlock()
	}
	c.work.Wait()
	time.Sleep(time.Minute) // probes of memberlist that wait for an answer outlive it
}

// lines takes what a node logs into the diary.
type lines struct {
	h    *host
	port *port
}

func (l *lines) Write(p []byte) (int, error) {
	l.port.mu.Lock()
	dead := l.port.dead
	l.port.mu.Unlock()
	if dead {
		return len(p), nil // nobody reads what a process writes after its end
	}
	text := string(bytes.TrimSpace(p))
	if _, rest, ok := strings.Cut(text, " "); ok && strings.HasPrefix(text, "time=") {
		text = rest
	}
	l.h.c.note("%s: %s", l.h.name, text)
	return len(p), nil
}
