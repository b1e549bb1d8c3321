package powerloss

import (
	"errors"
	"os"
	"slices"
)

const sector, page = 512, 4096

// image is the content of a file: sectors that were written; the others are zero.
type image struct {
	sectors map[int64]*[sector]byte
	size    int64
}

// apply does an event to the part of the file that lies from one offset to another.
func (m *image) apply(e *event, from, to int64) {
	if e.kind == cuts {
		for at, s := range m.sectors {
			start := at * sector
			if start < from || start >= to || start+sector <= e.off {
				continue
			}
			clear(s[max(0, e.off-start):])
		}
		return
	}
	begin, end := max(from, e.off), min(to, e.off+int64(len(e.data)))
	for begin < end {
		at := begin / sector
		s := m.sectors[at]
		if s == nil {
			s = new([sector]byte)
			m.sectors[at] = s
		}
		n := copy(s[begin%sector:], e.data[begin-e.off:end-e.off])
		begin += int64(n)
	}
}

// resize does to the size what an event does.
func (m *image) resize(e *event) {
	if e.kind == cuts {
		m.size = e.off
	} else {
		m.size = max(m.size, e.off+int64(len(e.data)))
	}
}

// units are the pages or sectors that an event touches.
func (m *image) units(e *event, unit int64, touched map[int64]int) []int64 {
	var out []int64
	if e.kind == writes {
		for u := e.off / unit; u*unit < e.off+int64(len(e.data)); u++ {
			out = append(out, u)
		}
		return out
	}
	seen := map[int64]bool{}
	for at := range m.sectors {
		seen[at*sector/unit] = true
	}
	for u := range touched {
		seen[u] = true
	}
	for u := range seen {
		if (u+1)*unit > e.off {
			out = append(out, u)
		}
	}
	return out
}

// content is what survives of a file: what was synced, and of each page or sector some of
// the later states.
func (s *survival) content(n *node) *image {
	m := &image{sectors: map[int64]*[sector]byte{}}
	durable, all := s.synced(n)
	const end = 1 << 62
	for _, i := range n.ops[:durable] {
		m.apply(&s.r.events[i], 0, end)
		m.resize(&s.r.events[i])
	}
	pending := n.ops[durable:all]
	switch s.cut.Keep {
	case Nothing:
		return m
	case All:
		for _, i := range pending {
			m.apply(&s.r.events[i], 0, end)
			m.resize(&s.r.events[i])
		}
		return m
	}
	unit := int64(page)
	if s.cut.Keep == Sectors {
		unit = sector
	}
	touched := map[int64]int{} // how many pending events touch each unit
	per := make([][]int64, len(pending))
	for i, at := range pending {
		per[i] = m.units(&s.r.events[at], unit, touched)
		for _, u := range per[i] {
			touched[u]++
		}
	}
	kept := map[int64]int{}
	for u, times := range touched {
		kept[u] = s.some(times, 2, uint64(n.id), uint64(u))
	}
	for i, at := range pending {
		for _, u := range per[i] {
			if kept[u]--; kept[u] >= 0 {
				m.apply(&s.r.events[at], u*unit, (u+1)*unit)
			}
		}
	}
	for _, at := range pending[:s.some(len(pending), 3, uint64(n.id))] {
		m.resize(&s.r.events[at])
	}
	return m
}

// save writes the file; what is zero stays a hole.
func (m *image) save(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = f.Truncate(m.size)
	order := make([]int64, 0, len(m.sectors))
	for at := range m.sectors {
		order = append(order, at)
	}
	slices.Sort(order)
	var run []byte // of sectors that lie together
	var start int64
	flush := func() {
		if len(run) > 0 && err == nil {
			_, err = f.WriteAt(run, start)
		}
		run = run[:0]
	}
	for _, at := range order {
		begin := at * sector
		if begin >= m.size {
			break
		}
		if len(run) == 0 || start+int64(len(run)) != begin {
			flush()
			start = begin
		}
		run = append(run, m.sectors[at][:min(sector, m.size-begin)]...)
	}
	flush()
	return errors.Join(err, f.Close())
}
