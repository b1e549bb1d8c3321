package text

import "shoal/text/language"

// Kind says what a token is (spec ranking 1.7).
type Kind uint8

const (
	// Word is indexed and searched.
	Word Kind = iota
	// StopWord takes a position but is not indexed.
	StopWord
	// SeparatorSoft separates two words of the same sentence.
	SeparatorSoft
	// SeparatorHard separates two sentences.
	SeparatorHard
)

// IsSeparator reports whether the kind is one of the two separators.
func (k Kind) IsSeparator() bool { return k >= SeparatorSoft }

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Word:
		return "word"
	case StopWord:
		return "stopWord"
	case SeparatorSoft:
		return "soft"
	case SeparatorHard:
		return "hard"
	}
	return "unknown"
}

// Token is one segment of a text with its lemma. Offsets refer to the text given
// to [Tokenizer.Tokenize]; tokens come in order and cover it without gaps.
type Token struct {
	// Lemma is the normalised segment. It may be empty (for a segment of control
	// characters). It never changes, but it may share memory with the text or with other
	// lemmas: clone it to keep it for long.
	Lemma string
	// Start and End delimit the segment in bytes, CharStart and CharEnd in
	// characters (Unicode scalar values).
	Start, End         int
	CharStart, CharEnd int
	Kind               Kind
	// Script and Language are those of the token's group.
	Script   language.Script
	Language language.Language
}

// CharLen relates one character of the raw text to its part of the lemma, both
// in bytes. Normalised is 0 for a character that was dropped.
type CharLen struct{ Original, Normalised int }

// CharMap returns one entry per character of the token, in order. raw is the text of the
// token. The sum of Normalised is the length of the lemma. Each call computes it anew; only
// highlighting needs it.
func (t Token) CharMap(raw string) []CharLen {
	segment := raw[t.Start:t.End]
	out := make([]CharLen, 0, t.CharEnd-t.CharStart)
	n := normaliser{script: t.Script, language: t.Language}
	n.mapChars(segment, func(original, normalised int) bool {
		out = append(out, CharLen{original, normalised})
		return true
	})
	return out
}

// OriginalLength returns the length, in characters and bytes, of the raw text for the first
// normalisedBytes bytes of the lemma. A partly covered character counts (spec ranking
// 10.2). raw is the text of the token.
func (t Token) OriginalLength(raw string, normalisedBytes int) (chars, bytes int) {
	segment := raw[t.Start:t.End]
	if len(t.Lemma) == len(segment) && t.CharEnd-t.CharStart == len(segment) {
		n := min(max(normalisedBytes, 0), len(segment)) // ASCII, one to one
		if language.IsASCII(t.Lemma) {
			return n, n
		}
	}
	covered := 0
	n := normaliser{script: t.Script, language: t.Language}
	n.mapChars(segment, func(original, normalised int) bool {
		if covered >= normalisedBytes {
			return false
		}
		chars, bytes, covered = chars+1, bytes+original, covered+normalised
		return true
	})
	return chars, bytes
}
