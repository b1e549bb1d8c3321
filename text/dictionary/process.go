package dictionary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ikawaha/kagome-dict/dict"
	"github.com/ikawaha/kagome/v2/tokenizer"
)

// process holds the dictionaries of this process. Several nodes in one process share them,
// because their content is the same.
var process struct {
	sync.RWMutex
	books map[Set]*book
}

// book is one dictionary: its file until it is first needed, then the tokenizer.
type book struct {
	load func() (*tokenizer.Tokenizer, error) // once
	// broken is called if the file cannot be read later.
	broken func(error)
}

// Open finds the files of dictionaries in a folder and makes this process use them. It
// reads only their heads and keeps them open, so that an upgrade of the files does not
// affect a running process. A file of another version of this program is an error. broken
// is called if a file cannot be read later: then a text was not cut, and the process cannot
// serve indexes with such texts.
func Open(dir string, broken func(error)) (found Set, err error) {
	for _, k := range kinds {
		path := filepath.Join(dir, FileName(k.set))
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return found, fmt.Errorf("dictionary: %w", err)
		}
		if err := checkHead(f, k.name, k.sum); err != nil {
			return found, errors.Join(fmt.Errorf("dictionary %s: %w", path, err), f.Close())
		}
		found |= k.set
		keep(k.set, &book{broken: broken, load: sync.OnceValues(func() (*tokenizer.Tokenizer, error) {
			d, err := read(f, k.sum)
			if err := errors.Join(err, f.Close()); err != nil {
				return nil, fmt.Errorf("dictionary %s: %w: take the file of this program's release", path, err)
			}
			return cutter(d)
		})})
	}
	return found, nil
}

// Use makes this process use a dictionary in memory.
func Use(one Set, d *dict.Dict) error {
	t, err := cutter(d)
	if err == nil {
		keep(one, &book{load: func() (*tokenizer.Tokenizer, error) { return t, nil }})
	}
	return err
}

// keep adds a dictionary unless the process already has it.
func keep(one Set, b *book) {
	process.Lock()
	defer process.Unlock()
	if process.books == nil {
		process.books = map[Set]*book{}
	}
	if process.books[one] == nil {
		process.books[one] = b
	}
}

func cutter(d *dict.Dict) (*tokenizer.Tokenizer, error) {
	t, err := tokenizer.New(d, tokenizer.OmitBosEos())
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	return t, nil
}

// MissingError: a text needs a dictionary that this process does not have.
type MissingError struct {
	Set Set
	// Why is the fault of its file, nil if there is no file.
	Why error
}

func (e *MissingError) Error() string {
	if e.Why != nil {
		return e.Why.Error()
	}
	return fmt.Sprintf("a text needs the dictionary %s, which this node does not have: %s", e.Set, Remedy)
}

// Unwrap returns the fault of the file.
func (e *MissingError) Unwrap() error { return e.Why }

// Remedy tells an operator what to do about a missing dictionary.
const Remedy = "put the folder dictionaries of this program's release beside the program, or name it with --dictionaries"

// maxStretch bounds the text that is cut at once, in bytes. A longer text without
// separators is split there, because the cost of cutting grows faster than the text.
const maxStretch = 1 << 10

// Cut cuts a stretch of text by one dictionary, in search mode: long words in the
// dictionary are cut into their parts. It calls emit with the length of each piece until
// emit returns false.
func Cut(one Set, stretch string, emit func(length int) bool) bool {
	process.RLock()
	b := process.books[one]
	process.RUnlock()
	if b == nil {
		panic(&MissingError{Set: one})
	}
	t, err := b.load()
	if err != nil {
		b.broken(err)
		panic(&MissingError{Set: one, Why: err})
	}
	for len(stretch) > 0 {
		n := chunk(stretch)
		for _, m := range t.Analyze(stretch[:n], tokenizer.Search) {
			if len(m.Surface) > 0 && !emit(len(m.Surface)) {
				return false
			}
		}
		stretch = stretch[n:]
	}
	return true
}

// chunk is the length of the part of a stretch that is cut at once. It ends with a whole
// character.
func chunk(stretch string) int {
	if len(stretch) <= maxStretch {
		return len(stretch)
	}
	n := maxStretch
	for n > maxStretch-4 && stretch[n]&0xC0 == 0x80 {
		n--
	}
	return n
}
