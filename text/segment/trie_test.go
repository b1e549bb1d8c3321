package segment

import (
	"bufio"
	"bytes"
	"testing"
)

// FuzzReadTrie: a word list from elsewhere is refused, or can be searched.
func FuzzReadTrie(f *testing.F) {
	for _, words := range [][]string{nil, {"a"}, {"a", "ab", "b", "ßü"}} {
		var b bytes.Buffer
		if err := newTrie(words, nil).write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), "abß")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if list, err := readTrie(bufio.NewReader(bytes.NewReader(data))); err == nil {
			if n := list.longest(text); n < 0 || n > len(text) {
				t.Errorf("%d bytes of %d", n, len(text))
			}
		}
	})
}
