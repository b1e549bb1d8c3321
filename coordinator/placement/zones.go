package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"shoal/coordinator"
	"shoal/wire"
)

// zones maps nodes to their zones. It is nil while zones do not count (wire.Zoned).
type zones map[wire.NodeID]string

func zonesOf(c coordinator.Catalog) zones {
	nodes := c.Nodes()
	if !wire.Zoned(nodes) {
		return nil
	}
	z := zones{}
	for _, n := range nodes {
		z[n.ID] = n.Zone
	}
	return z
}

// beside counts the nodes that are in the zone of n. It is 0 while zones do not count.
func (z zones) beside(n wire.NodeID, nodes []wire.NodeID) (count int) {
	if z == nil {
		return 0
	}
	for _, other := range nodes {
		if z[other] == z[n] {
			count++
		}
	}
	return count
}

// best picks the node for one more copy of a shard. have are the nodes with copies. It prefers
// zones with the fewest copies, then the least load, then the lowest id. It returns "" if no
// node is free.
func (z zones) best(free, have []wire.NodeID, load map[wire.NodeID]int) wire.NodeID {
	if len(free) == 0 {
		return ""
	}
	return slices.MinFunc(free, func(a, b wire.NodeID) int {
		return cmp.Or(cmp.Compare(z.beside(a, have), z.beside(b, have)), cmp.Compare(load[a], load[b]), cmp.Compare(a, b))
	})
}

// spreadZones moves one copy of one shard out of a zone, if that zone has at least two copies
// more than another zone with a free node.
func (p *planner) spreadZones() {
	if p.zones == nil {
		return
	}
	for _, x := range p.c.Indexes() {
		for i := range x.Shards {
			s := &x.Shards[i]
			if len(s.Replicas) != inSyncCount(s) {
				continue
			}
			have := p.staying(s)
			to := p.zones.best(p.free(s), have, p.load)
			if to == "" || p.incoming[to] > 0 || p.Placement.full(to) {
				continue
			}
			for _, from := range have {
				if p.zones.beside(from, have) < p.zones.beside(to, have)+2 {
					continue
				}
				r := wire.Replica{Node: to, Incarnation: p.Placement.IncarnationOf(to), State: wire.Copying}
				p.decide(x, s, r, false, "a copy moves to %s in zone %s, zone %s has %d", p.name(to), p.zones[to], p.zones[from], p.zones.beside(from, have))
				return
			}
		}
	}
}

// zonesAtRisk reports what the loss of a zone would cost. If only some members name a zone, it
// reports the others instead. It looks at where votes and complete copies are, whether or not
// their nodes answer now. Other conditions report nodes that do not answer and shards that miss
// copies.
func (v *View) zonesAtRisk(p Placement, add func(name, says string, args ...any)) {
	if untold := v.untold(); len(untold) > 0 {
		verb := "names"
		if len(untold) > 1 {
			verb = "name"
		}
		add(ZonesAtRisk, "%s %s no zone: nothing is spread over zones until all members do (--zone)", names(untold), verb)
		return
	}
	z := zonesOf(v.Catalog)
	if z == nil {
		return
	}
	votes, only := map[string]int{}, v.onlyIn(p, z)
	for _, id := range v.Voters {
		votes[z[id]]++
	}
	var says []string
	for _, zone := range z.names() {
		var loss []string
		if n := len(v.Voters); n > 1 && n-votes[zone] < wire.Majority(n) {
			loss = append(loss, fmt.Sprintf("writes stop (it has %d of %d votes)", votes[zone], n))
		}
		if held := only[zone]; len(held) > 0 {
			verb := "does"
			if len(held) > 1 {
				verb = "do"
			}
			loss = append(loss, fmt.Sprintf("%s %s not answer (it has all copies)", names(held), verb))
		}
		if len(loss) > 0 {
			says = append(says, fmt.Sprintf("if zone %s dies, %s", zone, strings.Join(loss, " and ")))
		}
	}
	if len(says) > 0 {
		add(ZonesAtRisk, "%s", strings.Join(says, "; "))
	}
}

// untold names the members without a zone, if others have one.
func (v *View) untold() (called []string) {
	some := false
	for _, n := range v.Catalog.Nodes() {
		if n.Zone != "" {
			some = true
		} else if n.Data || n.Voter {
			called = append(called, v.name(n.ID))
		}
	}
	if !some {
		return nil
	}
	slices.Sort(called)
	return called
}

// onlyIn lists by zone the indexes with a shard that has as many complete copies as it
// needs, all of them there.
func (v *View) onlyIn(p Placement, z zones) map[string][]string {
	only, goals := map[string][]string{}, p.goalsOf(v.Catalog)
	for _, x := range v.Catalog.Indexes() {
		needed := goals.needed(x)
		var here []string // zones that have all copies of some shard of x
		for i := range x.Shards {
			s := &x.Shards[i]
			if zone, ok := z.holds(s); ok && inSyncCount(s) >= needed && !slices.Contains(here, zone) {
				here = append(here, zone)
				only[zone] = append(only[zone], x.UID)
			}
		}
	}
	return only
}

// holds finds the zone that has all complete copies of a shard.
func (z zones) holds(s *wire.Shard) (zone string, ok bool) {
	for _, r := range s.Replicas {
		at, known := z[r.Node]
		switch {
		case r.State != wire.InSync || !known:
		case !ok:
			zone, ok = at, true
		case at != zone:
			return "", false
		}
	}
	return zone, ok
}

// names lists the zones by name.
func (z zones) names() (all []string) {
	for _, zone := range z {
		if !slices.Contains(all, zone) {
			all = append(all, zone)
		}
	}
	slices.Sort(all)
	return all
}

// ZoneStatus describes one zone and what would be lost with it.
type ZoneStatus struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
	Alive int    `json:"alive"` // members that answer
	Votes int    `json:"votes"`
	// OnlyHere counts the indexes of which a shard has enough complete copies, but all of them
	// in this zone.
	OnlyHere int `json:"onlyHere"`
}

// Zones describes the zones by name. It returns nil while zones do not count.
func (v *View) Zones(p Placement) []ZoneStatus {
	z := zonesOf(v.Catalog)
	if z == nil {
		return nil
	}
	only := v.onlyIn(p, z)
	out := []ZoneStatus{}
	for _, zone := range z.names() {
		one := ZoneStatus{Name: zone, OnlyHere: len(only[zone])}
		for id, in := range z {
			if in != zone {
				continue
			}
			one.Nodes++
			if v.answers(id) {
				one.Alive++
			}
			if slices.Contains(v.Voters, id) {
				one.Votes++
			}
		}
		out = append(out, one)
	}
	return out
}
