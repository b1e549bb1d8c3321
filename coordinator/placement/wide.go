package placement

import (
	"cmp"
	"fmt"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/coordinator"
	"shoal/wire"
)

// A small index gets a copy on every data node, so that each of them answers alone
// (docs/adr/0040). The leader decides by what the log says, and writes the decision into the
// log (wire.Index.Wide).

// MaxWide is the most copies that an index gets for being small.
const MaxWide = 5

// Parts of the smallest disk of the data nodes. Those for being made wide are smaller, so
// that an index that grows and shrinks a little keeps its copies.
const (
	// An index above one part in largeAbove is wide no longer, one below one part in
	// smallBelow is made wide.
	largeAbove, smallBelow = 10, 20
	// All wide indexes together take one part in togetherAbove at most, and others are made
	// wide while they take less than one part in togetherBelow.
	togetherAbove, togetherBelow = 4, 5
)

// embeddingBytes is what an embedding counts: 1,536 numbers of four bytes. The catalogue does
// not tell how many numbers the embeddings of an index have.
const embeddingBytes = 6 << 10

// diskBytes is about what a copy of an index takes on a disk.
func diskBytes(x *wire.Index) (n uint64) {
	for i := range x.Stats {
		n += x.Stats[i].RawBytes + embeddingBytes*x.Stats[i].Embeddings
	}
	return n
}

// smallestDisk is the size of the smallest disk of the data nodes; 0 when a node does not
// tell, or runs an older program.
func smallestDisk(c coordinator.Catalog) (size uint64) {
	if c.Spoken() < wire.WideSince {
		return 0
	}
	for _, n := range c.Nodes() {
		switch {
		case !n.Data || n.Draining:
		case n.Disk == 0:
			return 0
		case size == 0 || n.Disk < size:
			size = n.Disk
		}
	}
	return size
}

// beginsWide tells whether a new index is wide that takes so many bytes of a disk.
func (p Placement) beginsWide(c coordinator.Catalog, bytes uint64) bool {
	return p.Replicas == 0 && bytes*smallBelow < smallestDisk(c)
}

// Arrived is the record of an index that comes from another cluster as it is in this one: wide
// or not by the disks here, with nothing under way. It stays the caller's.
func (p Placement) Arrived(c coordinator.Catalog, x *wire.Index) *wire.Index {
	next := x.Clone()
	next.Next, next.ShardGoal = nil, 0
	next.Wide = p.beginsWide(c, diskBytes(x))
	return next
}

// full tells whether the disk of a node is nearly full.
func (p Placement) full(n wire.NodeID) bool { return p.Full != nil && p.Full(n) }

// judgeWidths decides which indexes become wide, and which are so no longer.
func (p *planner) judgeWidths() {
	disk := smallestDisk(p.c)
	if disk == 0 || p.Placement.Replicas > 0 || p.goals.of(wanted{wide: true}) == p.goals.of(wanted{}) {
		return // nobody can tell, or it makes no difference
	}
	together := uint64(0)
	var wide, small []*wire.Index
	for _, x := range p.c.Indexes() {
		size := diskBytes(x)
		switch {
		case x.ReplicaGoal > 0:
		case x.Wide && size*largeAbove > disk:
			p.widen(x, false, "%s is more than a tenth of the smallest disk (%s)", jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
		case x.Wide:
			together += size
			wide = append(wide, x)
		case size*smallBelow < disk:
			small = append(small, x)
		}
	}
	if together*togetherAbove > disk {
		slices.SortStableFunc(wide, func(a, b *wire.Index) int { return cmp.Compare(diskBytes(b), diskBytes(a)) })
	}
	for _, x := range wide {
		if together*togetherAbove <= disk {
			break
		}
		p.widen(x, false, "the indexes on every node take %s together, more than a quarter of the smallest disk (%s)", jsonvalue.HumanBinarySize(together), jsonvalue.HumanBinarySize(disk))
		together -= diskBytes(x)
	}
	for _, x := range small {
		if size := diskBytes(x); (together+size)*togetherBelow < disk {
			together += size
			p.widen(x, true, "%s is less than a twentieth of the smallest disk (%s)", jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
		}
	}
}

// widen decides that an index is wide from now on, or is so no longer. What is too much for
// one pass is decided by the next one: half of its decisions are left to copies.
func (p *planner) widen(x *wire.Index, wide bool, reason string, args ...any) {
	if len(p.widths) >= maxDecisions/2 {
		return
	}
	becomes := fmt.Sprintf("back to %d copies: ", p.goals.of(wanted{}))
	if wide {
		becomes = fmt.Sprintf("%d copies: ", p.goals.of(wanted{wide: true}))
	}
	p.widths[x.ID] = wide
	p.out = append(p.out, Decision{
		Change: wire.Change{PutWide: &wire.WideChange{IndexID: x.ID, Wide: wide}},
		Reason: x.UID + ": " + becomes + fmt.Sprintf(reason, args...),
	})
}

// wanted returns the number of copies that the record of an index asks for, after the latest
// decisions.
func (p *planner) wanted(x *wire.Index) wanted {
	w := wantedOf(x)
	if wide, decided := p.widths[x.ID]; decided {
		w.wide = wide
	}
	return w
}

// reasons say why indexes have as many copies as they should have.
type reasons struct {
	*goals
	nodes int    // that hold data
	disk  uint64 // smallestDisk
}

func (p Placement) reasonsIn(c coordinator.Catalog) reasons {
	return reasons{p.goalsOf(c), len(dataNodes(c)), smallestDisk(c)}
}

// why says it of one index.
func (g *reasons) why(x *wire.Index) string {
	p, nodes, disk, goal, size := g.p, g.nodes, g.disk, g.of(wantedOf(x)), diskBytes(x)
	limit := ""
	if want := cmp.Or(max(0, x.ReplicaGoal), p.Replicas); want > goal {
		limit = fmt.Sprintf(" (%s), no more nodes hold data", number(want))
	}
	switch {
	case x.ReplicaGoal > 0:
		return number(goal) + ": set for this index" + limit
	case p.Replicas > 0:
		return number(goal) + ": --default-replicas" + limit
	case nodes == 1:
		return "one: one node holds data"
	case x.Wide && goal > g.of(wanted{}):
		where := "on every node"
		if nodes > goal {
			where = fmt.Sprintf("on %s of %s nodes", number(goal), number(nodes))
		}
		switch {
		case disk == 0:
			return where + ": " + jsonvalue.HumanBinarySize(size)
		case size*largeAbove > disk:
			return fmt.Sprintf("%s: %s, until the leader takes some away: more than a tenth of the smallest disk (%s)", where, jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
		}
		return fmt.Sprintf("%s: %s, less than a tenth of the smallest disk (%s)", where, jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
	}
	says := number(goal) + ": " + survives(spare(g.c))
	if g.of(wanted{wide: true}) == goal || disk == 0 {
		return says
	}
	switch {
	case size*largeAbove > disk:
		return fmt.Sprintf("%s; %s is more than a tenth of the smallest disk (%s)", says, jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
	case size*smallBelow >= disk:
		return fmt.Sprintf("%s; %s, every node gets one below a twentieth of the smallest disk (%s)", says, jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
	}
	return fmt.Sprintf("%s; %s, and the indexes on every node take their part of the smallest disk (%s)", says, jsonvalue.HumanBinarySize(size), jsonvalue.HumanBinarySize(disk))
}

func survives(failures int) string {
	switch failures {
	case 0:
		return "one node votes"
	case 1:
		return "survives one failure"
	}
	return "survives " + number(failures) + " failures"
}

// number is a small number in words.
func number(n int) string {
	if words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
