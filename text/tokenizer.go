package text

import (
	"iter"
	"slices"
	"unicode/utf8"

	"shoal/text/dictionary"
	"shoal/text/language"
)

// Options choose what a [Tokenizer] does. The zero value is the tokenizer of an
// index with default settings.
type Options struct {
	// StopWords are in stored form (see [StopWordForm]). Highlighting passes none.
	StopWords []string
	// Separators are added to the default separators, then NonSeparators are removed. Empty
	// strings are ignored.
	Separators, NonSeparators []string
	// Dictionary words are kept whole wherever they occur.
	Dictionary []string
	// Locales is the allow-list of languages (spec ranking 1.10). Nil means that languages
	// are detected without restriction, an empty list that none is allowed.
	Locales []language.Language
	// Dictionaries are the dictionaries that cut. The process must have one when a text
	// needs it (dictionary.Cut).
	Dictionaries dictionary.Set
}

// Tokenizer cuts texts into tokens. It is immutable and safe for concurrent use.
type Tokenizer struct {
	// class says how the inner loop treats each byte.
	class [256]byteClass
	// separator holds the effective separators of one character. multi holds the patterns
	// of several characters and all dictionary words.
	separator *language.RuneSet
	multi     *patternTrie
	// separators is the effective list for classification if settings changed it, nil for
	// the default list.
	separators map[string]struct{}
	stopWords  map[string]struct{}
	// longestStop is the byte length of the longest stop word.
	longestStop  int
	locales      []language.Language
	dictionaries dictionary.Set
}

// byteClass is a set of properties of a character's first byte.
type byteClass uint8

const (
	// classRewrite: the lemma differs from the segment only in ASCII case.
	classRewrite byteClass = 1 << iota
	// classControl: a control character, dropped from lemmas.
	classControl
	// classWide: the head of a character beyond ASCII.
	classWide
	// classMulti: a pattern of several characters may start here.
	classMulti
	// classSoft, classHard: an ASCII separator that is its own lemma.
	classSoft
	classHard
	// classOdd: an ASCII separator whose lemma has to be computed.
	classOdd

	// classStop: the inner loop cannot simply continue.
	classStop = classWide | classMulti | classSoft | classHard | classOdd
)

// New builds a tokenizer. It copies what it needs of the options. With custom separators or
// a dictionary this takes a fraction of a millisecond, so keep the tokenizer of an index
// and derive others with [Tokenizer.WithLocales].
func New(o Options) *Tokenizer {
	t := &Tokenizer{separator: softOrHard, multi: defaultMulti, locales: slices.Clone(o.Locales), dictionaries: o.Dictionaries}
	if len(o.Separators) > 0 || len(o.NonSeparators) > 0 || len(o.Dictionary) > 0 {
		t.setPatterns(o)
	}
	if len(o.StopWords) > 0 {
		t.stopWords = make(map[string]struct{}, len(o.StopWords))
		for _, w := range o.StopWords {
			t.stopWords[w] = struct{}{}
			t.longestStop = max(t.longestStop, len(w))
		}
	}
	t.setClasses()
	return t
}

// WithLocales returns the same tokenizer with another allow-list of languages, which may
// be nil or empty as in [Options]. It is cheap: the two share their tables.
func (t *Tokenizer) WithLocales(locales []language.Language) *Tokenizer {
	c := *t
	c.locales = slices.Clone(locales)
	return &c
}

// WithoutStopWords returns the same tokenizer without stop words, for highlighting (spec
// ranking 10.2). It is cheap.
func (t *Tokenizer) WithoutStopWords() *Tokenizer {
	c := *t
	c.stopWords, c.longestStop = nil, 0
	c.setClasses()
	return &c
}

// Default is the tokenizer of an index with default settings.
var Default = New(Options{})

var defaultMulti = func() *patternTrie {
	m := new(patternTrie)
	for _, p := range phraseSeparators {
		m.add(p)
	}
	return m
}()

// setPatterns computes the effective separators: defaults plus additions minus exceptions.
// The list replaces the default one for classification only if a separator setting is
// present; a dictionary alone does not.
func (t *Tokenizer) setPatterns(o Options) {
	t.separator = new(language.RuneSet)
	t.multi = new(patternTrie)
	if len(o.Separators) > 0 || len(o.NonSeparators) > 0 {
		t.separators = make(map[string]struct{})
	}
	add := func(s string) {
		if s == "" || slices.Contains(o.NonSeparators, s) {
			return
		}
		if t.separators != nil {
			t.separators[s] = struct{}{}
		}
		if r, ok := language.SoleRune(s); ok {
			t.separator.Add(r)
		} else {
			t.multi.add(s)
		}
	}
	softOrHard.Each(func(r rune) { add(string(r)) })
	for _, s := range phraseSeparators {
		add(s)
	}
	for _, s := range o.Separators {
		add(s)
	}
	for _, w := range o.Dictionary {
		if w != "" {
			t.multi.add(w)
		}
	}
}

func (t *Tokenizer) setClasses() {
	for b := range t.class {
		c := byteClass(0)
		switch {
		case b >= utf8.RuneSelf:
			c = classWide
		case t.separator.Has(rune(b)):
			c = t.separatorClass(string(rune(b)))
		case b >= 'A' && b <= 'Z':
			c = classRewrite
		case isDroppedControl(rune(b)):
			c = classControl
		}
		if len(t.multi.nodes) > 0 && t.multi.first[b] {
			c |= classMulti
		}
		t.class[b] = c
	}
}

// separatorClass classifies an ASCII separator once, if its lemma is itself.
func (t *Tokenizer) separatorClass(s string) byteClass {
	if isDroppedControl(rune(s[0])) || s[0] >= 'A' && s[0] <= 'Z' {
		return classOdd
	}
	switch t.classify(s) {
	case SeparatorSoft:
		return classSoft
	case SeparatorHard:
		return classHard
	}
	return classOdd
}

// classify returns the kind of a segment from its half-normalised lemma, which still has
// case and marks (spec ranking 1.7).
func (t *Tokenizer) classify(lemma string) Kind {
	if len(lemma) <= t.longestStop {
		if _, ok := t.stopWords[lemma]; ok {
			return StopWord
		}
	}
	if t.separators == nil {
		if !isDefaultSeparator(lemma) {
			return Word
		}
	} else if _, ok := t.separators[lemma]; !ok {
		return Word
	}
	if isHard(lemma) {
		return SeparatorHard
	}
	return SeparatorSoft
}

// Tokenize yields the tokens of a text in order. The text should be valid UTF-8;
// each invalid byte is treated as one unknown character.
func (t *Tokenizer) Tokenize(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) { t.run(text, yield) }
}

// Lemmas returns the concatenation of all lemmas of a text, separators included: the stored
// form of a word that is looked up as a whole (disableOnWords).
func (t *Tokenizer) Lemmas(text string) string {
	var b []byte
	for token := range t.Tokenize(text) {
		b = append(b, token.Lemma...)
	}
	return string(b)
}
