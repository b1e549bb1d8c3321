package text

import (
	"os"
	"strings"
	"testing"

	"shoal/text/language"
)

// leastCut is the share of common compounds that are cut where a reader cuts them,
// in percent; docs/divergence.md tells it.
const leastCut = 90

func TestCommonGermanCompoundsAreCut(t *testing.T) {
	data, err := os.ReadFile("testdata/compounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	german := New(Options{Locales: []language.Language{language.Deu}})
	all, right := 0, 0
	var wrong []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, compound := range strings.Fields(line) {
			var parts []string
			for _, p := range strings.Split(compound, "|") {
				parts = append(parts, words(german, p))
			}
			all++
			if got := words(german, strings.ReplaceAll(compound, "|", "")); got == strings.Join(parts, "|") {
				right++
			} else {
				wrong = append(wrong, compound+" is "+got)
			}
		}
	}
	t.Logf("%d of %d are cut; not: %s", right, all, strings.Join(wrong, ", "))
	if all != 200 || 100*right < leastCut*all {
		t.Errorf("%d of %d are cut", right, all)
	}
}
