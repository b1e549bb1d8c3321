package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// TestPlacementScript plays testdata/placement.txt: a cluster in; the decisions of
// the balancer and their reasons out.
//
//	cluster         a line a thing:
//	                node NAME [dead] [draining] [nodata] [voter]
//	                index NAME [replicas=N] SHARD ... where a shard is its copies, joined by
//	                commas: n1 is in sync, n1? is on its way
//	settle [wait=duration]   decisions after that time, then what the copies become when
//	                all have arrived, again and again until nothing is left to do
//	new mib=N documents=N    the shards of an index that begins with such an import
func TestPlacementScript(t *testing.T) {
	var c *coordtest.Catalog
	var dead map[wire.NodeID]bool
	now := time.Unix(1000, 0)
	var b *Balancer
	datadriven.RunTest(t, "testdata/placement.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "cluster":
			c, dead = readCluster(t, d)
			b = NewBalancer(BalancerConfig{Now: func() time.Time { return now }, Alive: func(n wire.NodeID) bool { return !dead[n] }})
			b.Plan(c) // who is away is seen
			return drawCluster(c)
		case "settle":
			var wait string
			if d.MaybeScanArgs(t, "wait", &wait) {
				away, err := time.ParseDuration(wait)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				now = now.Add(away)
			}
			var out strings.Builder
			for range 20 {
				decisions := b.Plan(c)
				if len(decisions) == 0 {
					return out.String() + drawCluster(c)
				}
				for _, one := range decisions {
					fmt.Fprintf(&out, "%s\n", one.Reason)
					carry(c, &one.Change)
				}
				out.WriteString("then\n")
			}
			return out.String() + "it never settles\n"
		case "new":
			var mib, documents int
			d.MaybeScanArgs(t, "mib", &mib)
			d.MaybeScanArgs(t, "documents", &documents)
			x := Placement{}.NewIndex(c, "new", Size{Bytes: int64(mib) << 20, Documents: uint64(documents)}, func(n wire.NodeID) bool { return dead[n] })
			return drawIndex(x)
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

func readCluster(t *testing.T, d *datadriven.TestData) (*coordtest.Catalog, map[wire.NodeID]bool) {
	c := coordtest.NewLog().State
	dead := map[wire.NodeID]bool{}
	for line := range strings.Lines(d.Input) {
		w := strings.Fields(line)
		switch w[0] {
		case "node":
			n := &wire.Node{ID: wire.NodeID(w[1]), Name: w[1], Data: !slices.Contains(w, "nodata"), Draining: slices.Contains(w, "draining"), Voter: slices.Contains(w, "voter")}
			c.Members = append(c.Members, n)
			dead[n.ID] = slices.Contains(w, "dead")
		case "index":
			x := &wire.Index{ID: uint32(len(c.ByID) + 1), UID: w[1]}
			for _, one := range w[2:] {
				if _, err := fmt.Sscanf(one, "replicas=%d", &x.ReplicaGoal); err == nil {
					continue
				}
				s := wire.Shard{Number: uint16(len(x.Shards))}
				for copied := range strings.SplitSeq(one, ",") {
					name, arriving := strings.CutSuffix(copied, "?")
					r := wire.Replica{Node: wire.NodeID(name), State: wire.InSync}
					if arriving {
						r.State = wire.Copying
					}
					s.Replicas = append(s.Replicas, r)
				}
				x.Shards = append(x.Shards, s)
			}
			c.ByID[x.ID] = x
		default:
			d.Fatalf(t, "what is %q?", line)
		}
	}
	return c, dead
}

// carry does what a decision says; a new copy arrives at once.
func carry(c *coordtest.Catalog, change *wire.ReplicaChange) {
	x := c.ByID[change.IndexID].Clone()
	for i := range x.Shards {
		s := &x.Shards[i]
		if s.Number != change.Shard {
			continue
		}
		s.Replicas = slices.DeleteFunc(slices.Clone(s.Replicas), func(r wire.Replica) bool { return r.Node == change.Replica.Node })
		if !change.Remove {
			s.Replicas = append(s.Replicas, wire.Replica{Node: change.Replica.Node, State: wire.InSync})
		}
	}
	c.ByID[x.ID] = x
}

func drawCluster(c *coordtest.Catalog) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.ByID)) {
		b.WriteString(drawIndex(c.ByID[id]))
	}
	return b.String()
}

func drawIndex(x *wire.Index) string {
	var b strings.Builder
	b.WriteString(x.UID)
	for i := range x.Shards {
		var copies []string
		for _, r := range x.Shards[i].Replicas {
			name := string(r.Node)
			if r.State != wire.InSync {
				name += "?"
			}
			copies = append(copies, name)
		}
		b.WriteString(" " + strings.Join(copies, ","))
	}
	return b.String() + "\n"
}
