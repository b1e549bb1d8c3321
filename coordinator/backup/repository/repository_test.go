package repository

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/coordinator/backup/bucket"
)

// counted is a bucket that counts objects put into it, and can fail.
type counted struct {
	bucket.Bucket
	fail func(op, name string) error
}

func (c *counted) ask(op, name string) error {
	if c.fail == nil {
		return nil
	}
	return c.fail(op, name)
}

func (c *counted) Get(ctx context.Context, name string, limit int64) ([]byte, error) {
	if err := c.ask("get", name); err != nil {
		return nil, err
	}
	return c.Bucket.Get(ctx, name, limit)
}

func (c *counted) Put(ctx context.Context, name string, content []byte) error {
	if err := c.ask("put", name); err != nil {
		return err
	}
	return c.Bucket.Put(ctx, name, content)
}

func open(t *testing.T) (*Repository, *counted, string) {
	t.Helper()
	dir := t.TempDir()
	b, err := bucket.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Bucket: b}
	return Open(c), c, dir
}

// noise returns n incompressible bytes, always the same for a seed.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

var monday = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)

type content struct {
	name, tag string
	bytes     []byte
}

func write(t *testing.T, r *Repository, cluster string, at time.Time, basis Basis, streams ...content) (*Manifest, string) {
	t.Helper()
	w, err := r.Begin(t.Context(), cluster, at, basis)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if w.Reuse(s.name, s.tag) {
			continue
		}
		if err := w.Stream(s.name, s.tag, func(out io.Writer) error { _, err := out.Write(s.bytes); return err }); err != nil {
			t.Fatal(err)
		}
	}
	m, name, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m, name
}

