package render

import (
	"slices"

	"shoal/text"
)

// analysis is a text with its matches and, if it is cropped, the ends of its tokens.
type analysis struct {
	raw     string
	cuts    cuts
	matches []match
}

// analyse finds the matches of a text in order. It does not keep the tokens, only their
// lengths and kinds if the text is cropped: a page of long texts has hundreds of
// thousands of tokens.
func analyse(raw string, tokenizer *text.Tokenizer, m *matcher, cropped bool) *analysis {
	a := &analysis{raw: raw}
	if m.empty() && !cropped {
		return a
	}
	if cropped {
		a.cuts.pieces = make([]uint16, 0, len(raw)/3+8)
	}
	f := finder{matcher: m, found: a}
	for t := range tokenizer.Tokenize(raw) {
		if cropped {
			a.cuts.add(t.End-t.Start, t.Kind)
		}
		f.take(t)
	}
	f.end()
	return a
}

// finder finds matches in a stream of tokens. It holds back as many tokens as the
// longest phrase needs.
type finder struct {
	*matcher
	found *analysis
	// held[head:] are the tokens that wait for the following ones. words is the number
	// of them that are not separators.
	held  []text.Token
	head  int
	words int
	// token and word count what was examined.
	token, word int
}

func (f *finder) take(t text.Token) {
	if f.phraseWords == 0 {
		f.held = append(f.held[:0], t)
		f.look(f.held)
		return
	}
	f.held = append(f.held, t)
	if !t.Kind.IsSeparator() {
		f.words++
	}
	for f.words >= f.phraseWords {
		f.next()
	}
}

// end examines the tokens held back.
func (f *finder) end() {
	if f.phraseWords == 0 {
		return
	}
	for f.head < len(f.held) {
		f.next()
	}
}

// next examines the first tokens held back and releases them.
func (f *finder) next() {
	for range f.look(f.held[f.head:]) {
		if !f.held[f.head].Kind.IsSeparator() {
			f.words--
		}
		f.head++
	}
	if f.head >= len(f.held)/2 {
		f.held, f.head = slices.Delete(f.held, 0, f.head), 0
	}
}

// look examines the first token and returns how many tokens are done.
func (f *finder) look(tokens []text.Token) int {
	t := &tokens[0]
	if t.Kind.IsSeparator() {
		f.token++
		return 1
	}
	n := 1
	if !f.mayBegin(t.Lemma) {
		f.token++
		f.word++
		return n
	}
	if one, tokens := f.phraseAt(tokens, f.token, f.word); tokens > 0 {
		f.found.matches = append(f.found.matches, one)
		f.word += one.lastWord - one.firstWord
		n = tokens
	} else if e, ok := f.lookup(t.Lemma); ok {
		one := match{
			firstToken: f.token, lastToken: f.token, firstWord: f.word, lastWord: f.word, start: t.Start, end: t.End,
			chars: t.CharEnd - t.CharStart, firstID: e.first, lastID: e.last,
		}
		if e.length > 0 {
			one.chars, _ = t.OriginalLength(f.found.raw, e.length)
		}
		f.found.matches = append(f.found.matches, one)
	}
	f.token += n
	f.word++
	return n
}
