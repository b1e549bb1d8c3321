package blob

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/node/machine"
)

func TestVerifyTellsPayloadsThatAreNotWhatTheirNameSays(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(machine.Disk(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "another"} {
		w, err := s.Create()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Commit("", 1); err != nil {
			t.Fatal(err)
		}
	}
	damage, read, err := Verify(t.Context(), dir)
	if err != nil || len(damage) > 0 || read != 10 {
		t.Fatalf("sound payloads: %v, %d bytes, %v", damage, read, err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	if err := os.WriteFile(names[0], []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	damage, _, err = Verify(t.Context(), dir)
	if err != nil || len(damage) != 1 || !strings.Contains(damage[0], names[0]) {
		t.Errorf("one was changed: %v %v", damage, err)
	}
}
