package ingest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"shoal/api/payload"
	"shoal/coordinator/task"
)

// scanned returns what ingest learns about an upload, and the bytes it allocates for that.
func scanned(t *testing.T, text string) (m *task.Manifest, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := NewScan(nil, t.TempDir(), AssumeKey(nil, nil))
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := payload.ReadNDJSON(strings.NewReader(text), p.Add); err != nil {
		t.Fatal(err)
	}
	m, err := p.Finish()
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return m, after.TotalAlloc - before.TotalAlloc
}

// below makes an object with a single member, which has a long name and holds the given number
// of members.
func below(name, members int) string {
	var b strings.Builder
	b.WriteString(`{"id":1,"` + strings.Repeat("k", name) + `":{"z":0`)
	for i := range members {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	return b.String() + "}}"
}

// A regression test: an upload of 95 KB took 276 MB, because each nested field repeats the
// names above it.
func TestLongNamesAboveManyFailTheTaskInBoundedMemory(t *testing.T) {
	for what, c := range map[string]struct {
		text string
		most uint64
		fits bool
	}{
		"a long name":       {below(50<<10, 5000), 2 << 20, false},
		"names up to 4 KiB": {below(4000, 10_000), 80 << 20, false},
		"ordinary names":    {below(40, 10_000), 16 << 20, true},
		"repeated names":    {strings.Repeat(below(100, 100), 100), 16 << 20, true},
	} {
		m, allocated := scanned(t, c.text)
		if allocated > c.most {
			t.Errorf("%s: %d bytes allocated for %d", what, allocated, len(c.text))
		}
		if (m.Truncated == nil) != c.fits {
			t.Errorf("%s: the task fails with %+v", what, m.Truncated)
		}
	}
}

func TestNamesBeyondTheFieldsOfAnIndexAreNotCollected(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `{"id":1,"f%d":{"g%d":1}}`, i, i)
	}
	m, _ := scanned(t, b.String())
	if len(m.Fields) != payload.MaxMembers+1 || len(m.Nested) != payload.MaxMembers+1 {
		t.Errorf("%d names and %d nested ones are kept", len(m.Fields), len(m.Nested))
	}
}
