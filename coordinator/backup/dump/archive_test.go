package dump

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/wire"
)

// archiveOf makes a dump of the files given.
func archiveOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, name := range sortedNames(files) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(files[name])), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// filesOf reads a whole archive.
func filesOf(t testing.TB, file string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := walk(context.Background(), file, func(e *entry) error {
		data, err := e.small()
		files[e.name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// rewrite copies a dump with one file replaced.
func rewrite(t testing.TB, file, name, content string) string {
	t.Helper()
	files := filesOf(t, file)
	files[name] = content
	out := filepath.Join(t.TempDir(), "rewritten.dump")
	if err := os.WriteFile(out, archiveOf(t, files), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestChunksAreWholeLines(t *testing.T) {
	line := strings.Repeat("x", 1<<20) + "\n"
	text := " \n" + strings.Repeat(line, 70) + "last"
	e := &entry{name: "d", r: strings.NewReader(text)}
	var pieces []int
	all := ""
	if err := e.chunks(func(piece io.Reader) error {
		data, err := io.ReadAll(piece)
		all += string(data)
		pieces = append(pieces, len(data))
		if n := len(data); n > chunkBytes+len(line) {
			t.Errorf("a piece of %d bytes", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if all != text[2:] || len(pieces) != 3 {
		t.Errorf("%d bytes in pieces of %v", len(all), pieces)
	}
}

func TestUnsafeEntryNamesAreSkipped(t *testing.T) {
	for name, want := range map[string]string{
		"./metadata.json": "metadata.json", "indexes/a/settings.json": "indexes/a/settings.json",
		"../evil": "", "/etc/passwd": "", "indexes/._x": "", "a/../../b": "",
	} {
		got, ok := entryName(&tar.Header{Typeflag: tar.TypeReg, Name: name})
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

func FuzzVerify(f *testing.F) {
	good := map[string]string{
		"metadata.json": `{"dumpVersion":"V6"}`, "keys.jsonl": `{"uid":"11111111-1111-4111-8111-111111111111","actions":["*"],"indexes":["*"],"expires_at":null}`,
		"tasks/queue.jsonl":          `{"uid":0,"indexUid":"m","status":"enqueued","type":{"documentImport":{"primary_key":null,"method":"ReplaceDocuments","documents_count":1}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		"tasks/update_files/0.jsonl": `{"id":1}`,
		"indexes/m/metadata.json":    `{"uid":"m","primaryKey":"id","createdAt":"2026-01-01T00:00:05Z","updatedAt":"2026-01-01T00:00:05Z"}`,
		"indexes/m/settings.json":    `{"stopWords":["a"]}`,
		"indexes/m/documents.jsonl":  `{"id":1}`,
		"batches/queue.jsonl":        `{"uid":1,"stats":{},"startedAt":"2026-01-01T00:00:05Z","finishedAt":null}`,
		"webhooks.json":              `{"webhooks":{}}`,
		"experimental-features.json": `{"metrics":true}`,
		"network.json":               `{"remotes":{}}`,
	}
	names := sortedNames(good)
	for i, name := range names {
		f.Add(uint8(i), []byte(good[name]))
	}
	for _, line := range []string{
		`{"uid":1,"status":"failed","type":"documentClear","indexUid":"m","error":{"message":"m","code":"c"},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"status":"enqueued","type":{"taskCancelation":{"query":"?","tasks":[58,48,0,0,0,0,0,0]}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"status":"succeeded","type":{"export":{"url":"u","api_key":"k","payload_size":"24 MiB","indexes":{"*":{"filter":null,"override_settings":true}}}},"details":{"Export":{"url":"u","indexes":{}}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
	} {
		f.Add(uint8(7), []byte(line))
	}
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		files := map[string]string{}
		for _, name := range names {
			files[name] = good[name]
		}
		files[names[int(which)%len(names)]] = string(content)
		file := filepath.Join(t.TempDir(), "f.dump")
		if err := os.WriteFile(file, archiveOf(t, files), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(t.Context(), file); err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}

// FuzzLine reads one line as every kind of record. A task that was read and written must not
// change when that is done again.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		`{"uid":0,"batchUid":0,"indexUid":"m","status":"enqueued","type":{"documentImport":{"primary_key":null,"method":"UpdateDocuments","documents_count":1}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"status":"failed","type":"documentClear","indexUid":"m","error":{"message":"m","code":"c"},"enqueuedAt":"2026-01-01T00:00:05Z","finishedAt":"2026-01-01T00:00:05.5Z"}`,
		`{"uid":1,"status":"enqueued","type":{"tasksDeletion":{"query":"?","tasks":[58,48,0,0,1,0,0,0,0,0,0,0,16,0,0,0,1,0]}},"details":{"TaskDeletion":{"matched_tasks":1,"deleted_tasks":null,"original_filter":"?"}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"status":"succeeded","type":{"export":{"url":"u","api_key":"k","payload_size":"24 MiB","indexes":{"*":{"filter":null,"override_settings":true}}}},"details":{"Export":{"url":"u","indexes":{}}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"status":"succeeded","type":{"upgradeDatabase":{"from":[1,49,0]}},"details":{"UpgradeDatabase":{"from":[1,49,0],"to":[1,50,0]}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":1,"indexUid":"m","status":"succeeded","type":{"settings":{"settings":{"stopWords":["a"]},"is_deletion":false}},"details":{"SettingsUpdate":{"settings":{"stopWords":["a"]}}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
		`{"uid":"11111111-1111-4111-8111-111111111111","actions":["*"],"indexes":["*"],"expires_at":"2030-01-01"}`,
		`{"uid":1,"indexUid":"m","status":"canceled","canceledBy":2,"type":{"indexUpdate":{"primary_key":"a","uid":"b"}},"details":{"IndexInfo":{"primary_key":"a","new_index_uid":"b","old_index_uid":"m"}},"enqueuedAt":"2026-01-01T00:00:05Z"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		_, _ = readKey(line)
		_, _ = readBatch(line)
		_, _ = readSettings(line)
		first, err := readTaskLine(line)
		if err != nil {
			return
		}
		text := rewritten(t, first)
		again, err := readTaskLine(text)
		if err != nil {
			t.Fatalf("%s became %s: %v", line, text, err)
		}
		if last := rewritten(t, again); string(last) != string(text) {
			t.Errorf("%s became %s, then %s", line, text, last)
		}
	})
}

func rewritten(t *testing.T, r *readTask) []byte {
	w := taskWriter{load: func(*wire.Payload) ([]byte, error) { return r.content, nil }, dump: wire.NoBatch}
	out, err := w.line(&r.Task)
	if err != nil {
		t.Fatal(err)
	}
	text, err := encode(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
