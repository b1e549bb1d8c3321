package source

import (
	"testing"

	"shoal/text/dictionary"
)

// An update of one of the modules changes how texts are cut. Then the new sum must be in
// dictionary, and text.FormatVersion and wire.Version must change.
func TestTheModulesHaveTheDictionariesOfThisProgram(t *testing.T) {
	sets := []dictionary.Set{dictionary.Japanese, dictionary.Korean}
	if testing.Short() {
		sets = sets[1:]
	}
	for _, one := range sets {
		d, err := Of(one)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := dictionary.Sum(d)
		if err != nil || sum != dictionary.SumOf(one) {
			t.Errorf("%s: sum %s, %v; this program knows %s", one, sum, err, dictionary.SumOf(one))
		}
	}
	if _, err := Of(dictionary.All); err == nil {
		t.Error("two dictionaries in one")
	}
}
