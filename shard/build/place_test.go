package build

import "testing"

// An error about several edited documents named whichever a worker or a shard found
// first: with one shard another one than with four.
func TestErrorsNameTheFirstEditedDocumentWhateverTheShards(t *testing.T) {
	for _, j := range []job{{whole: []byte("{}"), ord: 7}, {rebuild: true, ord: 7}, {frames: [][]byte{nil}, ord: 3, position: 7}} {
		if got := j.place(); got != 7 {
			t.Errorf("%+v is at %d", j, got)
		}
	}
}
