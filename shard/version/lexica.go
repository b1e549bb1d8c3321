package version

import (
	"sync"
	"sync/atomic"

	"shoal/shard/lexicon"
)

// lexica are the dictionaries of a space: the words with a tolerant and those with an exact
// occurrence. They are read when they are first needed, as searches by vector alone need
// none. Safe for concurrent use.
type lexica struct {
	known atomic.Pointer[lexiconPair]
	mu    sync.Mutex
	read  func() (words, exact *lexicon.Dictionary, err error)
}

type lexiconPair struct{ words, exact *lexicon.Dictionary }

// set sets dictionaries that are known.
func (l *lexica) set(words, exact *lexicon.Dictionary) { l.known.Store(&lexiconPair{words, exact}) }

// get reads the dictionaries unless they are known. After an error it tries again.
func (l *lexica) get() (words, exact *lexicon.Dictionary, err error) {
	p := l.known.Load()
	if p == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if p = l.known.Load(); p == nil {
			if words, exact, err = l.read(); err != nil {
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
func (s *Space) Dictionaries() (words, exact *lexicon.Dictionary, err error) { return s.lexica.get() }

// KnownDictionaries is Dictionaries without reading anything. ok is false if they were not
// needed yet.
func (s *Space) KnownDictionaries() (words, exact *lexicon.Dictionary, ok bool) {
	if p := s.lexica.known.Load(); p != nil {
		return p.words, p.exact, true
	}
	return nil, nil, false
}
