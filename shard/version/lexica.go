package version

import (
	"context"
	"sync"
	"sync/atomic"

	"shoal/shard/lexicon"
)

// lexica are the dictionaries of a space: the words with a tolerant and those with an exact
// occurrence. They are read when they are first needed, as searches by vector alone need
// none. Safe for concurrent use.
type lexica struct {
	known atomic.Pointer[lexiconPair]
	asked atomic.Bool // get was called
	mu    sync.Mutex
	read  func(context.Context) (words, exact *lexicon.Dictionary, err error)
}

type lexiconPair struct{ words, exact *lexicon.Dictionary }

// set sets dictionaries that are known.
func (l *lexica) set(words, exact *lexicon.Dictionary) { l.known.Store(&lexiconPair{words, exact}) }

// get reads the dictionaries unless they are known. After an error, also that of another
// caller's ctx, it tries again.
func (l *lexica) get(ctx context.Context) (words, exact *lexicon.Dictionary, err error) {
	p := l.known.Load()
	if p == nil {
		l.asked.Store(true)
		l.mu.Lock()
		defer l.mu.Unlock()
		if p = l.known.Load(); p == nil {
			if words, exact, err = l.read(ctx); err != nil {
				return nil, nil, err
			}
			p = &lexiconPair{words, exact}
			l.known.Store(p)
		}
	}
	return p.words, p.exact, nil
}

// Dictionaries returns the words with a tolerant occurrence and those with an exact one, each
// with the number of its documents.
func (s *Space) Dictionaries() (words, exact *lexicon.Dictionary, err error) {
	return s.lexica.get(context.Background())
}

// ReadDictionaries reads ahead what Dictionaries returns. It ends early with ctx.
func (s *Space) ReadDictionaries(ctx context.Context) error {
	_, _, err := s.lexica.get(ctx)
	return err
}

// UsedDictionaries is Dictionaries, but reads nothing that nobody has asked for. ok is false
// then, and after an error. It waits for a read in progress: a caller that did not would have to
// read all words itself.
func (s *Space) UsedDictionaries() (words, exact *lexicon.Dictionary, ok bool) {
	if s.lexica.known.Load() == nil && !s.lexica.asked.Load() {
		return nil, nil, false
	}
	words, exact, err := s.Dictionaries()
	return words, exact, err == nil
}
