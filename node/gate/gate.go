package gate

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limits bound unproven connections. A source is an IPv4 address, or the first 64 bits of
// an IPv6 address.
type Limits struct {
	// Total and PerSource are how many connections may be unproven at once. One more ends
	// the oldest one of its source, or of the source that has the most: a flood displaces
	// itself, and a silent connection holds its place only while nobody else needs it.
	Total, PerSource int
	// Burst is how many proofs a source may fail at once, Rate how many a second later on.
	// Beyond that its connections are refused before they cost any computing.
	Burst, Rate float64
}

// maxSources is how many sources have failures of their own on record. Further ones share
// one record, so that somebody with very many addresses costs no memory.
const maxSources = 4096

// Gate holds the unproven connections of one port. Safe for concurrent use.
type Gate struct {
	limits  Limits
	now     func() time.Time
	mu      sync.Mutex // guards the rest, and the fields of sources and visits
	total   int
	sources map[string]*source
	swept   time.Time // when sources were forgotten last
}

// source is one address that connections come from.
type source struct {
	name   string
	visits []*Visit // unproven, the oldest first
	// failed is the number of failures that were not forgiven by the time since.
	failed float64
	since  time.Time
}

// Visit is one unproven connection.
type Visit struct {
	gate *Gate
	from *source
	conn net.Conn
	gone bool
}

// New makes a gate.
func New(limits Limits) *Gate {
	return &Gate{limits: limits, now: time.Now, sources: map[string]*source{}}
}

// Enter admits a connection as unproven until Leave. It returns false if the source has
// failed too often; the caller then closes the connection. To make room it may close
// another unproven connection, whose reader gets an error.
func (g *Gate) Enter(conn net.Conn) (*Visit, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := g.source(conn.RemoteAddr())
	g.forgive(from)
	if from.failed > g.limits.Burst-1 {
		return nil, false
	}
	switch {
	case len(from.visits) >= g.limits.PerSource:
		from.visits[0].end()
	case g.total >= g.limits.Total:
		g.busiest().visits[0].end()
	}
	v := &Visit{gate: g, from: from, conn: conn}
	g.total++
	from.visits = append(from.visits, v)
	g.sources[from.name] = from
	return v, true
}

// Leave ends the visit: the other side has proven the secret, or failed to. It is called
// once.
func (v *Visit) Leave(proven bool) {
	g := v.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	v.leave()
	if !proven {
		from := g.source(v.conn.RemoteAddr())
		g.forgive(from)
		from.failed++
		g.sources[from.name] = from
		return
	}
	g.drop(v.from)
}

// end closes the connection of a visit that has to make room. The caller holds the lock.
func (v *Visit) end() {
	v.leave()
	_ = v.conn.Close() // its reader gets the error
}

// leave removes the visit. The caller holds the lock.
func (v *Visit) leave() {
	if v.gone {
		return
	}
	v.gone = true
	v.gate.total--
	for i, other := range v.from.visits {
		if other == v {
			v.from.visits = append(v.from.visits[:i], v.from.visits[i+1:]...)
			return
		}
	}
}

// source finds the record of an address. The caller holds the lock.
func (g *Gate) source(addr net.Addr) *source {
	name := sourceOf(addr)
	if s := g.sources[name]; s != nil {
		return s
	}
	if now := g.now(); len(g.sources) >= maxSources && now.Sub(g.swept) > time.Second {
		g.swept = now
		g.sweep()
	}
	if len(g.sources) >= maxSources {
		name = ""
		if s := g.sources[name]; s != nil {
			return s
		}
	}
	return &source{name: name, since: g.now()}
}

// sourceOf names the source of an address.
func sourceOf(addr net.Addr) string {
	if at, err := netip.ParseAddrPort(addr.String()); err == nil {
		ip := at.Addr().Unmap()
		if ip.Is4() {
			return ip.String()
		}
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	if host, _, err := net.SplitHostPort(addr.String()); err == nil {
		return host
	}
	return addr.String()
}

// forgive removes the failures that the passed time allows.
func (g *Gate) forgive(s *source) {
	now := g.now()
	if went := now.Sub(s.since); went > 0 {
		s.failed = max(0, s.failed-went.Seconds()*g.limits.Rate)
	}
	s.since = now
}

// drop forgets a source that has neither visits nor failures.
func (g *Gate) drop(s *source) {
	if len(s.visits) == 0 && s.failed == 0 && g.sources[s.name] == s {
		delete(g.sources, s.name)
	}
}

// sweep forgets all such sources.
func (g *Gate) sweep() {
	for _, s := range g.sources {
		g.forgive(s)
		g.drop(s)
	}
}

// busiest is the source with the most unproven connections.
func (g *Gate) busiest() *source {
	var most *source
	for _, s := range g.sources {
		if most == nil || len(s.visits) > len(most.visits) {
			most = s
		}
	}
	return most
}
