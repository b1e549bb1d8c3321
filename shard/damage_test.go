package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/shipment"
	"shoal/shard/store"
	"shoal/wire"
)

// harmedWorld is a shard on two nodes. The disk of the first one is about to lose data.
type harmedWorld struct {
	*world
	fs     vfs.FS
	second *world // on the other node
}

// twoCopies makes a shard of n documents with its tables on disk, and a copy of it.
func twoCopies(t *testing.T, n int, change ...func(*Options)) *harmedWorld {
	t.Helper()
	mem := vfs.NewMem()
	w := newWorld(t, nil)
	w.replicas = []wire.Replica{{Node: "n1", State: wire.InSync}, {Node: "n2", State: wire.InSync}}
	w.host = openHost(t, mem, append(change, w.published)...)
	before := w.taken()
	var docs []string
	for i := range n {
		docs = append(docs, fmt.Sprintf(`{"id":%d,"a":"word%d and some others %x"}`, i, i, rand.Uint64()))
		w.put(before, docs[i], false)
	}
	w.commit(add(t, docs...))
	second := newWorld(t, openHost(t, vfs.NewMem()))
	second.sameAs(w)
	if _, err := second.host.Receive(strings.NewReader(w.whole())); err != nil {
		t.Fatal(err)
	}
	if err := w.host.store.DB.Flush(); err != nil {
		t.Fatal(err)
	}
	return &harmedWorld{world: w, fs: mem, second: second}
}

