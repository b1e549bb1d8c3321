package powerloss

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Keep is what a disk keeps of what nobody has synced.
type Keep byte

// What a disk keeps.
const (
	Nothing Keep = iota // only what was synced
	All                 // everything that was written
	Pages               // some pages of 4,096 bytes
	Sectors             // some sectors of 512 bytes: pages are torn
)

func (k Keep) String() string { return [...]string{"nothing", "all", "pages", "sectors"}[k] }

// Cut is one moment at which the power fails.
type Cut struct {
	At   int // events before this one have happened
	Keep Keep
	Seed uint64 // says which pages or sectors, and which names
	// Lies, if not nil, tells of a sync, counted from 0, whether the disk does nothing for
	// it. It is how a defect is planted.
	Lies func(sync int) bool
}

func (c Cut) String() string { return fmt.Sprintf("cut at %d, keep %s, seed %d", c.At, c.Keep, c.Seed) }

// Restore writes what the disk holds after a cut into an empty folder.
func (r *Recording) Restore(c Cut, dir string) error {
	s := &survival{r: r, cut: c, names: map[*node]int{}, lies: map[int]bool{}}
	if c.Lies != nil {
		n := 0
		for i := r.start; i < len(r.events); i++ {
			if r.events[i].kind == syncs {
				s.lies[i] = c.Lies(n)
				n++
			}
		}
	}
	s.chooseNames()
	return s.write(r.root, dir)
}

// survival is what survives one cut.
type survival struct {
	r     *Recording
	cut   Cut
	names map[*node]int // how many of its events each folder keeps
	lies  map[int]bool
}

// chance is a number that depends on the seed of the cut and on what it is for.
func (s *survival) chance(what ...uint64) uint64 {
	x := s.cut.Seed
	for _, w := range what {
		x += w + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// synced returns how many of a node's events before the cut are durable, and how many there
// are.
func (s *survival) synced(n *node) (durable, all int) {
	upTo := 0
	for _, i := range n.syncs {
		if i < s.cut.At && !s.lies[i] {
			upTo = max(upTo, s.r.events[i].upTo)
		}
	}
	durable, _ = slices.BinarySearch(n.ops, upTo)
	all, _ = slices.BinarySearch(n.ops, s.cut.At)
	return durable, all
}

// some returns how much of pending things is kept. What is kept of one page or folder is
// always its first part: a later state contains the earlier ones.
func (s *survival) some(pending int, what ...uint64) int {
	switch s.cut.Keep {
	case Nothing:
		return 0
	case All:
		return pending
	}
	// Some cuts keep nearly all, some nearly nothing.
	x := s.chance(what...)
	switch s.chance(0) % 4 {
	case 0:
		if x%16 != 0 {
			return pending
		}
	case 1:
		if x%16 != 0 {
			return 0
		}
	}
	return int(x >> 8 % uint64(pending+1))
}

// chooseNames chooses for each folder how many of its changes of names are kept. A move
// between two folders is in both or in neither.
func (s *survival) chooseNames() {
	for _, n := range s.r.nodes {
		if n.folder {
			durable, all := s.synced(n)
			s.names[n] = durable + s.some(all-durable, 1, uint64(n.id))
		}
	}
	for again := true; again; {
		again = false
		for n, kept := range s.names {
			for _, i := range n.ops[:kept] {
				e := s.r.events[i]
				if e.kind != moves {
					continue
				}
				for _, both := range []*node{e.on, e.to} {
					at, _ := slices.BinarySearch(both.ops, i)
					if s.names[both] <= at {
						s.names[both], again = at+1, true
					}
				}
			}
		}
	}
}

// write writes a folder as it survives.
func (s *survival) write(folder *node, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries := map[string]*node{}
	for _, i := range folder.ops[:s.names[folder]] {
		e := s.r.events[i]
		if e.on == folder && e.kind != names {
			delete(entries, e.name)
		}
		if e.kind == names {
			entries[e.name] = e.target
		}
		if e.kind == moves && e.to == folder {
			entries[e.toName] = e.target
		}
	}
	for name, n := range entries {
		path := filepath.Join(dir, name)
		var err error
		if n.folder {
			err = s.write(n, path)
		} else {
			err = s.content(n).save(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
