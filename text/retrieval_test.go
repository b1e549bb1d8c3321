package text

import (
	"slices"
	"strings"
	"testing"
)

// found lists the texts that have every word of a query, the last one as a prefix:
// what a search with matchingStrategy "all" finds.
func found(tk *Tokenizer, texts []string, query string) (hits []int) {
	wanted := strings.Split(words(tk, query), "|")
	for i, text := range texts {
		has := strings.Split(words(tk, text), "|")
		all := true
		for k, w := range wanted {
			last := k == len(wanted)-1
			all = all && slices.ContainsFunc(has, func(h string) bool { return h == w || last && strings.HasPrefix(h, w) })
		}
		if all {
			hits = append(hits, i)
		}
	}
	return hits
}

// retrieval is a query and the texts that it must find.
type retrieval struct {
	query string
	want  []int
}

func checkRetrieval(t *testing.T, tk *Tokenizer, texts []string, cases []retrieval) {
	t.Helper()
	for _, c := range cases {
		if got := found(tk, texts, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s (%s): found %v, want %v", c.query, words(tk, c.query), got, c.want)
		}
	}
	if t.Failed() {
		for i, text := range texts {
			t.Logf("%d %s", i, words(tk, text))
		}
	}
}
