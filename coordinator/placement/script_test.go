package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
//	                node ID [name=NAME] [zone=ZONE] [disk=GIB] [full] [dead] [draining] [nodata] [voter] [older]
//	                where full is a disk that nearly is, older a program that knows no small indexes
//	                index NAME [wide] [replicas=N] [shards=N] [version=N] [documents=N] [mib=N] SHARD ...
//	                where shards=N is a number that is wanted, documents and mib are those of
//	                each shard, and a shard is its copies, joined by commas: n1 is in sync,
//	                n1? is still copying, n1! has caught up
//	settle [wait=duration]   decisions after that time, then the copies once all have
//	                arrived, repeated until nothing is left to do
//	pass            the decisions of one pass; its new copies are not in sync yet
//	arrive          all copies become in sync
//	status          what GET /cluster/status says
//	new mib=N documents=N    the shards of an index that begins with such an import
func TestPlacementScript(t *testing.T) { play(t, "testdata/placement.txt") }

// TestStatusScript plays testdata/status.txt, with the same commands.
func TestStatusScript(t *testing.T) { play(t, "testdata/status.txt") }

// TestWideScript plays testdata/wide.txt, with the same commands: small indexes get a copy on
// every node.
func TestWideScript(t *testing.T) { play(t, "testdata/wide.txt") }

func play(t *testing.T, script string) {
	var c *coordtest.Catalog
	var dead, full map[wire.NodeID]bool
	now := time.Unix(1000, 0)
	var b *Balancer
	var p Placement
	datadriven.RunTest(t, script, func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "cluster":
			c, dead, full = readCluster(t, d)
			p.Full = func(n wire.NodeID) bool { return full[n] }
			b = NewBalancer(BalancerConfig{Placement: p, Now: func() time.Time { return now }, Alive: func(n wire.NodeID) bool { return !dead[n] }})
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
					arrive(c)
				}
				out.WriteString("then\n")
			}
			return out.String() + "it never settles\n"
		case "pass":
			var out strings.Builder
			for _, one := range b.Plan(c) {
				fmt.Fprintf(&out, "%s\n", one.Reason)
				carry(c, &one.Change)
			}
			return out.String() + drawCluster(c)
		case "arrive":
			arrive(c)
			return drawCluster(c)
		case "status":
			log := coordtest.NewLog()
			log.State = c
			return drawStatus(NewCluster(log, p, nil).Status(viewOf(c, dead), Work{}))
		case "new":
			var mib, documents int
			d.MaybeScanArgs(t, "mib", &mib)
			d.MaybeScanArgs(t, "documents", &documents)
			x := p.NewIndex(c, "new", Size{Bytes: int64(mib) << 20, Documents: uint64(documents)}, func(n wire.NodeID) bool { return dead[n] })
			return drawIndex(x)
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

// viewOf is the view of the first node that answers. It leads unless more than half of the
// voters are dead.
func viewOf(c *coordtest.Catalog, dead map[wire.NodeID]bool) *View {
	v := &View{Catalog: c, Fresh: true, Answers: map[wire.NodeID]bool{}}
	alive := 0
	for _, n := range c.Nodes() {
		v.Answers[n.ID] = !dead[n.ID]
		if n.Voter {
			v.Voters = append(v.Voters, n.ID)
			if !dead[n.ID] {
				alive++
				v.Leader = cmp.Or(v.Leader, n.ID)
			}
		}
	}
	if len(v.Voters) == 0 {
		v.Voters, v.Leader = []wire.NodeID{c.Nodes()[0].ID}, c.Nodes()[0].ID
	} else if alive < wire.Majority(len(v.Voters)) {
		v.Leader = ""
	}
	return v
}

func readCluster(t *testing.T, d *datadriven.TestData) (c *coordtest.Catalog, dead, full map[wire.NodeID]bool) {
	c, dead, full = coordtest.NewLog().State, map[wire.NodeID]bool{}, map[wire.NodeID]bool{}
	for line := range strings.Lines(d.Input) {
		w := strings.Fields(line)
		switch w[0] {
		case "node":
			n := &wire.Node{ID: wire.NodeID(w[1]), Data: !slices.Contains(w, "nodata"), Draining: slices.Contains(w, "draining"), Voter: slices.Contains(w, "voter"), Version: wire.Version}
			if slices.Contains(w, "older") {
				n.Version = wire.WideSince - 1
			}
			full[n.ID] = slices.Contains(w, "full")
			for _, one := range w[2:] {
				if name, named := strings.CutPrefix(one, "name="); named {
					n.Name = name
				}
				if zone, named := strings.CutPrefix(one, "zone="); named {
					n.Zone = zone
				}
				if gib, named := strings.CutPrefix(one, "disk="); named {
					size, err := strconv.ParseUint(gib, 10, 64)
					if err != nil {
						d.Fatalf(t, "%s: %v", one, err)
					}
					n.Disk = size << 30
				}
			}
			c.Members = append(c.Members, n)
			dead[n.ID] = slices.Contains(w, "dead")
		case "index":
			x := readIndex(t, w[1], w[2:])
			x.ID = uint32(len(c.ByID) + 1)
			c.ByID[x.ID] = x
		default:
			d.Fatalf(t, "what is %q?", line)
		}
	}
	return c, dead, full
}

