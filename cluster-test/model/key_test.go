package model

// encode writes down all of a state that later steps depend on, in the place of b.
func (s *State) encode(b []byte) []byte {
	b = b[:0]
	bit := func(yes ...bool) {
		c := byte(0)
		for i, y := range yes {
			if y {
				c |= 1 << i
			}
		}
		b = append(b, c)
	}
	entries := func(list []Entry) {
		b = append(b, byte(len(list)))
		for _, e := range list {
			b = append(b, byte(e.Term<<1|e.ID))
		}
	}
	for n := range s.Nodes {
		m := &s.Nodes[n]
		entries(m.Log)
		entries(m.Did)
		b = append(b, byte(m.Term), byte(m.Known))
		bit(m.Up, m.Ended, m.Follows, m.Lease, m.Counted, s.Votes[n])
	}
	entries(s.Ack)
	b = append(b, byte(s.Newest), byte(s.office(s.Newest).Leader+1), byte(s.Shown), byte(s.Batch))
	bit(s.Forgot, s.Blind, s.Drained)
	return b
}

// decode reads what encode wrote; it keeps the memory of s.
func (s *State) decode(key string) {
	next := func() byte { c := key[0]; key = key[1:]; return c }
	bits := func(into ...*bool) {
		c := next()
		for i, p := range into {
			*p = c>>i&1 != 0
		}
	}
	entries := func(into *[]Entry) {
		*into = (*into)[:0]
		for range next() {
			c := next()
			*into = append(*into, Entry{Term: uint64(c >> 1), ID: uint64(c & 1)})
		}
	}
	for n := range s.Nodes {
		m := &s.Nodes[n]
		entries(&m.Log)
		entries(&m.Did)
		m.Term, m.Known, m.Voted, m.Granted, m.Had = uint64(next()), int(next()), Ballot{}, 0, 0
		bits(&m.Up, &m.Ended, &m.Follows, &m.Lease, &m.Counted, &s.Votes[n])
	}
	entries(&s.Ack)
	s.Newest = uint64(next())
	leader := int(next()) - 1
	s.Shown, s.Batch = int(next()), uint64(next())
	bits(&s.Forgot, &s.Blind, &s.Drained)
	s.Offices, s.Polls = s.Offices[:0], nil
	for range s.Newest {
		s.Offices = append(s.Offices, Office{Leader: -1})
	}
	floor := 0
	for leader >= 0 && floor < len(s.Nodes[leader].Log) && s.Nodes[leader].Log[floor].Term < s.Newest {
		floor++
	}
	s.Offices = append(s.Offices, Office{leader, floor})
}
