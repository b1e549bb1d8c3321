package codec

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// structure is the plan of a struct: a map of the members that are not empty. The data that is
// needed for every member, empty or not, is stored close together.
type structure struct {
	looks   []look
	tags    []uint16 // of the names
	members []member
	typ     reflect.Type
	plans   []*plan // of the members
	names   []string
	byName  map[string]int
}

func (m *making) structure(p *plan, t reflect.Type) error {
	s := &structure{typ: t, byName: make(map[string]int)}
	p.encode, p.decode, p.empty = s.encode, s.decode, calls(s.empty)
	m.structures = append(m.structures, s)
	if err := m.members(s, t); err != nil {
		return err
	}
	if t.Size() > math.MaxUint16 {
		return fmt.Errorf("codec: %s cannot be encoded: it takes %d bytes", t, t.Size())
	}
	for i, name := range s.names {
		if other, ok := s.byName[name]; ok {
			return fmt.Errorf("codec: members %d and %d of %s have the same name %q", other, i, t, name)
		}
		s.byName[name] = i
	}
	return nil
}

// add adds a member at an offset within the struct.
func (s *structure) add(name string, offset uintptr, p *plan) {
	see, short := p.empty.look, newShortName(name)
	see.at += uint16(offset)
	s.looks, s.tags = append(s.looks, see), append(s.tags, short.tag())
	s.members = append(s.members, member{offset: offset, name: short})
	s.plans, s.names = append(s.plans, p), append(s.names, name)
}

// join sets the functions of the members, once all plans have theirs.
func (s *structure) join() {
	for i, p := range s.plans {
		s.members[i].encode, s.members[i].decode = p.encode, p.decode
	}
}

// shortMap is the largest size of a map whose size takes one byte.
const shortMap = 15

func (s *structure) encode(b []byte, p unsafe.Pointer) []byte {
	start, n := len(b), 0
	b = append(b, fixMap)
	for i, see := range s.looks {
		if see.kind == lookWord {
			if *(*uintptr)(unsafe.Add(p, see.at)) == 0 {
				continue
			}
		} else if s.isEmpty(i, see, p) {
			continue
		}
		n++
		f := &s.members[i]
		if f.name != longName {
			b = f.name.append(b)
		} else {
			b = appendString(b, s.names[i])
		}
		b = f.encode(b, unsafe.Add(p, f.offset))
	}
	if n > shortMap {
		return largeMap(b, start, n)
	}
	b[start] |= byte(n)
	return b
}

// largeMap writes the size of a map after its members, when there are more than shortMap.
func largeMap(b []byte, start, n int) []byte {
	size := appendMapSize(nil, n)
	b = append(b, size[1:]...)
	copy(b[start+len(size):], b[start+1:])
	copy(b[start:], size)
	return b
}

// isEmpty tells whether member i is empty.
func (s *structure) isEmpty(i int, see look, p unsafe.Pointer) bool {
	if see.kind == lookCall {
		return s.plans[i].empty.call(unsafe.Add(p, see.at))
	}
	return see.kind.zero(unsafe.Add(p, see.at))
}

func (s *structure) empty(p unsafe.Pointer) bool {
	for i, see := range s.looks {
		if !s.isEmpty(i, see, p) {
			return false
		}
	}
	return true
}

func (s *structure) decode(r *reader, p unsafe.Pointer) error {
	n, none, err := r.fields()
	if err != nil {
		return err
	}
	if none {
		valueAt(s.typ, p).SetZero()
		return nil
	}
	next := 0 // members mostly come in order
	for range n {
		i, err := s.member(r, next)
		if err != nil {
			return err
		}
		if i < 0 {
			if err := r.skip(); err != nil {
				return err
			}
			continue
		}
		f := &s.members[i]
		if err := f.decode(r, unsafe.Add(p, f.offset)); err != nil {
			return err
		}
		next = i + 1
	}
	return nil
}

// member reads a name and returns the index of its member, -1 if there is none. It searches
// from index next first.
func (s *structure) member(r *reader, next int) (int, error) {
	name := r.shortName()
	if name == longName {
		return s.longNamed(r)
	}
	tag := name.tag()
	for i := next; i < len(s.tags); i++ {
		if s.tags[i] == tag && s.members[i].name == name {
			return i, nil
		}
	}
	for i, other := range s.tags[:next] {
		if other == tag && s.members[i].name == name {
			return i, nil
		}
	}
	return s.unknown(r, name.text())
}

// longNamed is member for names that are not short, or not written in the short form.
func (s *structure) longNamed(r *reader) (int, error) {
	name, err := r.bytes()
	if err != nil {
		return 0, err
	}
	if i, ok := s.byName[string(name)]; ok {
		return i, nil
	}
	return s.unknown(r, string(name))
}

func (s *structure) unknown(r *reader, name string) (int, error) {
	if r.known {
		return 0, fmt.Errorf("%w: %q", ErrUnknownMember, name)
	}
	return -1, nil
}
