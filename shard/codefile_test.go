package shard

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
)

// codeWorld has documents with vectors.
type codeWorld struct {
	*world
	fs      vfs.FS
	rng     *rand.Rand
	vectors map[string][][]float32
	room    int64
	// read and sheets count the files that were opened and created.
	read, sheets atomic.Int64
	// passed is how far the clock was moved, in nanoseconds.
	passed atomic.Int64
}

func newCodeWorld(t *testing.T, room int64) *codeWorld {
	w := &codeWorld{rng: rand.New(rand.NewPCG(1, 2)), vectors: map[string][][]float32{}, room: room}
	w.fs = errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, ".codes") && op.Kind == errorfs.OpOpen {
			w.read.Add(1)
		}
		if strings.HasSuffix(op.Path, ".codes.unfinished") && op.Kind == errorfs.OpCreate {
			w.sheets.Add(1)
		}
		return nil
	}))
	w.world = newWorld(t, openHost(t, w.fs, w.limited))
	w.settings = embedderSettings("a")
	w.settings.Embedders["a"] = json.RawMessage(`{"source":"userProvided","dimensions":8}`)
	return w
}

func (w *codeWorld) limited(o *Options) {
	o.Budget.Vectors = w.room
	o.Now = func() time.Time { return time.Unix(1_000_000, w.passed.Load()) }
}

// put gives documents new vectors.
func (w *codeWorld) put(ids ...int) {
	w.t.Helper()
	var docs []string
	for _, id := range ids {
		v := make([]float32, 8)
		for i := range v {
			v[i] = w.rng.Float32() - 0.5
		}
		text, _ := json.Marshal(v)
		docs = append(docs, fmt.Sprintf(`{"id":%d,"_vectors":{"a":%s}}`, id, text))
		w.vectors[fmt.Sprint(id)] = [][]float32{v}
	}
	w.commit(add(w.t, docs...))
}

// search compares a few searches with brute force.
func (w *codeWorld) search() {
	w.t.Helper()
	for range 3 {
		target := make([]float32, 8)
		for i := range target {
			target[i] = w.rng.Float32() - 0.5
		}
		w.compareNear(w.vectors, target, vector.AnyStore, false)
	}
}

// save has the present codes written. A first look only notices them.
func (w *codeWorld) save() {
	w.t.Helper()
	for range 2 {
		w.passed.Add(int64(2 * time.Minute))
		w.host.codes.Save(context.Background())
	}
}

func (w *codeWorld) restart() {
	w.t.Helper()
	w.reopen(w.fs, w.limited)
}

