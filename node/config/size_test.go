package config

import (
	"strings"
	"testing"
)

// 10, meant as 10 GiB, was taken for ten bytes.
func TestAMemoryLimitWithoutAUnitThatIsTooSmallIsRefused(t *testing.T) {
	for text, refused := range map[string]bool{"10": true, "63MiB": true, "64MiB": false, "2GiB": false, "0": false} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		err := checkMemory(int64(s))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "give a unit") {
			t.Errorf("--memory-limit %s: %v, refused should be %v", text, err, refused)
		}
	}
}