// whole returns the shard as SendCopy writes it.
func (w *world) whole() string {
	w.t.Helper()
	var b bytes.Buffer
	if _, err := w.host.SendCopy(context.Background(), testKey, w.version, &b); err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// flip changes one bit of a file.
func flip(t *testing.T, fs vfs.FS, path string, at int64) {
	t.Helper()
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1 << (at % 8)
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// scrub reads all files once.
func (w *world) scrub() {
	w.t.Helper()
	files, err := w.host.store.TableFiles()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range files {
		if err := w.host.store.CheckTable(f.Path, func(int) error { return nil }); err != nil {
			w.host.repair.damagedFile(w.t.Context(), f, err)
		}
	}
}

// reopened closes the host, so that nothing stays in memory, and opens it again.
func (w *harmedWorld) reopened(fs vfs.FS, change ...func(*Options)) {
	w.t.Helper()
	if err := w.host.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.host = openHost(w.t, fs, append(change, w.published)...)
}

// published shows the host what the world has published.
func (w *world) published(o *Options) {
	o.Index = func(uint32) (*wire.Index, bool) { return w.index(), true }
	o.Indexes = func() []*wire.Index { return []*wire.Index{w.index()} }
}

// missing is what the follower is told.
func (w *world) missing() []wire.Missing {
	w.t.Helper()
	missing, err := w.host.Publish(w.index(), testKey.Shard)
	if err != nil {
		w.t.Fatal(err)
	}
	return missing
}

// Bits are flipped all over the tables. Reading them reports the damage, no wrong data
// is ever read, and a copy restores the shard.
func TestAFlippedBitIsFoundAndRepairedFromACopy(t *testing.T) {
	w := twoCopies(t, 3000)
	files, err := w.host.store.TableFiles()
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v %v", files, err)
	}
	for round := range 4 {
		f := files[round%len(files)]
		info, err := w.fs.Stat(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		at := rand.Int64N(info.Size())
		if round == 0 {
			at = info.Size() - 1 // the part that opens the table
		}
		w.reopened(w.fs)
		flip(t, w.fs, f.Path, at)
		w.reopened(w.fs)
		w.scrub()
		if d := w.host.Damaged(); len(d) != 1 || d[0].Key != testKey || d[0].Emptied {
			t.Fatalf("bit %d of %s is not what it was, damage found: %+v", at, f.Path, d)
		}
		pin := &wire.PinnedIndex{Key: testKey, Version: w.version, DeltaID: w.delta}
		if _, err := w.host.View(context.Background(), pin); !errors.Is(err, wire.ErrUnavailable) {
			t.Fatalf("a damaged shard that is elsewhere, too: %v", err)
		}
		if m := w.missing(); len(m) != 1 || m[0].Damaged == "" {
			t.Fatalf("the follower is told %+v", m)
		}
		if _, err := w.host.Receive(strings.NewReader(w.second.whole())); err != nil {
			t.Fatal(err)
		}
		if d := w.host.Damaged(); len(d) > 0 {
			t.Fatalf("after the copy: %+v", d)
		}
		w.check()
		if err := w.host.store.DB.Flush(); err != nil {
			t.Fatal(err)
		}
		w.scrub()
		if d := w.host.Damaged(); len(d) > 0 {
			t.Fatalf("the damage came back: %+v", d)
		}
		if files, err = w.host.store.TableFiles(); err != nil {
			t.Fatal(err)
		}
	}
	w.close()
	w.second.close()
}

// A request that needs lost data gets an error; all others are answered.
func TestADamagedShardWithoutCopyServesItsSoundParts(t *testing.T) {
	w := twoCopies(t, 20_000)
	w.second.close()
	w.replicas = w.replicas[:1]
	files, err := w.host.store.TableFiles()
	if err != nil {
		t.Fatal(err)
	}
	w.reopened(w.fs)
	lo, hi := store.TableRange(testKey, 0, store.TableDocument)
	var stored store.TableFile
	for _, f := range files {
		if f.Overlaps(store.KeyRange{Lo: lo, Hi: hi}) {
			stored = f
		}
	}
	flip(t, w.fs, stored.Path, stored.Size/2)
	w.reopened(w.fs)
	read := func() (sound, lost int) {
		v := w.view()
		docs := v.OpenDocuments()
		for ord := uint32(0); ord < 20_000; ord += 200 { // finding the flipped bit takes long
			_, _, ok, err := docs.Read(ord)
			switch err = w.host.faults.Translate(err, testKey); {
			case err == nil && ok:
				sound++
			case errors.Is(err, wire.ErrDamaged):
				lost++
			default:
				t.Fatalf("document %d: %t %v", ord, ok, err)
			}
		}
		docs.Close()
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		return sound, lost
	}
	sound, lost := read()
	t.Logf("%d documents can be read, %d are lost", sound, lost)
	if sound < 50 || lost == 0 {
		t.Errorf("%d documents can be read, %d are lost", sound, lost)
	}
	if d := w.host.Damaged(); len(d) != 1 || d[0].Emptied {
		t.Errorf("damage %+v", d)
	}
	if m := w.missing(); len(m) > 0 {
		t.Errorf("a copy is wanted that nobody has: %+v", m)
	}
	w.scrub()
	if again, _ := read(); again != sound {
		t.Errorf("%d documents can be read, then %d", sound, again)
	}
	w.close()
}

// A reader keeps the version that it holds. The shard is emptied when the reader is
// done.
func TestADamagedShardIsEmptiedOnceNobodyReadsIt(t *testing.T) {
	w := twoCopies(t, 100)
	v := w.view()
	w.host.faults.Mark(testKey, errors.New("for the test"))
	r, err := w.host.replicas.loaded(testKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.drain(50 * time.Millisecond); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("a version that is read: %v", err)
	}
	done := make(chan error, 1)
	copied := w.second.whole()
	go func() {
		_, err := w.host.Receive(strings.NewReader(copied))
		done <- err
	}()
	docs := v.OpenDocuments()
	for ord := range uint32(100) {
		if _, _, ok, err := docs.Read(ord); !ok || err != nil {
			t.Fatalf("document %d: %t %v", ord, ok, err)
		}
	}
	docs.Close()
	select {
	case err := <-done:
		t.Fatalf("the shard was emptied under a reader: %v", err)
	default:
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.check()
	w.close()
	w.second.close()
}

// After a crash between emptying and the copy, the data is neither the old shard nor
// the new one.
func TestAShardEmptiedBeforeACrashIsNotRead(t *testing.T) {
	w := twoCopies(t, 100)
	w.host.faults.Mark(testKey, errors.New("for the test"))
	r, err := w.host.replicas.loaded(testKey)
	if err != nil {
		t.Fatal(err)
	}
	r.installing.Lock()
	err = w.host.repair.empty(r)
	r.installing.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	w.reopened(w.fs)
	if d := w.host.Damaged(); len(d) != 1 || !d[0].Emptied {
		t.Fatalf("after the start: %+v", d)
	}
	w.replicas = w.replicas[:1] // no replica left, and still the rest is not read
	if _, err := w.host.View(context.Background(), &wire.PinnedIndex{Key: testKey, Version: w.version, DeltaID: w.delta}); !errors.Is(err, wire.ErrUnavailable) {
		t.Errorf("an emptied shard: %v", err)
	}
	if _, err := w.host.Receive(strings.NewReader(w.second.whole())); err != nil {
		t.Fatal(err)
	}
	w.check()
	w.reopened(w.fs)
	if d := w.host.Damaged(); len(d) > 0 {
		t.Errorf("after the copy and a start: %+v", d)
	}
	w.check()
	w.close()
	w.second.close()
}

// Symptom: every read of a damaged block took half a second of CPU, on a busy machine
// half a minute. The store searched for the flipped bit and computed a checksum of the
// block for each of its bits.
func TestADamagedBlockCostsNoMoreThanReadingIt(t *testing.T) {
	w := twoCopies(t, 200)
	files, err := w.host.store.TableFiles()
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	unhurried := func(int) error { return nil }
	for _, f := range files {
		all := store.KeyRange{Lo: []byte{0}, Hi: []byte{255}}
		for at := int64(0); at < f.Size/2; at += 1 + f.Size/100 {
			flip(t, w.fs, f.Path, at)
			err := w.host.store.CheckTable(f.Path, unhurried)
			if !store.Damaged(err) || strings.Contains(fmt.Sprintf("%+v", err), "bit flip found") {
				t.Fatalf("%s, a bit of byte %d flipped: %+v", f.Path, at, err)
			}
			if err := w.host.store.CheckKeys(f.Path, all, unhurried); err != nil && strings.Contains(fmt.Sprintf("%+v", err), "bit flip found") {
				t.Fatalf("%s, keys, a bit of byte %d flipped: %+v", f.Path, at, err)
			}
			flip(t, w.fs, f.Path, at)
		}
		if err := w.host.store.CheckTable(f.Path, unhurried); err != nil {
			t.Fatalf("%s is as it was: %v", f.Path, err)
		}
	}
}

// A copy once waited for the installation of a delta while the shard was dropped, and was
// written into a shard that was gone.
func TestACopyOfADroppedShardIsRefused(t *testing.T) {
	w := twoCopies(t, 30)
	in := bufio.NewReader(strings.NewReader(w.second.whole()))
	head, err := shipment.ReadHead(in)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.host.replicas.loaded(testKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.host.Drop(testKey); err != nil {
		t.Fatal(err)
	}
	if err := w.host.receiveCopy(r, &head, in); !errors.Is(err, wire.ErrNoShard) {
		t.Errorf("the copy is answered with %v", err)
	}
	if err := w.host.Close(); err != nil {
		t.Error(err)
	}
	w.second.close()
}
