package codec

import (
	"fmt"
	"reflect"
)

// structure is the plan of a struct: a map of the members that are not empty.
func (m *making) structure(p *plan, t reflect.Type) error {
	s := new(structure)
	p.encode, p.decode, p.empty = s.encode, s.decode, s.empty
	members, err := m.members(t)
	if err != nil {
		return err
	}
	s.members = members
	s.byName = make(map[string]int, len(members))
	for i, f := range members {
		if other, ok := s.byName[f.name]; ok {
			return fmt.Errorf("codec: members %d and %d of %s have the same name %q", other, i, t, f.name)
		}
		s.byName[f.name] = i
	}
	return nil
}

type structure struct {
	members []member
	byName  map[string]int
}

// shortMap is how many members a map may have whose size takes one byte.
const shortMap = 15

func (s *structure) encode(b []byte, v reflect.Value) []byte {
	start := len(b)
	if len(s.members) <= shortMap {
		b = append(b, fixMap)
	} else {
		b = appendMapSize(b, s.filled(v))
	}
	for i := range s.members {
		f := &s.members[i]
		x := v.Field(f.index)
		if f.empty(x) {
			continue
		}
		b = f.plan.encode(append(b, f.key...), x)
		if len(s.members) <= shortMap {
			b[start]++
		}
	}
	return b
}

// filled is how many members are not empty.
func (s *structure) filled(v reflect.Value) (n int) {
	for i := range s.members {
		if f := &s.members[i]; !f.empty(v.Field(f.index)) {
			n++
		}
	}
	return n
}

func (s *structure) empty(v reflect.Value) bool {
	for i := range s.members {
		if f := &s.members[i]; !f.empty(v.Field(f.index)) {
			return false
		}
	}
	return true
}

func (s *structure) decode(r *reader, v reflect.Value) error {
	n, none, err := r.fields()
	if err != nil {
		return err
	}
	if none {
		v.SetZero()
		return nil
	}
	next := 0 // members come in their order, mostly
	for range n {
		name, err := r.bytes()
		if err != nil {
			return err
		}
		i := s.find(name, next)
		if i < 0 {
			if r.known {
				return fmt.Errorf("%w: %q", ErrUnknownMember, name)
			}
			if err := r.skip(); err != nil {
				return err
			}
			continue
		}
		f := &s.members[i]
		if err := f.plan.decode(r, v.Field(f.index)); err != nil {
			return err
		}
		next = i + 1
	}
	return nil
}

// find returns the member of a name, -1 if there is none; it looks at the next few from
// a place on first.
func (s *structure) find(name []byte, next int) int {
	for i := next; i < min(next+4, len(s.members)); i++ {
		if s.members[i].name == string(name) {
			return i
		}
	}
	if i, ok := s.byName[string(name)]; ok {
		return i
	}
	return -1
}