func (w *codeWorld) files(suffix string) (out []string) {
	w.t.Helper()
	names, err := w.fs.List(filepath.Join("data", codeFolder))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasSuffix(n, suffix) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// content returns a file of codes.
func (w *codeWorld) content(name string) ([]byte, error) {
	f, err := w.fs.Open(filepath.Join("data", codeFolder, name))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

func numbers(lo, hi int) (out []int) {
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

// unfiled counts the blocks of the newest version whose codes are not in a file.
func (w *codeWorld) unfiled() (n int) {
	w.host.replicas.eachNewest(func(v *version.Version) {
		for i := range v.VectorTable().Len() {
			if v.VectorTable().File(i) == "" {
				n++
			}
		}
	})
	return n
}

func TestCodesAreFoundAfterARestart(t *testing.T) {
	w := newCodeWorld(t, 1<<20)
	w.put(numbers(0, 6000)...)
	w.search()
	w.save()
	if files := w.files(".codes"); len(files) != 2 || w.unfiled() != 0 {
		t.Fatalf("files %v, want one for each of two blocks", files)
	}
	w.restart()
	w.search()
	if n := w.read.Load(); n < 2 || n > 4 || w.sheets.Load() != 2 { // for upper halves, and perhaps for lower ones
		t.Errorf("files were read %d times and %d written, want 2 to 4 and 2", n, w.sheets.Load())
	}

	// A changed block is written again once it is stable, and its old file is removed.
	before := w.files(".codes")
	w.put(5000)
	w.search()
	w.save()
	if after := w.files(".codes"); len(after) != 2 || after[0] != before[0] || after[1] == before[1] {
		t.Errorf("files %v, before %v", after, before)
	}

	// A node that ends writes the codes that it has, stable or not.
	w.put(5001)
	w.search()
	w.restart()
	if n := w.unfiled(); n != 0 {
		t.Errorf("%d blocks are without a file after a restart, want none", n)
	}
	w.search()

	// Codes that nobody has computed when it ends are computed after it; the rest is found.
	w.put(5001)
	w.restart()
	w.search()
	if n := w.unfiled(); n != 1 {
		t.Errorf("%d blocks are without a file, want the one that changed", n)
	}

	// No code file fits another version: this process ends without a last look.
	w.put(0)
	w.search()
	list := filepath.Join("data", codeFolder, w.files(".list")[0])
	keep, err := w.fs.Open(list)
	if err != nil {
		t.Fatal(err)
	}
	old := make([]byte, 1<<16)
	n, _ := keep.ReadAt(old, 0)
	if err := keep.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	w.overwrite(list, old[:n])
	w.host = openHost(t, w.fs, w.limited)
	w.search()
	if n := w.unfiled(); n != 2 {
		t.Errorf("%d blocks are without a file, want all", n)
	}
	if err := w.host.Drop(w.key); err != nil {
		t.Fatal(err)
	}
	if left := w.files(""); len(left) != 0 {
		t.Errorf("a dropped shard leaves %v", left)
	}
	w.close()
}

func (w *codeWorld) overwrite(path string, data []byte) {
	w.t.Helper()
	f, err := w.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// A block whose codes have no room in memory is not searched vector by vector: its
// codes are read from the file.
func TestCodesWithoutRoomAreReadFromFiles(t *testing.T) {
	w := newCodeWorld(t, 1)
	w.put(numbers(0, 5000)...)
	w.search()
	w.save()
	if n := w.unfiled(); n != 0 {
		t.Fatalf("%d blocks are without a file", n)
	}
	w.search()
	if w.read.Load() == 0 || w.host.shared.Vectors.Held() > 1 {
		t.Errorf("%d files were read, %d bytes are held", w.read.Load(), w.host.shared.Vectors.Held())
	}
	w.close()
}

// A program of before wrote other files. They are computed again without a warning, and
// removed.
func TestCodesOfAFormerFormAreComputedAgain(t *testing.T) {
	w := newCodeWorld(t, 1<<20)
	w.put(numbers(0, 5000)...)
	w.search()
	w.save()
	list := filepath.Join("data", codeFolder, w.files(".list")[0])
	raw, err := w.content(filepath.Base(list))
	if err != nil {
		t.Fatal(err)
	}
	var written struct { // the first form had no number of the form
		Version    uint64 `msgpack:"v"`
		Delta      string `msgpack:"d"`
		Generation uint16 `msgpack:"g"`
		Files      []struct {
			Block int    `msgpack:"b"`
			Name  string `msgpack:"n"`
		} `msgpack:"f"`
	}
	if err := wire.Unmarshal(raw[:len(raw)-8], &written); err != nil {
		t.Fatal(err)
	}
	if raw, err = wire.Marshal(written); err != nil {
		t.Fatal(err)
	}
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	w.overwrite(list, binary.LittleEndian.AppendUint64(raw, xxhash.Sum64(raw)))
	var log bytes.Buffer
	w.host = openHost(t, w.fs, w.limited, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.search()
	if n := w.unfiled(); n != 2 || strings.Contains(log.String(), "WARN") {
		t.Errorf("%d blocks are without a file, want both; log: %s", n, &log)
	}
	w.save()
	if n := w.unfiled(); n != 0 {
		t.Errorf("%d blocks are without a file, want none", n)
	}
	w.close()
}

// Cut, changed or swapped files do not change answers and are written again.
func TestDamagedCodesAreComputedAgain(t *testing.T) {
	for _, room := range []int64{1 << 20, 1} {
		w := newCodeWorld(t, room)
		w.put(numbers(0, 5000)...)
		w.search()
		w.save()
		names := w.files(".codes")
		if len(names) != 2 {
			t.Fatal(names)
		}
		var data [][]byte
		for _, n := range names {
			raw, err := w.content(n)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, raw)
		}
		for what, damage := range map[string]func(data []byte) []byte{
			"cut":                func(data []byte) []byte { return data[:len(data)/2] },
			"empty":              func([]byte) []byte { return nil },
			"flipped":            func(data []byte) []byte { data[len(data)/3] ^= 1; return data },
			"that of another":    func([]byte) []byte { return data[1] },
			"of another program": func([]byte) []byte { return []byte("shoal codes 9\nsomething that is longer than a sum") },
		} {
			if err := w.host.Close(); err != nil {
				t.Fatal(err)
			}
			w.overwrite(filepath.Join("data", codeFolder, names[0]), damage(slices.Clone(data[0])))
			w.host = openHost(t, w.fs, w.limited)
			w.search()
			if n := w.unfiled(); n != 1 {
				t.Errorf("%s: %d blocks are without a file, want the damaged one", what, n)
			}
			w.save()
			if again, err := w.content(names[0]); err != nil || w.unfiled() != 0 || !slices.Equal(again, data[0]) {
				t.Errorf("%s: the file is not what it was (%v)", what, err)
			}
		}
		w.close()
	}
}

// What cannot be written to a full disk is tried again later.
func TestSearchesGoOnWhenCodesCannotBeWritten(t *testing.T) {
	var full atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, codeFolder) {
			return errorfs.ErrInjected
		}
		return nil
	}))
	w := &codeWorld{rng: rand.New(rand.NewPCG(1, 2)), vectors: map[string][][]float32{}, room: 1 << 20, fs: fs}
	w.world = newWorld(t, openHost(t, fs, w.limited))
	w.settings = embedderSettings("a")
	w.settings.Embedders["a"] = json.RawMessage(`{"source":"userProvided","dimensions":8}`)
	w.put(numbers(0, 1000)...)
	w.search()
	full.Store(true)
	w.save()
	w.search()
	if left := w.files(""); len(left) != 0 {
		t.Errorf("a full disk has %v", left)
	}
	full.Store(false)
	w.save()
	if w.unfiled() != 0 {
		t.Error("nothing was written when there was room again")
	}
	w.close()
}
