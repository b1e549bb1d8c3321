package shard

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/wire"
)

func TestCompactionDropsOverwrittenDocuments(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, openHost(t, vfs.NewMem()))
	for round := range 4 { // each round overwrites the previous one
		var docs []string
		for id := range 200 {
			docs = append(docs, fmt.Sprintf(`{"id":%d,"a":"round%d %s"}`, id, round, strings.Repeat(fmt.Sprintf("w%d ", id*7%101+round), 20)))
		}
		before := w.taken()
		for _, d := range docs {
			w.put(before, d, false)
		}
		w.commit(add(t, docs...))
		if _, err := w.host.Compact(ctx, &wire.CompactRequest{IndexID: testKey.IndexID + 1}); err != nil { // flushes
			t.Fatal(err)
		}
	}
	w.host.janitor.tidy(w.host.now().Add(2 * keepDeltas)) // open versions would hold their files
	got, err := w.host.Compact(ctx, &wire.CompactRequest{IndexID: testKey.IndexID})
	if err != nil {
		t.Fatal(err)
	}
	if got.After == 0 || got.After >= got.Before {
		t.Errorf("sizes %+v", got)
	}
	if bytes, err := w.host.IndexBytes(testKey.IndexID); err != nil || bytes != got.After {
		t.Errorf("%d bytes of the index, %v", bytes, err)
	}
	if bytes, err := w.host.IndexBytes(testKey.IndexID + 1); err != nil || bytes != 0 {
		t.Errorf("%d bytes of no index, %v", bytes, err)
	}
	w.check()
	w.close()
}

func TestTheNewestVersionDoesNotHoldReplacedFiles(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, openHost(t, vfs.NewMem()))
	for id := range 20 {
		w.commit(add(t, fmt.Sprintf(`{"id":%d,"a":"one more"}`, id)))
	}
	flush := func() {
		t.Helper()
		if _, err := w.host.Compact(ctx, &wire.CompactRequest{IndexID: testKey.IndexID}); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	v := w.view()
	if set, err := v.Word("more"); err != nil || set.Len() != 20 {
		t.Fatalf("%d documents, %v", set.Len(), err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.host.janitor.tidy(w.host.now().Add(2 * retention)) // keeps the newest version only
	if err := w.host.store.DB.Set(store.AppendPrefix(nil, testKey, 0, store.TableMeta+1), []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.host.store.DB.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	w.host.janitor.tidy(w.host.now())
	if m := w.host.store.DB.Metrics(); m.Table.ZombieCount > 0 {
		t.Fatalf("%d replaced files are held", m.Table.ZombieCount)
	}
	w.close()
}
