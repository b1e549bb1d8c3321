package render

import (
	"unicode/utf8"

	"shoal/text"
	"shoal/wire"
)

// matcher finds the matches of a query in texts. Immutable; built once per step.
type matcher struct {
	phrases []wire.MatchPhrase
	// starts lists the phrases that begin with a word, in order.
	starts map[string][]int
	// whole and prefix have the first entry whose word equals a lemma, and whose word
	// is a prefix of it.
	whole, prefix map[string]entry
	longest       int // bytes of the longest prefix
	phraseWords   int // of the longest phrase
	// begins has the first bytes of all words. Most words of a text begin with another
	// byte and need no look-up.
	begins [256]bool
}

// entry is one word of a term, with its rank among all.
type entry struct {
	rank        int
	first, last uint16
	// length is the part of the lemma to highlight, in bytes; 0 highlights whole tokens.
	length int
}

func newMatcher(list *wire.MatchList) *matcher {
	m := &matcher{phrases: list.Phrases, starts: map[string][]int{}, whole: map[string]entry{}, prefix: map[string]entry{}}
	for i, p := range list.Phrases {
		if len(p.Words) > 0 && p.Words[0] != "" {
			m.starts[p.Words[0]] = append(m.starts[p.Words[0]], i)
			m.begins[p.Words[0][0]] = true
			m.phraseWords = max(m.phraseWords, len(p.Words))
		}
	}
	rank := 0
	for i := range list.Words {
		w := &list.Words[i]
		for _, word := range w.Words {
			rank++
			e := entry{rank: rank, first: w.First, last: w.Last}
			into := m.whole
			if w.Prefix {
				if e.length = charsPrefix(word, w.Chars); e.length == 0 {
					continue
				}
				into = m.prefix
				m.longest = max(m.longest, len(word))
			}
			if _, ok := into[word]; !ok {
				into[word] = e
			}
			if word != "" {
				m.begins[word[0]] = true
			}
		}
	}
	return m
}

// charsPrefix returns the length in bytes of the first n characters of s.
func charsPrefix(s string, n int) int {
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return end
}

// empty reports that nothing can match.
func (m *matcher) empty() bool {
	return len(m.starts) == 0 && len(m.whole) == 0 && len(m.prefix) == 0
}

// mayBegin reports whether a match may begin with a lemma. Usually it may not.
func (m *matcher) mayBegin(lemma string) bool { return lemma == "" || m.begins[lemma[0]] }

// match is a matching run of tokens: one word, or a phrase.
type match struct {
	firstToken, lastToken int
	firstWord, lastWord   int // counted without separators
	start, end            int // in bytes of the text
	chars                 int // to highlight, from the start
	firstID, lastID       uint16
	phrase                bool
}

// lookup returns the first word of the list that matches a lemma.
func (m *matcher) lookup(lemma string) (entry, bool) {
	best, ok := m.whole[lemma]
	if len(m.prefix) == 0 {
		return best, ok
	}
	for end := 0; end < len(lemma) && end < m.longest; {
		_, size := utf8.DecodeRuneInString(lemma[end:])
		end += size
		if e, found := m.prefix[lemma[:end]]; found && (!ok || e.rank < best.rank) {
			best, ok = e, true
		}
	}
	return best, ok
}

// phraseAt tries the phrases at the first of some tokens, which has the numbers token
// and word in its text. It returns how many tokens a phrase takes, 0 for none.
func (m *matcher) phraseAt(tokens []text.Token, token, word int) (match, int) {
	for _, i := range m.starts[tokens[0].Lemma] {
		p := &m.phrases[i]
		last, lastWord := 0, word
		rest := p.Words[1:]
		for next := 1; len(rest) > 0 && next < len(tokens); next++ {
			if tokens[next].Kind.IsSeparator() {
				continue
			}
			if rest[0] == "" || tokens[next].Lemma != rest[0] {
				break
			}
			last, rest = next, rest[1:]
			lastWord++
		}
		if len(rest) > 0 {
			continue
		}
		return match{
			firstToken: token, lastToken: token + last, firstWord: word, lastWord: lastWord,
			start: tokens[0].Start, end: tokens[last].End, chars: tokens[last].CharEnd - tokens[0].CharStart,
			firstID: p.First, lastID: p.Last, phrase: len(p.Words) > 1,
		}, last + 1
	}
	return match{}, 0
}
