package query

import (
	"strings"
	"unicode/utf8"
)

// Limits of searches inside words (typoTolerance.infixOnAttributes).
const (
	// MinInfix is how many characters of a word are looked for inside words at least.
	MinInfix = 3

	// infixMark begins the second form under which the words of infix attributes are indexed. No
	// text has the byte, so these forms are apart from all words, and the last in every list.
	infixMark = "\xff"
)

// InfixLimit is greater than every word, and not greater than any infix form.
const InfixLimit = infixMark

// AppendInfixForm appends the form under which a word of an infix attribute is indexed a second
// time, at the same place. ok is false for words too short to have a part that is looked for.
func AppendInfixForm(buf []byte, word string) (form []byte, ok bool) {
	if len(word) >= MaxWordBytes || utf8.RuneCountInString(word) <= MinInfix {
		return buf, false
	}
	return append(append(buf, infixMark...), word...), true
}

// IsInfixForm tells whether an indexed word is the second form of one.
func IsInfixForm(word string) bool { return strings.HasPrefix(word, infixMark) }

// OfInfixForm returns the word of an infix form; other words are returned unchanged.
func OfInfixForm(word string) string { return strings.TrimPrefix(word, infixMark) }

// WantsInfix tells whether a pinned term is looked for inside words: it is a word of the query,
// long enough, and stands for nothing else in the index. The caller knows whether it is split.
func (t *Term) WantsInfix() bool {
	return !t.IsPhrase() && !t.IsNgram() && !t.Inert && !t.Known && !t.Cached && len(t.Synonyms) == 0 &&
		len(t.Extensions)+len(t.One)+len(t.Two) == 0 && utf8.RuneCountInString(t.Text) >= MinInfix
}

// ByInfix tells whether the term stands for infix forms.
func (t *Term) ByInfix() bool { return len(t.Two) > 0 && IsInfixForm(t.Two[0]) }

// SetInfix has the term stand for the infix forms that have it inside. They count as two typos.
func (t *Term) SetInfix(forms []string) { t.Budget, t.Two = 2, forms }
