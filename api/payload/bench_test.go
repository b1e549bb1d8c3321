package payload

import (
	"bytes"
	"fmt"
	"testing"
)

func BenchmarkReadNDJSON(b *testing.B) {
	var text bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&text, `{"id":%d,"title":"A title of words %d","overview":"%s","genres":["Drama","Comedy"],"release_date":%d,"nested":{"a":1.5,"b":null}}`+"\n",
			i, i, bytes.Repeat([]byte("some words of an overview "), 15), 86400*i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadNDJSON(bytes.NewReader(text.Bytes()), func(*Document) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
