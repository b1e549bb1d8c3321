package shard

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/damage"
	"shoal/shard/store"
	"shoal/wire"
)

// A shard that is dropped while the node starts was made anew by its early load: with a mark of
// columns, and a snapshot that stayed open.
func TestADroppedShardIsNotLoadedEarly(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	doc := `{"id":1,"a":"granite"}`
	before := w.taken()
	w.put(before, doc, false)
	w.commit(add(t, doc))
	h := w.host
	early := &loader{replicas: h.replicas, gate: &h.gate, cores: 2}
	early.forEach(t.Context(), []wire.ShardKey{testKey}, early.load)
	if len(h.replicas.listed()) != 1 {
		t.Fatal("a shard that is there was not loaded")
	}
	if err := h.Drop(testKey); err != nil {
		t.Fatal(err)
	}
	early.forEach(t.Context(), []wire.ShardKey{testKey}, early.load)
	if keys, err := h.Shards(); err != nil || len(keys) != 0 || len(h.replicas.listed()) != 0 {
		t.Errorf("shards %v, %d of them loaded: %v", keys, len(h.replicas.listed()), err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// loseWords writes a document, makes the count of its word unreadable, and closes the node.
func loseWords(t *testing.T) (*world, vfs.FS) {
	t.Helper()
	fs := vfs.NewMem()
	w := newWorld(t, openHost(t, fs))
	doc := `{"id":1,"a":"granite"}`
	before := w.taken()
	w.put(before, doc, false)
	w.commit(add(t, doc))
	key := append(store.Keyspace{Key: testKey}.Prefix(nil, store.TableWords), "granite"...)
	if err := w.host.store.DB.Set(key, []byte{0xff}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	return w, fs
}

// Words are read late, and a delta cannot be installed without them. A batch onto lost words was
// accepted and never took effect.
func TestABatchOntoLostWordsIsRefused(t *testing.T) {
	w, fs := loseWords(t)
	w.host = openHost(t, fs)
	req := w.request([]wire.Op{add(t, `{"id":2,"a":"slate"}`)})
	if _, err := w.host.Build(t.Context(), req); !errors.Is(err, store.ErrCorruptValue) {
		t.Errorf("the batch is answered with %v", err)
	}
	if err := w.host.Close(); err != nil {
		t.Error(err)
	}
}

// Shards of one index are read together. Only the one whose words are lost is damaged.
func TestLostWordsNameTheirShard(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	err := &damage.WordsError{Key: testKey, Err: fmt.Errorf("read: %w", syscall.EIO)}
	if got := w.host.faults.Translate(err, wire.ShardKey{IndexID: testKey.IndexID, Shard: 9}, testKey); !errors.Is(got, wire.ErrDamaged) {
		t.Errorf("the search is answered with %v", got)
	}
	if list := w.host.Damaged(); len(list) != 1 || list[0].Key != testKey {
		t.Errorf("damaged are %v", list)
	}
	if err := w.host.Close(); err != nil {
		t.Error(err)
	}
}

// The words of a large shard take seconds to read. A node that was stopped right after its start
// read them to their end first.
func TestANodeThatEndsReadsNoMoreWords(t *testing.T) {
	fs := vfs.NewMem()
	w := newWorld(t, openHost(t, fs))
	doc := `{"id":1,"a":"granite"}`
	w.put(w.taken(), doc, false)
	w.commit(add(t, doc))
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	h := openHost(t, fs)
	early := &loader{replicas: h.replicas, gate: &h.gate, cores: 2}
	early.forEach(t.Context(), []wire.ShardKey{testKey}, early.load)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := early.readWords(ended, testKey); err != nil {
		t.Errorf("the end of the node is logged: %v", err)
	}
	v := h.replicas.newest(testKey)
	if err := v.ReadDictionaries(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("words were read, and are known: %v", err)
	}
	if words, _, err := v.Dictionaries(); err != nil || !words.Contains("granite") {
		t.Errorf("a search that needs them then gets %v: %v", words, err)
	}
	v.Release()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestVerifyFindsLostWords(t *testing.T) {
	_, fs := loseWords(t)
	if out, err := Verify(t.Context(), "data", fs); err != nil || len(out.Damage) != 1 {
		t.Errorf("damage %q: %v", out.Damage, err)
	}
}
