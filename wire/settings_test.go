package wire

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"shoal/api/settings"
)

// Ten thousand indexes with the same settings kept them twenty thousand times.
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

func TestSettingsThatNobodyHoldsAreKept(t *testing.T) {
	count := func() int {
		held.Lock()
		defer held.Unlock()
		return len(held.by)
	}
	before := count()
	for i := range 100 {
		s := settings.Default()
		s.MaxTotalHits = 5000 + i
		if _, err := DecodeSettings(EncodeSettings(s)); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(10 * time.Second); count() > before+10; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d settings are kept, %d before", count(), before)
		}
	}
}
