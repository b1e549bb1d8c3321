package lexicon

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

// Limits on the derivations of one query word (spec ranking 0).
const (
	MaxOneTypo = 150
	MaxTwoTypo = 50
)

// Candidate is a dictionary word near a query word.
type Candidate struct {
	Word string
	// Distance is 1 or 2. Words at distance 0 are no candidates.
	Distance uint8
	// SameFirst says that the word starts with the first character of the query.
	SameFirst bool
}

// Near yields the words an automaton accepts in byte order with their distance,
// without limits and without a rule about the first character: the scan of facet
// search (spec ranking 7.3).
func (d *Dictionary) Near(a *Automaton) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		w := open(d)
		defer w.close()
		w.walk(a, nil, func(word []byte, distance int) bool { return yield(string(word), distance) })
	}
}

// Typos returns the candidates for a query word in byte order, up to the point
// where this dictionary alone would fill the lists of derivations (spec ranking
// 3.3). budget is 1 or 2; any other gives nothing. What the word becomes a
// derivation of is decided by [MergeTypos], which joins the candidates of all
// shards.
func (d *Dictionary) Typos(word string, budget int, prefix bool) []Candidate {
	if word == "" || d.words == 0 {
		return nil
	}
	_, size := utf8.DecodeRuneInString(word)
	from := []byte(word[:size])
	to := successor([]byte(word[:size]))
	s := typoScan{first: from, budget: budget}
	w := open(d)
	defer w.close()
	switch budget {
	case 1:
		w.it.seek(from)
		w.walk(NewAutomaton(word, 1, prefix), to, s.take)
	case 2:
		near := NewAutomaton(word, 1, prefix)
		if !w.walk(near, from, s.take) {
			break
		}
		w.restart(d, from)
		if !w.walk(NewAutomaton(word, 2, prefix), to, s.take) || to == nil {
			break
		}
		w.restart(d, to)
		w.walk(near, nil, s.take)
	}
	return s.found
}

// restart stands on the first word not less than target; the walk before may have
// gone further.
func (w *walker) restart(d *Dictionary, target []byte) {
	w.it.begin(d)
	w.it.seek(target)
}

// typoScan collects candidates until both lists would be full. Candidates that
// find their list full are left out: they would find it full in any merge too.
type typoScan struct {
	first    []byte
	budget   int
	found    []Candidate
	one, two int
}

func (s *typoScan) take(word []byte, distance int) bool {
	c := Candidate{Distance: uint8(distance), SameFirst: bytes.HasPrefix(word, s.first)}
	switch list(c, s.budget, s.two) {
	case 1:
		if s.one < MaxOneTypo {
			s.one++
			c.Word = string(word)
			s.found = append(s.found, c)
		}
	case 2:
		if s.two < MaxTwoTypo {
			s.two++
			c.Word = string(word)
			s.found = append(s.found, c)
		}
	}
	return s.one < MaxOneTypo || s.budget == 2 && s.two < MaxTwoTypo
}

// list decides which list a candidate belongs to, 0 for none, given how many
// two-typo words there are already. A word with another first character counts as
// two typos until that list is full, then by its distance.
func list(c Candidate, budget, two int) int {
	switch {
	case budget == 1:
		if c.Distance == 1 && c.SameFirst {
			return 1
		}
		return 0
	case c.Distance == 0:
		return 0
	case !c.SameFirst && two < MaxTwoTypo:
		return 2
	}
	return int(c.Distance)
}

// MergeTypos joins the candidates that shards returned for the same word and
// budget, each in byte order, into the one-typo and two-typo derivations. The
// result is that of one dictionary with all words (spec ranking 11.1).
func MergeTypos(budget int, streams ...[]Candidate) (oneTypo, twoTypo []string) {
	heads := make([][]Candidate, len(streams))
	copy(heads, streams)
	for len(oneTypo) < MaxOneTypo || budget == 2 && len(twoTypo) < MaxTwoTypo {
		best := -1
		for i, h := range heads {
			if len(h) > 0 && (best < 0 || h[0].Word < heads[best][0].Word) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		c := heads[best][0]
		for i, h := range heads {
			if len(h) > 0 && h[0].Word == c.Word {
				heads[i] = h[1:]
			}
		}
		switch list(c, budget, len(twoTypo)) {
		case 1:
			if len(oneTypo) < MaxOneTypo {
				oneTypo = append(oneTypo, c.Word)
			}
		case 2:
			if len(twoTypo) < MaxTwoTypo {
				twoTypo = append(twoTypo, c.Word)
			}
		}
	}
	return oneTypo, twoTypo
}
