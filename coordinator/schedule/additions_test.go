package schedule

import (
	"fmt"
	"strings"
	"testing"

	"shoal/wire"
)

// A manifest does not carry thousands of names into the log. The leader finds them in the
// payload.
func TestALongManifestLeavesItsNamesInThePayload(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{"id":1`)
	for i := range 3000 {
		fmt.Fprintf(&doc, `,"field-%d":{"x":%d}`, i, i)
	}
	doc.WriteString("}")
	r := newRig(t)
	uid := r.add("m", doc.String())
	accepted, _, _ := r.log.Task(uid)
	if len(accepted.Body) > 1000 {
		t.Errorf("a body of %d bytes", len(accepted.Body))
	}
	r.run()
	r.expect(uid, wire.Succeeded, `{"receivedDocuments":1,"indexedDocuments":1}`, "")
	if f := r.index("m").Fields; len(f) != 6001 || f[0] != "id" || f[3000] != "field-2999" || f[6000] != "field-2999.x" {
		t.Errorf("%d fields", len(f))
	}
}

func TestFieldLimit(t *testing.T) {
	var docs strings.Builder
	docs.WriteString(`{"id":1`)
	for i := range wire.MaxFields {
		fmt.Fprintf(&docs, `,"f%d":0`, i)
	}
	docs.WriteString("}")
	r := newRig(t)
	r.run()
	r.expect(r.add("m", docs.String()), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "A document cannot contain more than 65,535 fields.")
	docs.Reset()
	docs.WriteString(`{"id":1,"o":{"z":0`)
	for i := range wire.MaxFields {
		fmt.Fprintf(&docs, `,"f%d":0`, i)
	}
	docs.WriteString("}}")
	r.expect(r.add("m", docs.String()), wire.Failed, `{"receivedDocuments":1,"indexedDocuments":0}`, "Index `m`: A document cannot contain more than 65,535 fields.")
}

// A value that cannot be read fails the whole batch.
func TestAnUnreadableValueFailsTheBatch(t *testing.T) {
	r := newRig(t)
	good, bad := r.add("m", `[{"id":1}]`), r.add("m", `[{"id":2,"n":1E400}]`)
	r.run()
	for _, uid := range []uint32{good, bad} {
		if got := r.wait(uid); got.Status != wire.Failed || !strings.HasPrefix(got.Error.Message, "Index `m`: internal: number out of range at line 1 column") {
			t.Errorf("task %d: %d %+v", uid, got.Status, got.Error)
		}
	}
}
