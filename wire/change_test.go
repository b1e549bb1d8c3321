package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A regression test: a batch of one document carried all fields and long settings of its index
// through the log.
func TestABatchOmitsUnchangedParts(t *testing.T) {
	old := &Index{ID: 3, UID: "wide", Version: 7, Settings: []byte(`{"stopWords":["` + strings.Repeat("the ", 10_000) + `"]}`)}
	for i := range 10_000 {
		old.Fields = append(old.Fields, fmt.Sprint("field ", i))
	}
	next := old.Clone()
	next.Version = 8
	next.Fields = append(next.Fields, "one more")
	c := PutIndexOver(old, next)
	raw, err := Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 1000 {
		t.Errorf("the change has %d bytes", len(raw))
	}
	var read Change
	if err := Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	x, ok := read.Index(old)
	if !ok || x.Version != 8 || !slices.Equal(x.Fields, next.Fields) || string(x.Settings) != string(old.Settings) {
		t.Fatalf("the record is another one: %v %d fields", ok, len(x.Fields))
	}
	if len(old.Fields) != 10_000 {
		t.Fatal("the old record was changed")
	}
	other := old.Clone()
	other.Version = 6
	if _, ok := read.Index(other); ok {
		t.Fatal("the change went onto another record")
	}
	if _, ok := read.Index(nil); ok {
		t.Fatal("the change went onto nothing")
	}
	small := &Index{ID: 4, Fields: []string{"a"}, Version: 1}
	if c := PutIndexOver(small, small.Clone()); c.Unchanged != nil {
		t.Fatal("a small record is not whole")
	}
}
