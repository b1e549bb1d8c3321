package coordinator

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/payload"
	"shoal/coordinator/task"
	"shoal/wire"
)

// upload runs an upload through a Writer and returns the accepted task and its
// frames.
func upload(t *testing.T, up *Upload) (*wire.Task, *task.Manifest, []string) {
	t.Helper()
	r := newRig(t)
	uid := r.must(r.writer.AddDocuments(context.Background(), up))
	accepted, _, _ := r.log.Task(uid)
	body, err := task.Decode[task.Addition](accepted)
	if err != nil {
		t.Fatal(err)
	}
	var in io.Reader = bytes.NewReader(accepted.Payload.Inline)
	if accepted.Payload.Blob != nil {
		in, err = r.shards.blobs.Open(context.Background(), accepted.Payload.Blob)
		if err != nil {
			t.Fatal(err)
		}
	}
	rd, err := wire.NewStagedReader(in)
	if err != nil {
		t.Fatal(err)
	}
	var frames []string
	for {
		f, _, err := rd.Next()
		if errors.Is(err, io.EOF) {
			return accepted, &body.Manifest, frames
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, fmt.Sprintf("%d %s %s", f.Slot, f.ID, f.Document))
	}
}

// The same documents as JSON, NDJSON and CSV give the same frames and manifest.
func TestFormatsGiveEqualFrames(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 3, 700} {
		var objects []string
		var sheet bytes.Buffer
		w := csv.NewWriter(&sheet)
		rows := [][]string{{"name", "uid", "text"}}
		for range n {
			row := []string{fmt.Sprint("n", rnd.IntN(50)), fmt.Sprint(rnd.IntN(2 * n)), strings.Repeat("é,\"x\" ", rnd.IntN(9)+1)}
			rows = append(rows, row)
			o := []byte{'{'}
			for i, k := range rows[0] {
				if i > 0 {
					o = append(o, ',')
				}
				o = append(api.AppendString(o, k), ':')
				o = api.AppendString(o, row[i])
			}
			objects = append(objects, string(append(o, '}')))
		}
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		read := func(f payload.Format, body string) (*task.Manifest, []string) {
			_, m, frames := upload(t, &Upload{IndexUID: "i", Format: f, Body: strings.NewReader(body)})
			return m, frames
		}
		m, frames := read(payload.JSON, "[ "+strings.Join(objects, " ,\n")+" ]")
		for _, other := range []struct {
			format payload.Format
			body   string
		}{
			{payload.NDJSON, strings.Join(objects, "\n")},
			{payload.NDJSON, strings.Join(objects, "")},
			{payload.CSV, sheet.String()},
		} {
			m2, frames2 := read(other.format, other.body)
			if fmt.Sprint(frames2) != fmt.Sprint(frames) {
				t.Fatalf("seed %d: %v differs from JSON:\n%v\n%v", seed, other.format, frames2, frames)
			}
			if m2.Documents != m.Documents || m2.Distinct != m.Distinct || *m2.Key != *m.Key || fmt.Sprint(m2.Fields) != fmt.Sprint(m.Fields) {
				t.Fatalf("seed %d: manifests %+v and %+v", seed, m2, m)
			}
		}
	}
}

func TestManifest(t *testing.T) {
	key := "sku"
	_, m, frames := upload(t, &Upload{IndexUID: "i", PrimaryKey: &key, Body: strings.NewReader(
		`[{"b":{"c":[{"d":1},{"e":{}}]},"sku":"x","b":{"f":0}},{"sku":"x","a":[[{"g":1}]],"_vectors":{"v":[1]},"h.i":2}]`)})
	if m.Documents != 2 || m.Distinct != 1 || *m.Key != "sku" || m.Failure != nil {
		t.Errorf("%+v", m)
	}
	if got := strings.Join(m.First, " "); got != "b sku" {
		t.Errorf("first %q", got)
	}
	if got := strings.Join(m.Fields, " "); got != "b sku a _vectors h.i" {
		t.Errorf("fields %q", got)
	}
	if got := strings.Join(m.Nested, " "); got != "b.f a.g" {
		t.Errorf("nested %q", got)
	}
	if want := `{"b":{"f":0},"sku":"x"}`; !strings.HasSuffix(frames[0], want) {
		t.Errorf("frame %s, want %s", frames[0], want)
	}
	_, m, _ = upload(t, &Upload{IndexUID: "i", Body: strings.NewReader(`[{"id":1},{"no":2},{"id":null}]`)})
	if m.Failure == nil || m.Failure.Code != "missing_document_id" {
		t.Errorf("failure %+v", m.Failure)
	}
	_, m, _ = upload(t, &Upload{IndexUID: "i", Body: strings.NewReader(`[{"aid":1,"bid":2}]`)})
	if m.Key != nil || m.Distinct != 0 {
		t.Errorf("assumed %v", *m.Key)
	}
}

