package purpose

import (
	"strings"

	"shoal/api/jsonvalue"
)

// longestCached is how many bytes a prefix has at most whose documents are kept ready.
const longestCached = 4

// levelKeptPrefix levels a search that ends with a short prefix, in a life that changed which
// words there are by settings: the reference may still take the documents that the prefix had
// before. The same search for whole words must find the same.
func levelKeptPrefix(e *Evidence, ours, theirs *Parsed) {
	if e.recounts() > 0 {
		e.eachSearch(ours, theirs, (*Evidence).levelKeptPrefixOf)
	}
}

func (e *Evidence) levelKeptPrefixOf(body, a, b *jsonvalue.Value) {
	words := strings.Fields(stringAt(body, "q"))
	if len(words) == 0 || strings.HasSuffix(stringAt(body, "q"), " ") || body.Get("queries") != nil || byVector(body) || a.Get("hits") == nil || a.JSON() == b.JSON() {
		return
	}
	if last := words[len(words)-1]; len(last) > longestCached {
		return
	}
	if e.agreesFor(body, func(words string) string { return words + " " }) {
		*b = *a
	}
}
