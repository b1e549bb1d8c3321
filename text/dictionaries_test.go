package text

import (
	"testing"

	"shoal/text/dictionary"
	"shoal/text/dictionary/source"
)

// useDictionary makes this process use a dictionary.
func useDictionary(t *testing.T, one dictionary.Set) {
	t.Helper()
	d, err := source.Of(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := dictionary.Use(one, d); err != nil {
		t.Fatal(err)
	}
}
