package search

import (
	"sync"
	"sync/atomic"

	"shoal/coordinator/driver"
	"shoal/wire"
)

// maxWords bounds the bytes of words that are kept of all indexes.
const maxWords = 8 << 20

// wordBooks are the words that are kept of indexes, each of the state that was searched
// last. Safe for concurrent use; the zero value is ready.
type wordBooks struct {
	mu    sync.Mutex
	books map[uint32]wordBook // by index
	bytes atomic.Int64
}

// wordBook are the words of one state: the record of an index changes with each of its
// versions and settings.
type wordBook struct {
	of    *wire.Index
	words *driver.Words
}

// of returns what is kept of a state of an index.
func (b *wordBooks) of(x *wire.Index) *driver.Words {
	b.mu.Lock()
	defer b.mu.Unlock()
	book, ok := b.books[x.ID]
	if ok && book.of == x && b.bytes.Load() <= maxWords {
		return book.words
	}
	if ok {
		book.words.Drop()
	}
	if b.bytes.Load() > maxWords || len(b.books) >= maxLexes {
		for _, old := range b.books {
			old.words.Drop()
		}
		clear(b.books)
	}
	if b.books == nil {
		b.books = make(map[uint32]wordBook)
	}
	book = wordBook{of: x, words: driver.NewWords(&b.bytes)}
	b.books[x.ID] = book
	return book.words
}
