package observe

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"shoal/httpfront"
)

func TestChangesAreWrittenToAFileOfBoundedSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	a, err := OpenAudit(path, "n1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	task := uint64(7)
	a.Write(httpfront.Change{Key: "k", Address: "10.0.0.1", Forwarded: "x\"\n", Route: "POST /indexes", Index: "films", Status: 202, Task: &task})
	want := `{"time":"2026-01-02T03:04:05Z","node":"n1","key":"k","address":"10.0.0.1","forwardedFor":"x\"\n","route":"POST /indexes","indexUid":"films","status":202,"taskUid":7}` + "\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s (%v)", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v %v", info.Mode(), err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	// A new process appends to the file, and moves a full one aside.
	if a, err = OpenAudit(path, "n1", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	a.most = int64(3 * len(want))
	for range 20 {
		a.Write(httpfront.Change{Address: "10.0.0.1", Route: "POST /indexes", Status: 202})
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Size() == 0 || info.Size() > a.most {
			t.Errorf("%s has %v bytes", f.Name(), info.Size())
		}
	}
}

func TestAnAuditLogThatCannotBeWrittenIsToldOnce(t *testing.T) {
	var told bytes.Buffer
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "audit")
	if _, err := OpenAudit(path, "n1", slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(), "--audit-log: ") {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := OpenAudit(path, "n1", slog.New(slog.NewTextHandler(&told, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.file.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a.Write(httpfront.Change{Route: "POST /indexes"})
	}
	if n := strings.Count(told.String(), "changes are not written"); n != 1 {
		t.Errorf("told %d times: %s", n, told.String())
	}
}

// Operators write programs by the example of the documentation.
func TestTheDocumentedLineOfTheAuditLogIsOneThatIsWritten(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`\{"time":.*"route":.*\}`).FindString(string(page))
	var said line
	members := json.NewDecoder(strings.NewReader(example))
	members.DisallowUnknownFields()
	if err := members.Decode(&said); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	written, err := json.Marshal(said)
	if err != nil || string(written) != example {
		t.Errorf("the documentation shows\n%s\nwritten would be\n%s (%v)", example, written, err)
	}
}
