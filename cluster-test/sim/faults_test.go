package sim

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// nemesis does harm to a cluster, as its seed says.
type nemesis struct {
	o      *outcome
	random *rand.Rand
	work   sync.WaitGroup // faults that last

	quiet quiet
	// emptied counts the disks that were lost, forgotten those that were put back.
	emptied, forgotten int
}

func newNemesis(o *outcome) *nemesis {
	n := &nemesis{o: o, random: o.random("nemesis")}
	n.quiet.changed = sync.NewCond(&n.quiet.mu)
	return n
}

// end waits for the faults that last, and starts what does not run.
func (n *nemesis) end() {
	n.work.Wait()
	for _, h := range n.o.known() {
		if !h.gone {
			h.start()
		}
	}
}

// quiet keeps faults apart that must be the only one. Who waits for it waits for a
// condition: the clock stands still for those who wait for a lock.
type quiet struct {
	mu      sync.Mutex
	changed *sync.Cond
	lasting int // faults that may go on at the same time
	alone   int // those that want to be, or are, the only one
	held    bool
}

func (q *quiet) enter() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.alone > 0 {
		q.changed.Wait()
	}
	q.lasting++
}

func (q *quiet) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lasting--
	q.changed.Broadcast()
}

func (q *quiet) only() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.alone++
	for q.lasting > 0 || q.held {
		q.changed.Wait()
	}
	q.held = true
}

func (q *quiet) over() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.alone, q.held = q.alone-1, false
	q.changed.Broadcast()
}

// fault is one kind of harm and how often it comes, relative to the others. It lasts for
// as long as it likes, and undoes what it did.
type fault struct {
	name  string
	often int
	do    func(n *nemesis, ctx context.Context, r *rand.Rand)
}

var faults = []fault{
	{"killed", 3, (*nemesis).kill},
	{"power", 4, (*nemesis).power},
	{"all", 1, (*nemesis).blackout},
	{"frozen", 3, (*nemesis).freeze},
	{"cut off", 3, (*nemesis).cutOff},
	{"one way", 2, (*nemesis).oneWay},
	{"partial", 2, (*nemesis).partial},
	{"slow", 2, (*nemesis).slow},
	{"skew", 2, (*nemesis).skew},
	{"disk", 1, (*nemesis).loseDisk},
	{"forgets", 2, (*nemesis).forget},
	{"member", 2, (*nemesis).member},
}

// harm is what a seed does to its cluster.
func harm(ctx context.Context, o *outcome) {
	n := newNemesis(o)
	// A seed has a few kinds of fault only: more of them together, fewer of them masked.
	kinds := slices.Clone(faults)
	n.random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:2+n.random.IntN(4)]
	total := 0
	for _, f := range kinds {
		total += f.often
	}
	gap := 300 + n.random.IntN(1500)
	for {
		pause(ctx, time.Duration(gap/2+n.random.IntN(gap))*time.Millisecond)
		if ctx.Err() != nil {
			break
		}
		pick := n.random.IntN(total)
		i := 0
		for ; pick >= kinds[i].often; i++ {
			pick -= kinds[i].often
		}
		r := rand.New(rand.NewPCG(n.random.Uint64(), 0))
		n.work.Go(func() { kinds[i].do(n, ctx, r) })
	}
	n.end()
}

// victim is a host on which a node has been started.
func (n *nemesis) victim(r *rand.Rand) *host {
	known := n.o.known()
	return known[r.IntN(len(known))]
}

// lasts waits for a while of at most some seconds; short ones come more often.
func lasts(ctx context.Context, r *rand.Rand, most time.Duration) {
	pause(ctx, time.Duration(r.Float64()*r.Float64()*float64(most)))
}

// away keeps a host without a process for a while.
func (n *nemesis) away(ctx context.Context, r *rand.Rand, h *host) {
	lasts(ctx, r, 4*time.Second)
	if !h.gone {
		h.start()
	}
}

func (n *nemesis) kill(ctx context.Context, r *rand.Rand) {
	n.quiet.enter()
	defer n.quiet.leave()
	h := n.victim(r)
	if h.kill(false) {
		n.o.note("%s is killed", h.name)
		n.away(ctx, r, h)
	}
}

// power fails while a host writes to its disk.
func (n *nemesis) power(ctx context.Context, r *rand.Rand) {
	n.quiet.enter()
	defer n.quiet.leave()
	h := n.victim(r)
	fell := make(chan struct{})
	h.disk.arm(1+r.IntN(100), func() {
		if h.kill(true) {
			n.o.note("%s loses power within a write", h.name)
		}
		close(fell)
	})
	t := time.NewTimer(time.Duration(r.IntN(1500)) * time.Millisecond)
	defer t.Stop()
	select {
	case <-fell:
	case <-t.C:
		if h.disk.disarm() && h.kill(true) {
			n.o.note("%s loses power", h.name)
		}
	}
	n.away(ctx, r, h)
}

// blackout takes the power of everybody.
func (n *nemesis) blackout(ctx context.Context, r *rand.Rand) {
	n.quiet.enter()
	defer n.quiet.leave()
	n.o.note("everybody loses power")
	hosts := n.o.known()
	for _, h := range hosts {
		h.kill(true)
	}
	r.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	for _, h := range hosts {
		n.away(ctx, r, h)
	}
}

