package source

import (
	"testing"

	"shoal/text/dictionary"
)

// TestTheModulesHaveTheDictionariesOfThisProgram: who updates one of the modules changes
// what texts become. Then dictionary has the new sum, and text.FormatVersion and
// wire.Version are others.
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