// A manifest does not carry thousands of names into the log; the leader finds
// them in the payload.
func TestManyNames(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{"id":1`)
	for i := range 3000 {
		fmt.Fprintf(&doc, `,"field-%d":{"x":%d}`, i, i)
	}
	doc.WriteString("}")
	r := newRig(t)
	uid := r.add("m", doc.String())
	accepted, _, _ := r.log.Task(uid)
	if len(accepted.Body) > 1000 {
		t.Errorf("a body of %d bytes", len(accepted.Body))
	}
	r.run()
	r.expect(uid, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	if f := r.index("m").Fields; len(f) != 6001 || f[0] != "id" || f[3000] != "field-2999" || f[6000] != "field-2999.x" {
		t.Errorf("%d fields", len(f))
	}
}

func TestFieldLimit(t *testing.T) {
	var docs strings.Builder
	docs.WriteString(`{"id":1`)
	for i := range maxFields {
		fmt.Fprintf(&docs, `,"f%d":0`, i)
	}
	docs.WriteString("}")
	r := newRig(t)
	r.run()
	r.expect(r.add("m", docs.String()), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "A document cannot contain more than 65,535 fields.")
	docs.Reset()
	docs.WriteString(`{"id":1,"o":{"z":0`)
	for i := range maxFields {
		fmt.Fprintf(&docs, `,"f%d":0`, i)
	}
	docs.WriteString("}}")
	r.expect(r.add("m", docs.String()), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m`: A document cannot contain more than 65,535 fields.")
}

// A malformed payload leaves nothing behind.
func TestMalformedPayload(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{`[{"id":1},`, "", `[{"id":1},{`, `[1]`} {
		_, err := r.writer.AddDocuments(context.Background(), &Upload{IndexUID: "i", Body: strings.NewReader(body)})
		var refused *api.Error
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v", body, err)
		}
	}
	broken := errors.New("the line broke")
	_, err := r.writer.AddDocuments(context.Background(), &Upload{IndexUID: "i", Body: io.MultiReader(strings.NewReader(`[{"id":1}`), failingReader{broken})})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if r.log.next != 0 || r.shards.blobs.staged != 0 {
		t.Error("something was stored")
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// A value that cannot be read fails the whole batch.
func TestFault(t *testing.T) {
	r := newRig(t)
	good, bad := r.add("m", `[{"id":1}]`), r.add("m", `[{"id":2,"n":1E400}]`)
	r.run()
	for _, uid := range []uint32{good, bad} {
		if got := r.wait(uid); got.Status != wire.Failed || !strings.HasPrefix(got.Error.Message, "Index `m`: internal: number out of range at line 1 column") {
			t.Errorf("task %d: %d %+v", uid, got.Status, got.Error)
		}
	}
}

func TestDistinctSpills(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 50, 5000} {
		d := newDistinct(t.TempDir())
		d.max = 64
		want := map[int]bool{}
		for range n {
			id := rnd.IntN(n)
			want[id] = true
			if err := d.add([]byte(fmt.Sprint(id))); err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.count()
		if err != nil || got != uint64(len(want)) {
			t.Errorf("seed %d, %d ids: %d distinct, want %d, %v", seed, n, got, len(want), err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// endless yields NDJSON of about n bytes without holding it.
type endless struct {
	n, i int
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.n <= 0 {
			return 0, io.EOF
		}
		e.i++
		e.rest = fmt.Appendf(e.rest[:0], `{"id":%d,"title":"document number %d of many","body":{"text":"%s"}}`+"\n", e.i, e.i, strings.Repeat("lorem ipsum ", 60))
		e.n -= len(e.rest)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Ingest needs a constant amount of memory, whatever the size of the upload.
func TestIngestMemory(t *testing.T) {
	var before, after runtime.MemStats
	p := newPayloadScan(io.Discard, t.TempDir(), assumeKey(nil, nil))
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	docs := 0
	if _, err := payload.Read(payload.NDJSON, 0, &endless{n: 48 << 20}, func(d *payload.Document) error {
		if docs++; docs%4096 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		}
		return p.add(d)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.finish(); err != nil {
		t.Fatal(err)
	}
	if peak > 24<<20 {
		t.Errorf("%d MiB held while reading 48 MiB", peak>>20)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkIngest(b *testing.B) {
	const size = 16 << 20
	b.SetBytes(size)
	for b.Loop() {
		p := newPayloadScan(io.Discard, b.TempDir(), assumeKey(nil, nil))
		if _, err := payload.Read(payload.NDJSON, 0, &endless{n: size}, p.add); err != nil {
			b.Fatal(err)
		}
		if _, err := p.finish(); err != nil {
			b.Fatal(err)
		}
	}
}

// A queue that is full takes in only what makes it smaller (spec write-api 1.7).
func TestFullQueueRefuses(t *testing.T) {
	l := newFakeLog("a")
	l.catalog.stored = maxStoredTasks
	w := NewWriter(l, &fakeBlobs{content: map[string][]byte{}}, t.TempDir())
	ctx := t.Context()
	if _, err := w.CreateIndex(ctx, "movies", nil); err == nil || err.Error() != api.TaskStoreFull().Message {
		t.Errorf("creation: %v", err)
	}
	if _, err := w.DeleteTasks(ctx, nil, "?uids=9"); err == nil {
		t.Error("a deletion of nothing was taken in")
	}
	if _, err := w.DeleteTasks(ctx, []uint32{1}, "?uids=1"); err != nil {
		t.Errorf("deletion: %v", err)
	}
}
