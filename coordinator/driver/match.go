package driver

import (
	"slices"

	"shoal/query"
	"shoal/wire"
)

// Match lists what counts as a match of the query when hits are rendered: the words and phrases
// of every term. Words found by typo tolerance count only for terms whose typos were looked up
// (spec ranking 10.2).
func (r *Ranked) Match() wire.MatchList {
	var list wire.MatchList
	words := newMeetings(r)
	var phrases [][]string
	for i := range r.Terms {
		t := &r.Terms[i]
		sub := query.Zero
		if slices.Contains(r.Touched, uint16(i)) {
			sub = query.Full
		}
		var own [][]string
		t.Phrases(sub, func(p []string) { own = append(own, p) })
		phrases = sortByMeeting(own, phrases)
		for _, p := range own {
			list.Phrases = append(list.Phrases, wire.MatchPhrase{Words: p, First: t.First, Last: t.Last})
		}
		if own := words.of(t, sub); len(own) > 0 {
			list.Words = append(list.Words, wire.MatchWords{Words: own, First: t.First, Last: t.Last, Prefix: t.Prefix && !t.ByInfix(), Chars: t.Chars()})
		}
	}
	slices.SortStableFunc(list.Words, func(a, b wire.MatchWords) int {
		if a.Prefix != b.Prefix {
			if b.Prefix {
				return -1
			}
			return 1
		}
		return int(b.Last-b.First) - int(a.Last-a.First)
	})
	return list
}

// sortByMeeting sorts the phrases of a term in the order in which the query met them: phrases
// of earlier terms come first. It returns all phrases met.
func sortByMeeting(own, met [][]string) [][]string {
	at := func(p []string) int {
		return slices.IndexFunc(met, func(q []string) bool { return slices.Equal(p, q) })
	}
	for _, p := range own {
		if at(p) < 0 {
			met = append(met, p)
		}
	}
	slices.SortStableFunc(own, func(a, b []string) int { return at(a) - at(b) })
	return met
}

// meetings numbers words in the order in which the reference meets them. First come the words
// of the query, negative ones too, and those derived without typos, term by term. Then, in the
// order in which typos were looked up, come the words with typos and both halves of every split.
//
// The words of a term are tried in this order, and the first one that a text begins with
// determines how much of it is highlighted. Words of terms that are not prefixes match as a
// whole, in any order, so only words of prefix terms with typos are numbered.
type meetings struct {
	at   map[string]int // -1: not met yet
	next int
}

func newMeetings(r *Ranked) *meetings {
	m := &meetings{at: map[string]int{}}
	for _, i := range r.Touched {
		if t := &r.Terms[i]; t.Prefix && len(t.One)+len(t.Two) > 0 && (len(r.Terms) > 1 || len(t.Synonyms) > 0 || len(r.Negatives) > 0) {
			for _, w := range wordsOf(t, query.Full) {
				m.at[w] = -1
			}
		}
	}
	if len(m.at) == 0 {
		return m
	}
	negatives := r.Negatives
	for i := range r.Terms {
		for len(negatives) > 0 && negatives[0].Before <= i {
			m.meet(negatives[0].Words...)
			negatives = negatives[1:]
		}
		m.meetTerm(&r.Terms[i])
	}
	for _, n := range negatives {
		m.meet(n.Words...)
	}
	for _, i := range r.Touched {
		m.meetTypos(&r.Terms[i])
	}
	return m
}

func (m *meetings) meet(words ...string) {
	for _, w := range words {
		if at, counts := m.at[w]; counts && at < 0 {
			m.at[w] = m.next
			m.next++
		}
	}
}

func (m *meetings) meetTerm(t *query.Term) {
	m.meet(t.Text)
	m.meet(t.Phrase...)
	m.meet(t.Extensions...)
	for _, p := range t.Synonyms {
		m.meet(p...)
	}
}

func (m *meetings) meetTypos(t *query.Term) {
	m.meet(wordsOf(t, query.Full)...)
	if t.Splittable() {
		for i := range t.Text {
			if i > 0 {
				m.meet(t.Text[:i], t.Text[i:])
			}
		}
	}
}

// of lists the single words of a term in the order in which they are tried.
func (m *meetings) of(t *query.Term, sub query.Subset) []string {
	words := wordsOf(t, sub)
	if len(m.at) > 0 {
		slices.SortStableFunc(words, func(a, b string) int { return m.at[a] - m.at[b] })
	}
	return words
}

// wordsOf lists the single words of a term. Words with typos come in dictionary order.
func wordsOf(t *query.Term, sub query.Subset) []string {
	var words []string
	if t.Known {
		words = append(words, t.Text)
	}
	words = append(words, t.Extensions...)
	if sub&query.One == 0 {
		return words
	}
	typos := slices.Concat(t.One, t.Two)
	for i := range typos { // texts have the word, not the form
		typos[i] = query.OfInfixForm(typos[i])
	}
	slices.Sort(typos)
	return append(words, typos...)
}
