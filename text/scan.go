package text

import (
	"sync"
	"unicode/utf8"
	"unsafe"

	"shoal/text/dictionary"
	"shoal/text/language"
)

// scanner is the state of one Tokenize call; it is pooled.
type scanner struct {
	t     *Tokenizer
	text  string
	yield func(Token) bool
	// chars is the number of characters before the next token.
	chars int
	group group
	n     normaliser
	// chunk receives lemmas that differ from the text. Bytes of returned lemmas are never
	// written again, so strings in it stay valid. The rest of it serves the next text.
	chunk []byte
}

// chunkSize is a compromise: it allows one allocation for some 500 capitalised words, and a
// lemma that is kept keeps little memory alive.
const chunkSize = 4096

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (t *Tokenizer) run(text string, yield func(Token) bool) {
	if text == "" {
		return
	}
	s := scanners.Get().(*scanner)
	s.t, s.text, s.yield, s.chars = t, text, yield, 0
	s.n.kana = t.dictionaries.Has(dictionary.Japanese)
	s.groups()
	s.t, s.text, s.yield = nil, "", nil
	scanners.Put(s)
}

// groups walks the script groups of the text.
func (s *scanner) groups() {
	for at := 0; at < len(s.text); at = s.group.end {
		s.group = s.nextGroup(at)
		s.n.begin(s.group.script, s.group.language)
		segment := s.segmenter()
		ok := false
		if segment == nil {
			ok = s.scanWhole()
		} else {
			ok = s.scanSegmented(segment)
		}
		if !ok {
			return
		}
	}
}

// scanWhole yields the tokens of a group whose stretches are not cut further. It is the hot
// loop of indexing.
func (s *scanner) scanWhole() bool {
	text, class := s.text[:s.group.end], &s.t.class
	for i := s.group.start; i < len(text); {
		start, seen, extra := i, byteClass(0), 0
		pattern := 0
		for i < len(text) {
			c := class[text[i]]
			if c&classStop == 0 {
				seen |= c
				i++
				continue
			}
			var size int
			if pattern, size = s.patternAt(text[i:], c); pattern > 0 {
				break
			}
			seen |= c
			i += size
			extra += size - 1
		}
		if i > start && !s.stretch(start, i, i-start-extra, seen) {
			return false
		}
		if pattern > 0 {
			if !s.pattern(i, i+pattern) {
				return false
			}
			i += pattern
		}
	}
	return true
}

// patternAt returns the length of the longest pattern at the start of rest, or 0, and the
// size of the character. c is the class of the first byte.
func (s *scanner) patternAt(rest string, c byteClass) (pattern, size int) {
	if c&classMulti != 0 {
		if n := s.t.multi.longest(rest); n > 0 {
			return n, 0
		}
	}
	if c&classWide == 0 {
		if c&(classSoft|classHard|classOdd) != 0 {
			return 1, 1
		}
		return 0, 1
	}
	r, size := language.DecodeRune(rest)
	if s.t.separator.Has(r) && (r != utf8.RuneError || size > 1) {
		return size, size
	}
	return 0, size
}

// stretch yields one unmatched segment with the given classes of bytes.
func (s *scanner) stretch(start, end, chars int, seen byteClass) bool {
	if seen&^(classRewrite|classMulti) != 0 {
		return s.emit(start, end, chars)
	}
	raw := s.text[start:end]
	kind := Word // an unmatched and unchanged stretch cannot be a separator
	if len(raw) <= s.t.longestStop {
		if _, ok := s.t.stopWords[raw]; ok {
			kind = StopWord
		}
	}
	lemma := raw
	if seen&classRewrite != 0 {
		lemma = s.lower(raw)
	}
	return s.token(lemma, kind, start, end, chars)
}

// pattern yields a matched pattern.
func (s *scanner) pattern(start, end int) bool {
	if end == start+1 {
		switch c := s.t.class[s.text[start]]; {
		case c&classSoft != 0:
			return s.token(s.text[start:end], SeparatorSoft, start, end, 1)
		case c&classHard != 0:
			return s.token(s.text[start:end], SeparatorHard, start, end, 1)
		}
	}
	return s.emit(start, end, utf8.RuneCountInString(s.text[start:end]))
}

// emit normalises, classifies and yields any segment.
func (s *scanner) emit(start, end, chars int) bool {
	raw := s.text[start:end]
	half, lemma := s.n.normalise(raw)
	kind := s.t.classify(half)
	if lemma != raw {
		lemma = s.keep(lemma)
	} else {
		lemma = raw
	}
	return s.token(lemma, kind, start, end, chars)
}

func (s *scanner) token(lemma string, kind Kind, start, end, chars int) bool {
	charStart := s.chars
	s.chars += chars
	return s.yield(Token{Lemma: lemma, Kind: kind, Start: start, End: end, CharStart: charStart, CharEnd: s.chars,
		Script: s.group.script, Language: s.group.language})
}

// lower returns the ASCII lower case form of raw in the chunk.
func (s *scanner) lower(raw string) string {
	b := s.reserve(len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// keep copies a lemma from scratch memory into the chunk.
func (s *scanner) keep(lemma string) string {
	if lemma == "" {
		return ""
	}
	b := s.reserve(len(lemma))
	copy(b, lemma)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// reserve returns n new bytes that are used only once.
func (s *scanner) reserve(n int) []byte {
	if n > chunkSize/4 {
		return make([]byte, n)
	}
	if cap(s.chunk)-len(s.chunk) < n {
		s.chunk = make([]byte, 0, chunkSize)
	}
	at := len(s.chunk)
	s.chunk = s.chunk[:at+n]
	return s.chunk[at : at+n : at+n]
}