// freeze stops what a host sends and takes. Its timers go on: a goroutine cannot be stopped.
func (n *nemesis) freeze(ctx context.Context, r *rand.Rand) {
	n.quiet.enter()
	defer n.quiet.leave()
	h := n.victim(r)
	n.o.note("%s stands still", h.name)
	n.o.net.change(func() { n.o.net.still[h.ip] = true })
	lasts(ctx, r, 6*time.Second)
	n.o.net.change(func() { delete(n.o.net.still, h.ip) })
	n.o.note("%s goes on", h.name)
}

// cut blocks ways for a while. A way that another fault has blocked is not touched.
func (n *nemesis) cut(ctx context.Context, r *rand.Rand, ways [][2]string) {
	n.quiet.enter()
	defer n.quiet.leave()
	net := n.o.net
	net.change(func() {
		ways = slices.DeleteFunc(ways, func(w [2]string) bool { return net.cuts[w] })
		for _, w := range ways {
			net.cuts[w] = true
		}
	})
	n.o.note("cut: %v", ways)
	lasts(ctx, r, 8*time.Second)
	net.change(func() {
		for _, w := range ways {
			delete(net.cuts, w)
		}
	})
	n.o.note("healed: %v", ways)
}

func (n *nemesis) cutOff(ctx context.Context, r *rand.Rand) {
	h := n.victim(r)
	var ways [][2]string
	for _, o := range n.o.hosts {
		if o != h {
			ways = append(ways, [2]string{h.ip, o.ip}, [2]string{o.ip, h.ip})
		}
	}
	n.cut(ctx, r, ways)
}

// oneWay lets a host be heard and not hear, or the other way round; of one host or of all.
func (n *nemesis) oneWay(ctx context.Context, r *rand.Rand) {
	h, only, in := n.victim(r), n.victim(r), r.IntN(2) == 0
	all := r.IntN(2) == 0
	var ways [][2]string
	for _, o := range n.o.hosts {
		switch {
		case o == h || !all && o != only:
		case in:
			ways = append(ways, [2]string{o.ip, h.ip})
		default:
			ways = append(ways, [2]string{h.ip, o.ip})
		}
	}
	n.cut(ctx, r, ways)
}

func (n *nemesis) partial(ctx context.Context, r *rand.Rand) {
	a, b := n.victim(r), n.victim(r)
	if a != b {
		n.cut(ctx, r, [][2]string{{a.ip, b.ip}, {b.ip, a.ip}})
	}
}

// slow makes the ways to a host long and loses packets.
func (n *nemesis) slow(ctx context.Context, r *rand.Rand) {
	n.quiet.enter()
	defer n.quiet.leave()
	h, net := n.victim(r), n.o.net
	d, loss := time.Duration(2+r.IntN(150))*time.Millisecond, r.Float64()*0.7
	n.o.note("%s is %s away, %.0f %% of its packets are lost", h.name, d, 100*loss)
	net.change(func() { net.slow[h.ip], net.loss[h.ip] = d, loss })
	lasts(ctx, r, 8*time.Second)
	net.change(func() { delete(net.slow, h.ip); delete(net.loss, h.ip) })
	n.o.note("%s is near again", h.name)
}

// skew sets the clock of a host.
func (n *nemesis) skew(_ context.Context, r *rand.Rand) {
	h := n.victim(r)
	d := time.Duration(r.NormFloat64() * float64([]time.Duration{time.Second, time.Minute, 24 * time.Hour}[r.IntN(3)]))
	n.o.note("the clock of %s is wrong by %s", h.name, d.Round(time.Millisecond))
	h.skew.Store(int64(d))
}

// loseDisk takes the disk of a host, while all copies of everything are there: nobody
// promises anything when the last one goes.
func (n *nemesis) loseDisk(ctx context.Context, r *rand.Rand) {
	n.quiet.only()
	defer n.quiet.over()
	h := n.victim(r)
	if n.emptied > 0 || h.gone || n.o.whole(ctx) != nil || !h.kill(true) {
		return
	}
	n.emptied++
	h.disk.replace()
	n.o.note("%s loses its disk", h.name)
	n.away(ctx, r, h)
}

// member starts a node that was not there, or removes it for good; then it is a new one.
func (n *nemesis) member(ctx context.Context, r *rand.Rand) {
	n.quiet.only()
	defer n.quiet.over()
	h := n.o.hosts[len(n.o.hosts)-1]
	if h.gone || !slices.Contains(n.o.known(), h) {
		n.o.note("%s joins", h.name)
		h.gone = false
		h.start()
		return
	}
	if n.emptied > 0 || n.o.whole(ctx) != nil || !h.kill(true) {
		return
	}
	h.gone = true
	h.disk.replace()
	n.o.note("%s is taken away", h.name)
	// The member that comes next has the same name: until this one is out it waits.
	for begun := time.Now(); time.Since(begun) < healsWithin; {
		a, err := n.o.clients.do(context.WithoutCancel(ctx), n.o.hosts[r.IntN(firstMembers)], 5*time.Second, "DELETE", "/cluster/nodes/"+h.name, nil)
		if err == nil && (a.status < 300 || a.status == http.StatusNotFound) {
			n.o.note("%s is removed: %d", h.name, a.status)
			return
		}
		time.Sleep(300 * time.Millisecond)
	}
	n.o.wrong("stuck: %s was not removed", h.name)
}
