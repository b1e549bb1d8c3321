package query

// TypoLists deals the candidates of one query word, in byte order, out to its two lists
// of derivations and keeps both within their limits (spec ranking 3.3). A shard deals out
// its own candidates to know where it may stop; the driver deals out those of all shards.
// The zero value with a Budget of 1 or 2 is ready. Not for concurrent use.
type TypoLists struct {
	// Budget is the number of typos that the query word may have, 1 or 2.
	Budget int

	one, two int
}

// Full reports that no further candidate can enter either list.
func (l *TypoLists) Full() bool {
	return l.one >= MaxOneTypo && (l.Budget == 1 || l.two >= MaxTwoTypos)
}

// Take counts a candidate and returns the list it belongs to, 1 or 2, or 0 if it has none
// or its list is full. foreign says that its first character differs from that of the
// query word: with a budget of 2 it then counts as two typos while that list has room,
// and by its distance afterwards.
func (l *TypoLists) Take(distance uint8, foreign bool) int {
	if l.Budget == 1 && foreign {
		return 0
	}
	if l.Budget == 2 && foreign && distance > 0 && l.two < MaxTwoTypos {
		distance = 2
	}
	switch {
	case distance == 1 && l.one < MaxOneTypo:
		l.one++
		return 1
	case distance == 2 && l.Budget == 2 && l.two < MaxTwoTypos:
		l.two++
		return 2
	}
	return 0
}
