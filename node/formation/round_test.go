package formation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/node/machine"
	"shoal/wire"
)

// world is a network of folders, asked and answered in any order.
type world struct {
	r       *rand.Rand
	list    []string
	nodes   map[string]*node
	folders []*node // all there ever were
	dead    map[string]bool
}

// node is the process of one folder.
type node struct {
	self     Member
	promised Members
	begun    bool
	joined   bool
	round    *round
}

// round is one open round: the answers, and which of them have arrived.
type round struct {
	mine     Word
	answered map[string]Word
	arrived  map[string]Word
}

func newWorld(seed uint64, n int) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, uint64(n))), nodes: map[string]*node{}, dead: map[string]bool{}}
	for i := range n {
		w.list = append(w.list, string(rune('a'+i)))
	}
	for _, name := range w.list {
		w.empty(name)
	}
	return w
}

// empty gives a member a new folder.
func (w *world) empty(name string) {
	n := &node{self: Member{name, wire.NodeID(fmt.Sprintf("%s%d", name, len(w.folders)))}}
	w.nodes[name] = n
	w.folders = append(w.folders, n)
}

func (w *world) word(n *node) Word {
	o := Word{Self: n.self, List: w.list, Promised: n.promised, Begun: n.begun, Used: n.begun || n.joined}
	if set := fmt.Sprint(n.promised); n.begun && w.able()[set] > 0 {
		o.Cluster = set
	}
	return o
}

func (w *world) step(name string) {
	n := w.nodes[name]
	if n.begun || n.joined || w.dead[name] {
		return
	}
	if n.round == nil {
		n.round = &round{mine: w.word(n), answered: map[string]Word{}, arrived: map[string]Word{}}
		return
	}
	other := w.list[w.r.IntN(len(w.list))]
	answer, answered := n.round.answered[other]
	switch {
	case other == name || w.r.IntN(30) == 0:
		n.finish()
	case answered:
		n.round.arrived[other] = answer
	case !w.dead[other]:
		n.round.answered[other] = w.word(w.nodes[other])
	}
}

// finish takes the step that the round leads to.
func (n *node) finish() {
	r := Round{Mine: n.round.mine, Listed: n.round.arrived}
	n.round = nil
	switch s := r.Next(); s.Kind {
	case Promise:
		n.promised = s.Members
	case Begin:
		n.promised, n.begun = s.Members, true
	case Join:
		n.joined = true
	}
}

// able are the sets with which most of the members began, so that they could decide.
func (w *world) able() map[string]int {
	began := map[string]int{}
	for _, n := range w.folders {
		if n.begun {
			began[fmt.Sprint(n.promised)]++
		}
	}
	for set, n := range began {
		if 2*n <= len(w.list) {
			delete(began, set)
		}
	}
	return began
}

func TestOneListNeverBeginsTwoClustersWhateverIsWipedOrLate(t *testing.T) {
	begun := 0
	for seed := range uint64(800) {
		n := 1 + int(seed%5)
		w := newWorld(seed, n)
		frail := w.r.Perm(n)[:(n-1)/2] // members whose disks may get lost, as often as they like
		for range 60 * n {
			name := w.list[w.r.IntN(n)]
			switch w.r.IntN(40) {
			case 0:
				w.nodes[name].round = nil // killed and started again
			case 1:
				w.dead[name] = true
			case 2, 3:
				w.dead[name] = false
			case 4, 5:
				if len(frail) > 0 {
					w.empty(w.list[frail[w.r.IntN(len(frail))]])
				}
			default:
				for range 4 {
					w.step(name)
				}
			}
		}
		if able := w.able(); len(able) > 1 {
			t.Fatalf("seed %d, %d members: %v", seed, n, able)
		}
		// From now on nothing goes wrong: every folder finds its cluster.
		clear(w.dead)
		for range 1500 * n {
			w.step(w.list[w.r.IntN(n)])
		}
		able := w.able()
		if len(able) > 1 {
			t.Fatalf("seed %d, %d members, after all came back: %v", seed, n, able)
		}
		begun += len(able)
		for _, o := range w.nodes {
			if !o.begun && !o.joined {
				for _, f := range w.folders {
					t.Logf("%+v %v", *f, w.nodes[f.self.Name] == f)
				}
				t.Fatalf("seed %d, %d members: %s still waits", seed, n, o.self.Name)
			}
		}
	}
	if begun < 780 {
		t.Fatalf("of 800 lists only %d began a cluster", begun)
	}
}

