package wire

import (
	"reflect"
	"runtime"
	"testing"

	"shoal/api/settings"
)

// A regression test: ten thousand indexes with the same settings kept them twenty thousand
// times.
func TestEqualSettingsAreKeptOncePerIndex(t *testing.T) {
	s := settings.Default()
	s.StopWords = []string{"a", "the"}
	raw := EncodeSettings(s)
	first, err := DecodeSettings(raw)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := DecodeSettings(EncodeSettings(s)); err != nil || again != first {
		t.Errorf("equal settings are decoded anew: %v", err)
	}
	if x := (&Index{Settings: raw}); x.DecodedSettings() != first {
		t.Error("an index has settings of its own")
	}
	for _, words := range [][]string{nil, {"a"}} {
		s.StopWords = words
		if other, err := DecodeSettings(EncodeSettings(s)); err != nil || other == first || len(other.StopWords) != len(words) {
			t.Errorf("%v: %v", words, err)
		}
	}
	if none, err := DecodeSettings(nil); err != nil || !reflect.DeepEqual(none, settings.Default()) {
		t.Errorf("no settings are no defaults: %v", err)
	}
	if _, err := DecodeSettings([]byte("{")); err == nil {
		t.Error("half of an object passes for settings")
	}
	runtime.KeepAlive(first)
}