func readIndex(t testing.TB, uid string, words []string) *wire.Index {
	x := &wire.Index{UID: uid}
	var each wire.ShardStats
	mib := uint64(0)
	for _, one := range words {
		if one == "wide" {
			x.Wide = true
			continue
		}
		name, value, isOption := strings.Cut(one, "=")
		if !isOption {
			s := wire.Shard{Number: uint16(len(x.Shards))}
			for copied := range strings.SplitSeq(one, ",") {
				s.Replicas = append(s.Replicas, readCopy(copied))
			}
			x.Shards = append(x.Shards, s)
			continue
		}
		at := map[string]any{"replicas": &x.ReplicaGoal, "shards": &x.ShardGoal, "version": &x.Version, "documents": &each.Documents, "mib": &mib}[name]
		if _, err := fmt.Sscan(value, at); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
	}
	each.RawBytes = mib << 20
	n := len(x.Shards)
	for i := range x.Shards {
		x.Shards[i].SlotLo, x.Shards[i].SlotHi = uint32(i*wire.Slots/n), uint32((i+1)*wire.Slots/n)
		if each.Documents+each.RawBytes > 0 {
			x.Stats = append(x.Stats, each)
		}
	}
	return x
}

// marks are what scripts write after the node of a copy.
var marks = map[wire.ReplicaState]string{wire.InSync: "", wire.Copying: "?", wire.CaughtUp: "!"}

func readCopy(word string) wire.Replica {
	for state, mark := range marks {
		if node, ok := strings.CutSuffix(word, mark); ok && mark != "" {
			return wire.Replica{Node: wire.NodeID(node), State: state}
		}
	}
	return wire.Replica{Node: wire.NodeID(word), State: wire.InSync}
}

// carry does what a decision says.
func carry(c *coordtest.Catalog, d *wire.Change) {
	if wide := d.PutWide; wide != nil {
		x := c.ByID[wide.IndexID].Clone()
		x.Wide = wide.Wide
		c.ByID[x.ID] = x
		return
	}
	change := d.PutReplica
	x := c.ByID[change.IndexID].Clone()
	for i := range x.Shards {
		s := &x.Shards[i]
		if s.Number != change.Shard {
			continue
		}
		s.Replicas = slices.DeleteFunc(slices.Clone(s.Replicas), func(r wire.Replica) bool { return r.Node == change.Replica.Node })
		if !change.Remove {
			s.Replicas = append(s.Replicas, change.Replica)
		}
	}
	c.ByID[x.ID] = x
}

// arrive puts all copies in sync.
func arrive(c *coordtest.Catalog) {
	for id, x := range c.ByID {
		x = x.Clone()
		for i := range x.Shards {
			for j := range x.Shards[i].Replicas {
				x.Shards[i].Replicas[j].State = wire.InSync
			}
		}
		c.ByID[id] = x
	}
}

func drawStatus(st *ClusterStatus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\nhealthy %v, available %v\n", st.State.Level, st.State.Says, st.Healthy, st.Available)
	for _, n := range st.Nodes {
		fmt.Fprintf(&b, "%s: alive %v, draining %v, data %v; copies %d, in sync %d\n", n.ID, n.Alive, n.Draining, n.Data, n.Replicas, n.InSync)
	}
	for _, z := range st.Zones {
		fmt.Fprintf(&b, "zone %s: nodes %d, alive %d, votes %d, only here %d\n", z.Name, z.Nodes, z.Alive, z.Votes, z.OnlyHere)
	}
	for _, x := range st.Indexes {
		fmt.Fprintf(&b, "%s: documents %d, copies wanted %s", x.UID, x.Documents, x.ReplicaReason)
		if x.ShardsWanted > 0 {
			fmt.Fprintf(&b, ", shards wanted %d", x.ShardsWanted)
		}
		b.WriteString("\n")
		for _, s := range x.Shards {
			fmt.Fprintf(&b, "  %d [%d, %d) documents %d, bytes %d:", s.Number, s.From, s.To, s.Documents, s.Bytes)
			for _, r := range s.Replicas {
				fmt.Fprintf(&b, " %s=%s %s alive %v;", r.Node, r.Name, r.State, r.Alive)
			}
			b.WriteString("\n")
		}
		if x.Plan != "" {
			fmt.Fprintf(&b, "  %s\n", x.Plan)
		}
	}
	return b.String()
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
	if x.Wide {
		b.WriteString(" wide")
	}
	for i := range x.Shards {
		var copies []string
		for _, r := range x.Shards[i].Replicas {
			copies = append(copies, string(r.Node)+marks[r.State])
		}
		b.WriteString(" " + strings.Join(copies, ","))
	}
	return b.String() + "\n"
}