func word(name string, list ...string) Word {
	return Word{Self: Member{name, wire.NodeID("id-" + name)}, List: list}
}

func TestANewNodeSaysWhomItWaitsFor(t *testing.T) {
	list := []string{"a", "b", "c"}
	mine := word("a", list...)
	used, key, other, none := word("c", list...), word("c", list...), word("c", "a", "c"), word("c")
	used.Used, key.OtherKey = true, true
	twin := word("c", list...)
	twin.Self.ID = mine.Self.ID
	for want, c := range map[string]*Word{
		"":                                 nil,
		`"x" answers at its address`:       {Self: Member{"x", "id-x"}},
		"is a copy of this node's":         &twin,
		"its --master-key differs":         &key,
		"started without --init-members":   &none,
		"it lists a, c, this node a, b, c": &other,
		"waits to be let into a cluster":   &used,
	} {
		r := Round{Mine: mine, Listed: map[string]Word{"b": word("b", list...)}}
		if c != nil {
			r.Listed["c"] = *c
		}
		s := r.Next()
		if s.Kind != Wait || len(s.Missing) != 1 || s.Missing[0].Name != "c" || !strings.Contains(s.Missing[0].Why, want) || want == "" && s.Missing[0].Why != "" {
			t.Errorf("%q: %+v", want, s)
		}
	}
}

func TestANewNodeJoinsTheClusterThatThereIs(t *testing.T) {
	list := []string{"a", "b", "c"}
	r := Round{Mine: word("a", list...), Listed: map[string]Word{"b": word("b", list...)}}
	old := word("d")
	old.Cluster = "1"
	r.Others = []Word{old}
	if s := r.Next(); s.Kind != Join || s.Via.Self.Name != "d" {
		t.Errorf("beside a member that is not listed: %+v", s)
	}
	r.Others = nil
	b := word("b", list...)
	b.Begun, b.Promised = true, newMembers(Member{"a", "an earlier folder"}, b.Self)
	r.Listed["b"] = b
	r.Listed["c"] = word("c", list...)
	if s := r.Next(); s.Kind != Wait || len(s.Missing) != 1 {
		t.Errorf("a member whose cluster is not together yet: %+v", s)
	}
	b.Cluster = "1"
	r.Listed["b"] = b
	if s := r.Next(); s.Kind != Join || s.Via.Self.Name != "b" {
		t.Errorf("a member with another folder of this name: %+v", s)
	}
	b.Promised = newMembers(r.Mine.Self, b.Self)
	r.Listed["b"] = b
	if s := r.Next(); s.Kind != Begin || !s.Members.Equal(b.Promised) {
		t.Errorf("a member that began with this folder: %+v", s)
	}
}

func TestWhatWasPromisedSurvivesARestart(t *testing.T) {
	path := t.TempDir() + "/first-members"
	r, err := Open(machine.Disk(), path)
	if err != nil {
		t.Fatal(err)
	}
	one, two := newMembers(Member{"a", "1"}, Member{"b", "2"}), newMembers(Member{"a", "1"}, Member{"b", "3"})
	for _, m := range []Members{one, two} {
		if err := r.Promise(m); err != nil {
			t.Fatal(err)
		}
	}
	if r, err = Open(machine.Disk(), path); err != nil || !r.Members().Equal(two) {
		t.Fatalf("%+v %v", r, err)
	}
	if err := r.Begin(two); err != nil {
		t.Fatal(err)
	}
	if err := r.Promise(one); err == nil {
		t.Error("a cluster that has begun was promised anew")
	}
	if r, err = Open(machine.Disk(), path); err != nil {
		t.Fatal(err)
	}
	if m, begun := r.State(); !begun || !m.Equal(two) {
		t.Errorf("%v %t", m, begun)
	}
}
