package lexicon

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"shoal/query"
)

// Candidate is a dictionary word near a query word.
type Candidate struct {
	Word string
	// Distance is 1 or 2. Words at distance 0 are not candidates.
	Distance uint8
	// SameFirst means that the word starts with the first character of the query.
	SameFirst bool
}

// Near yields the words that an automaton accepts in byte order with their distances,
// without limits and without a rule about the first character. This is the scan of
// facet search (spec ranking 7.3).
func (d *Dictionary) Near(a *Automaton) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		w := open(d)
		defer w.close()
		w.walk(a, nil, func(word []byte, distance int) bool { return yield(string(word), distance) })
	}
}

// Typos returns the candidates for a query word in byte order, until this dictionary
// alone would fill the lists of derivations (spec ranking 3.3). budget is 1 or 2; other
// values give nothing. The search driver merges the candidates of all shards and
// decides which become derivations.
func (d *Dictionary) Typos(word string, budget int, prefix bool) []Candidate {
	if word == "" || d.words == 0 {
		return nil
	}
	_, size := utf8.DecodeRuneInString(word)
	from := []byte(word[:size])
	to := successor([]byte(word[:size]))
	s := typoScan{first: from, lists: query.TypoLists{Budget: budget}}
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
		w.walk(near, []byte(query.InfixLimit), s.take)
	}
	return s.found
}

// restart seeks to the first word not less than target, even if the previous walk went
// past it.
func (w *walker) restart(d *Dictionary, target []byte) {
	w.it.begin(d)
	w.it.seek(target)
}

// typoScan collects candidates until both lists would be full. It skips candidates
// whose list is full, because it would be full in any merge, too.
type typoScan struct {
	first []byte
	lists query.TypoLists
	found []Candidate
}

func (s *typoScan) take(word []byte, distance int) bool {
	c := Candidate{Distance: uint8(distance), SameFirst: bytes.HasPrefix(word, s.first)}
	if s.lists.Take(c.Distance, !c.SameFirst) != 0 {
		c.Word = string(word)
		s.found = append(s.found, c)
	}
	return !s.lists.Full()
}
