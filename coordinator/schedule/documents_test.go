package schedule

import (
	"testing"

	"shoal/coordinator/task"
	"shoal/wire"
)

// A deletion that waited while its index got another attribute, or gave its name to another index,
// deletes nothing.
func TestADeletionOfExpiredDocumentsNeedsTheirSetting(t *testing.T) {
	r := newRig(t)
	added := r.add("offers", `[{"id":1,"until":5}]`)
	metadata := task.Expired
	accepted, err := r.writer.Enqueue(t.Context(), task.NewExpiry("offers", "until", []byte(`"until 9e-9 TO 7"`), &metadata), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.run()
	r.wait(added)
	r.expect(accepted.UID, wire.Failed, `{"providedIds":0,"deletedDocuments":0,"originalFilter":"\"until 9e-9 TO 7\""}`, "The documents of index `offers` do not expire by the attribute `until` any more.")
	if n := r.index("offers").Documents(); n != 1 {
		t.Errorf("%d documents are left", n)
	}
}