func check(t *testing.T, r *Repository, name string, streams ...content) {
	t.Helper()
	m, err := r.Read(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := r.Walk(t.Context(), m, func(name string, in io.Reader) error {
		got, err := io.ReadAll(in)
		if err == nil && (name != streams[n].name || !bytes.Equal(got, streams[n].bytes)) {
			err = fmt.Errorf("%s has %d bytes, want %s with %d", name, len(got), streams[n].name, len(streams[n].bytes))
		}
		n++
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n != len(streams) {
		t.Errorf("%d streams of %d", n, len(streams))
	}
}

// A second snapshot sends only changes, even if bytes have moved.
func TestOnlyChangesAreSent(t *testing.T) {
	r, _, _ := open(t)
	big := noise(1, 20<<20)
	first := []content{{"catalogue", "", []byte("c")}, {"a", "a1", big}, {"b", "b1", noise(2, 3<<20)}, {"none", "", nil}}
	m, name := write(t, r, "x", monday, Basis{}, first...)
	check(t, r, name, first...)
	if m.Bytes != 23<<20+1 || m.Sent < m.Bytes || m.Sent > m.Bytes+m.Bytes/50 {
		t.Errorf("%d bytes, %d sent", m.Bytes, m.Sent)
	}
	if m, _ = write(t, r, "x", monday.Add(time.Hour), Basis{}, first...); m.Sent > 20<<10 {
		t.Errorf("nothing changed and %d bytes were sent", m.Sent)
	}
	changed := append(append(append([]byte{}, big[:7<<20]...), "some more bytes"...), big[7<<20:]...)
	second := []content{{"catalogue", "", []byte("d")}, {"a", "a2", changed}, {"b", "b1", nil}}
	m, name = write(t, r, "x", monday.Add(2*time.Hour), Basis{}, second...)
	second[2].bytes = first[2].bytes
	check(t, r, name, second...)
	if m.Sent > 3*maxChunk {
		t.Errorf("some bytes more made %d bytes", m.Sent)
	}
	// Another cluster's snapshots share chunks, but no tags.
	w, err := r.Begin(t.Context(), "y", monday, Basis{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Reuse("b", "b1") {
		t.Error("another cluster's stream was taken over")
	}
	if _, err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	if m, _ = write(t, r, "y", monday, Basis{}, second...); m.Sent > 20<<10 {
		t.Errorf("what another cluster sent was sent again: %d bytes", m.Sent)
	}
}

// A draft is sent before the snapshot, which sends the rest.
func TestADraftIsSentBeforeItsSnapshot(t *testing.T) {
	r, _, _ := open(t)
	a := content{"a", "a1", noise(3, 4<<20)}
	w, err := r.Begin(t.Context(), "x", monday, Basis{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Stream(a.name, a.tag, func(out io.Writer) error { _, err := out.Write(a.bytes); return err }); err != nil {
		t.Fatal(err)
	}
	draft, err := w.Stop()
	if err != nil || draft.Sent < 4<<20 {
		t.Fatalf("%d bytes sent, %v", draft.Sent, err)
	}
	if list, err := r.Snapshots(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a draft is no snapshot: %v, %v", list, err)
	}
	m, name := write(t, r, "x", monday, Basis{Draft: draft}, content{a.name, a.tag, nil})
	if m.Sent > 20<<10 {
		t.Errorf("%d bytes", m.Sent)
	}
	check(t, r, name, a)
}

// Damaged and missing objects are found before anything is restored.
func TestDamageIsFoundBeforeARestoration(t *testing.T) {
	r, _, dir := open(t)
	_, name := write(t, r, "x", monday, Basis{}, content{"a", "", noise(4, 1<<20)}, content{"text", "", []byte(strings.Repeat("words ", 1000))})
	m, err := r.Read(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "chunks", "*", "*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, filepath.Join(dir, "snapshots", name)) {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flipped := bytes.Clone(whole)
		flipped[len(flipped)/2] ^= 0x10
		for what, content := range map[string][]byte{"flipped": flipped, "cut": whole[:len(whole)/2], "empty": {}, "another form": append([]byte{9}, whole[1:]...)} {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, readErr := r.Read(t.Context(), name)
			if err := errors.Join(readErr, r.Verify(t.Context(), m)); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s %s: %v", filepath.Base(file), what, err)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(t.Context(), m); !strings.Contains(file, name) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s missing: %v", filepath.Base(file), err)
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Verify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// A chunk that is missing although a snapshot names it is noticed and sent again.
func TestALostChunkIsSentAgain(t *testing.T) {
	r, _, dir := open(t)
	a := content{"a", "a1", noise(5, 1<<20)}
	write(t, r, "x", monday, Basis{}, a)
	files, err := filepath.Glob(filepath.Join(dir, "chunks", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	w, err := r.Begin(t.Context(), "x", monday.Add(time.Hour), Basis{})
	if err != nil {
		t.Fatal(err)
	}
	if !w.Reuse("a", "a1") {
		t.Fatal("the stream was not taken over")
	}
	if _, _, err := w.Finish(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("%v", err)
	}
	_, name := write(t, r, "x", monday.Add(time.Hour), Basis{Nothing: true}, a)
	check(t, r, name, a)
}

// When the bucket fails, the snapshot fails with the bucket's error and is not created.
func TestAFailingBucketLeavesNoSnapshot(t *testing.T) {
	for _, op := range []string{"chunks/", "snapshots/"} {
		r, b, _ := open(t)
		b.fail = func(_, name string) error {
			if strings.HasPrefix(name, op) {
				return bucket.ErrFull
			}
			return nil
		}
		w, err := r.Begin(t.Context(), "x", monday, Basis{})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Stream("a", "", func(out io.Writer) error {
			for i := range 200 { // continues until it is stopped
				if _, err := out.Write(noise(uint64(i), 1<<20)); err != nil {
					return err
				}
				if op == "snapshots/" && i == 3 {
					return nil
				}
			}
			return nil
		})
		if err == nil {
			_, _, err = w.Finish(t.Context())
		} else if _, stopErr := w.Stop(); !errors.Is(stopErr, bucket.ErrFull) {
			t.Errorf("%s: stop: %v", op, stopErr)
		}
		if !errors.Is(err, bucket.ErrFull) {
			t.Errorf("%s: %v", op, err)
		}
		b.fail = nil
		if list, err := r.Snapshots(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", op, list, err)
		}
	}
}

// When fill fails, its error is returned.
func TestTheErrorOfAFailingSourceIsReturned(t *testing.T) {
	r, _, _ := open(t)
	w, err := r.Begin(t.Context(), "x", monday, Basis{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := w.Stream("a", "", func(out io.Writer) error {
		_, err := out.Write(noise(1, 3<<20))
		return errors.Join(err, broken)
	}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := w.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAPolicyKeepsTheNewestAndOnePerDay(t *testing.T) {
	var list []Entry
	for h := range 24 * 30 { // hourly for thirty days
		at := monday.Add(-time.Duration(24*30-1-h) * time.Hour)
		list = append(list, Entry{Name: nameOf("x", at), Cluster: "x", Taken: at})
	}
	for _, c := range []struct {
		keep Policy
		want int
	}{{Policy{48, 14}, 48 + 14 - 3 + 1}, {Policy{1, 0}, 1}, {Policy{0, 0}, 1}, {Policy{2, 1}, 2}, {Policy{1, 3}, 3}, {Policy{1000, 0}, len(list)}} {
		gone := c.keep.dropped(list, monday)
		kept := len(list) - len(gone)
		if kept != c.want && !(c.keep.Last == 48 && kept >= 48+11 && kept <= 48+13) {
			t.Errorf("%+v keeps %d, want %d", c.keep, kept, c.want)
		}
		for _, e := range gone {
			if e.Name == list[len(list)-1].Name {
				t.Errorf("%+v drops the newest", c.keep)
			}
		}
	}
}

// Dropped snapshots keep their chunks for a day. Then the chunks that no manifest names are
// deleted, and nothing else.
func TestPruneDeletesUnnamedChunksAfterADay(t *testing.T) {
	r, _, dir := open(t)
	shared := content{"shared", "", noise(6, 2<<20)}
	own := func(i int) content { return content{"own", "", noise(uint64(100+i), 1<<20)} }
	for i := range 3 {
		write(t, r, "x", monday.Add(time.Duration(i)*time.Hour), Basis{}, shared, own(i))
	}
	_, other := write(t, r, "y", monday, Basis{}, shared, own(9))
	prune := func(at time.Time) Pruned {
		t.Helper()
		p, err := r.Prune(t.Context(), "x", Policy{Last: 1}, at)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	now := time.Now()
	if p := prune(now); p.Snapshots != 2 || p.Chunks != 0 {
		t.Errorf("%+v", p)
	}
	if p := prune(now.Add(47 * time.Hour)); p != (Pruned{}) {
		t.Errorf("within the grace: %+v", p)
	}
	files, err := filepath.Glob(filepath.Join(dir, "chunks", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	p := prune(now.Add(49 * time.Hour))
	if p.Chunks < 4 || p.Bytes < 2<<20 || p.Bytes > 2<<20+2<<10 {
		t.Errorf("%+v of %d", p, len(files))
	}
	e, err := r.Newest(t.Context(), func(e Entry) bool { return e.Cluster == "x" })
	if err != nil {
		t.Fatal(err)
	}
	check(t, r, e.Name, shared, own(2))
	check(t, r, other, shared, own(9))
	if left, err := r.entries(t.Context(), folderDropped); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A snapshot whose manifest cannot be read may name any chunk, so nothing is deleted.
func TestAnUnreadableManifestPreventsDeletions(t *testing.T) {
	r, _, dir := open(t)
	_, first := write(t, r, "x", monday, Basis{}, content{"a", "", noise(7, 1<<20)})
	write(t, r, "x", monday.Add(time.Hour), Basis{}, content{"a", "", noise(8, 1<<20)})
	if _, err := r.Prune(t.Context(), "x", Policy{Last: 1}, time.Now()); err != nil {
		t.Fatal(err)
	}
	_, bad := write(t, r, "y", monday, Basis{}, content{"a", "", noise(9, 1<<20)})
	if err := os.WriteFile(filepath.Join(dir, "snapshots", bad), []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := r.Prune(t.Context(), "x", Policy{Last: 1}, time.Now().Add(72*time.Hour))
	if !errors.Is(err, ErrDamaged) || p.Chunks != 0 {
		t.Errorf("%+v, %v after %s was dropped", p, err, first)
	}
}

func FuzzManifest(f *testing.F) {
	m := Manifest{Format: format, Cluster: "x", Taken: monday, Streams: []Stream{{Name: "a", Chunks: []Hash{{1}}}}}
	whole, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decodeManifest(data); err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}
