package queue

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/payload"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/staged"
)

// upload runs an upload through a Writer and returns the accepted task, its manifest and its
// frames.
func upload(t *testing.T, up *payload.Upload) (*wire.Task, *task.Manifest, []string) {
	t.Helper()
	log := coordtest.NewLog("n1")
	blobs := coordtest.NewBlobs()
	summary, err := NewWriter(log, blobs, t.TempDir()).AddDocuments(context.Background(), up)
	if err != nil {
		t.Fatal(err)
	}
	accepted, _, _ := log.Task(summary.TaskUID)
	body, err := task.Decode[task.Addition](accepted)
	if err != nil {
		t.Fatal(err)
	}
	var in io.Reader = bytes.NewReader(accepted.Payload.Inline)
	if accepted.Payload.Blob != nil {
		in, err = blobs.Open(context.Background(), accepted.Payload.Blob)
		if err != nil {
			t.Fatal(err)
		}
	}
	rd, err := staged.NewReader(in)
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
				o = append(jsonvalue.AppendString(o, k), ':')
				o = jsonvalue.AppendString(o, row[i])
			}
			objects = append(objects, string(append(o, '}')))
		}
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		read := func(f payload.Format, body string) (*task.Manifest, []string) {
			_, m, frames := upload(t, &payload.Upload{IndexUID: "i", Format: f, Delimiter: ',', Body: strings.NewReader(body)})
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
	_, m, frames := upload(t, &payload.Upload{IndexUID: "i", PrimaryKey: &key, Body: strings.NewReader(
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
	_, m, _ = upload(t, &payload.Upload{IndexUID: "i", Body: strings.NewReader(`[{"id":1},{"no":2},{"id":null}]`)})
	if m.Failure == nil || m.Failure.Code != "missing_document_id" {
		t.Errorf("failure %+v", m.Failure)
	}
	_, m, _ = upload(t, &payload.Upload{IndexUID: "i", Body: strings.NewReader(`[{"aid":1,"bid":2}]`)})
	if m.Key != nil || m.Distinct != 0 {
		t.Errorf("assumed %v", *m.Key)
	}
}

// A malformed payload leaves nothing behind.
func TestMalformedPayload(t *testing.T) {
	log := coordtest.NewLog("n1")
	blobs := coordtest.NewBlobs()
	writer := NewWriter(log, blobs, t.TempDir())
	for _, body := range []string{`[{"id":1},`, "", `[{"id":1},{`, `[1]`} {
		_, err := writer.AddDocuments(context.Background(), &payload.Upload{IndexUID: "i", Body: strings.NewReader(body)})
		var refused *apierr.Error
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v", body, err)
		}
	}
	broken := errors.New("the line broke")
	_, err := writer.AddDocuments(context.Background(), &payload.Upload{IndexUID: "i", Body: io.MultiReader(strings.NewReader(`[{"id":1}`), failingReader{broken})})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if log.Next != 0 || blobs.Staged != 0 {
		t.Error("something was stored")
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
