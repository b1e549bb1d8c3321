package shard

import (
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// Symptom: the shard with the lowest number named its document, though a document of
// another shard comes first.
func TestTheFirstDocumentThatCannotBeEditedIsNamedOnAnyShards(t *testing.T) {
	const function = `{"function":"if doc.a == \"wrong\" { throw \"document \" + doc.id; }"}`
	refusal := func(docs ...string) *wire.BuildError {
		t.Helper()
		w := newWorld(t, openHost(t, vfs.NewMem()))
		defer w.close()
		w.commit(add(t, docs...))
		_, reply := w.build(wire.Op{Kind: wire.OpEdit, Function: []byte(function)})
		if reply.Err == nil {
			t.Fatal("the edit went through")
		}
		return reply.Err
	}
	far := refusal(`{"id":1,"a":"x"}`, `{"id":2,"a":"x"}`, `{"id":3,"a":"wrong"}`)
	near := refusal(`{"id":1,"a":"x"}`, `{"id":4,"a":"wrong"}`, `{"id":5,"a":"wrong"}`)
	if !near.Before(far) || far.Before(near) || !strings.Contains(near.Failure.Message, "document 4") {
		t.Fatalf("%+v and %+v are in the wrong order", near, far)
	}
}

// Symptom: an error in an edited document was reported before one of an operation.
func TestAnErrorOfAnOperationPrecedesOneOfADocument(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.settings.Filterable = plainRules("_geo")
	_, reply := w.build(add(t, `{"id":1,"_geo":"nowhere"}`))
	if reply.Err == nil || !reply.Err.Derived {
		t.Fatalf("the document's error is %+v", reply.Err)
	}
}
