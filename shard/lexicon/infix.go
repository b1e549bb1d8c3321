package lexicon

import (
	"bytes"

	"shoal/query"
)

// Infix returns the first limit infix forms, in byte order, whose word has a part inside or at
// its end. It reads the forms of all words of infix attributes. Merging the lists of several
// dictionaries is exact, as for prefixes.
func (d *Dictionary) Infix(part string, limit int) (forms []string) {
	from := []byte(query.InfixLimit)
	var it iterator
	it.begin(d)
	for it.seek(from); !it.done && len(forms) < limit; it.next() {
		if bytes.Contains(it.word[len(from):], []byte(part)) {
			forms = append(forms, string(it.word))
		}
	}
	return forms
}
