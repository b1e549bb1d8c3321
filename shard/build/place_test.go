package build

import "testing"

// Symptom: an error about several edited documents named the one that a worker or a
// shard found first, so one shard and four shards differed.
func TestErrorsNameTheFirstEditedDocumentOnAnyShards(t *testing.T) {
	for _, j := range []job{{whole: []byte("{}"), ordinal: 7}, {rebuild: true, ordinal: 7}, {frames: [][]byte{nil}, ordinal: 3, position: 7}} {
		if got := j.place(); got != 7 {
			t.Errorf("%+v is at %d", j, got)
		}
	}
}
