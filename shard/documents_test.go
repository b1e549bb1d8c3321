package shard

import (
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Documents are visited in ascending order with their positions, whatever the order of
// the request. Missing ones are left out, and the first failed visit is the last.
func TestDocumentsInOrder(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.commit(add(t, `{"id":1}`, `{"id":2}`, `{"id":3}`, `{"id":4}`))
	v := w.view()
	defer func() { _ = v.Close() }()
	byID := map[string]uint32{}
	for _, ord := range v.Live().AppendTo(nil) {
		id, _ := documentOf(t, v, ord)
		byID[id] = ord
	}
	asked := []uint32{byID["4"], 1 << 20, byID["1"], byID["3"], byID["1"]}
	var seen []uint32
	err := v.Documents(asked, func(i int, json []byte) error {
		if _, want := documentOf(t, v, asked[i]); string(json) != want {
			t.Errorf("place %d: %s, want %s", i, json, want)
		}
		seen = append(seen, asked[i])
		return nil
	})
	want := slices.DeleteFunc(slices.Sorted(slices.Values(asked)), func(ord uint32) bool { return ord == 1<<20 })
	if err != nil || !slices.Equal(seen, want) {
		t.Errorf("visited %v, %v, want %v", seen, err, want)
	}
	failure, visits := errors.New("enough"), 0
	if err := v.Documents(asked, func(int, []byte) error { visits++; return failure }); !errors.Is(err, failure) || visits != 1 {
		t.Errorf("%d visits, %v", visits, err)
	}
}
