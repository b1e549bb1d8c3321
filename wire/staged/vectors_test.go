package staged

import "testing"

func TestStoredVectors(t *testing.T) {
	for _, doc := range []string{`{}`, `{"id":1}`, `{"a":"\\u0000vectors","b":{}}`} {
		joined := AppendVectors([]byte(doc), []byte{0, 1, 2, 255})
		got, stored, ok := CutVectors(joined)
		if !ok || string(got) != doc || string(stored) != "\x00\x01\x02\xff" {
			t.Errorf("%s: %s %v %v", doc, got, stored, ok)
		}
	}
	if _, _, ok := CutVectors([]byte(`{"id":1}`)); ok {
		t.Error("vectors where there are none")
	}
}
