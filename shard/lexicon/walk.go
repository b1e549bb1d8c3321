package lexicon

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// walker intersects a dictionary with automata in byte order. Walkers are pooled.
type walker struct {
	it iterator
	// path holds the characters read of the present word, levels the state after each
	// of them. levels[0] is the start.
	path   []byte
	levels []level
	target []byte
}

type level struct {
	state
	end int // of the characters in path
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// open returns a walker at the first word of a dictionary.
func open(d *Dictionary) *walker {
	w := walkers.Get().(*walker)
	w.it.begin(d)
	return w
}

// close returns the walker to the pool.
func (w *walker) close() {
	for i := range w.it.cursors {
		w.it.cursors[i].r = nil
	}
	w.it.word = nil
	walkers.Put(w)
}

// matchFunc receives an accepted word, valid until it returns, and its distance. It
// returns false to stop.
type matchFunc func(word []byte, distance int) bool

// walk calls match with each word that the automaton accepts, from the present one up
// to limit (nil for no limit). It returns false if match stopped it.
func (w *walker) walk(a *Automaton, limit []byte, match matchFunc) bool {
	w.path, w.levels = w.path[:0], append(w.levels[:0], level{startState, 0})
	if d, ok := a.sunk(startState); ok {
		return w.all(nil, limit, d, match)
	}
	for !w.it.done && (limit == nil || bytes.Compare(w.it.word, limit) < 0) {
		w.pop(commonPrefix(w.path, w.it.word))
		if !w.descend(a) {
			w.skip(a)
			continue
		}
		s := w.top().state
		if d, ok := a.sunk(s); ok {
			if !w.all(w.path, limit, d, match) {
				return false
			}
			continue
		}
		if d, ok := a.distance(s); ok && !match(w.it.word, d) {
			return false
		}
		w.it.next()
	}
	return true
}

func (w *walker) top() *level { return &w.levels[len(w.levels)-1] }

// pop forgets the characters beyond a common prefix.
func (w *walker) pop(common int) {
	for w.top().end > common {
		w.levels = w.levels[:len(w.levels)-1]
	}
	w.path = w.path[:w.top().end]
}

// descend reads the rest of the present word, up to a sink. It returns false, with the
// dead level on top, if the word cannot be accepted.
func (w *walker) descend(a *Automaton) bool {
	word := w.it.word
	for at := w.top().end; at < len(word); {
		c, size := rune(word[at]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(word[at:])
		}
		s := a.step(w.top().state, c)
		at += size
		w.path = append(w.path, word[at-size:at]...)
		w.levels = append(w.levels, level{s, at})
		if s.dead() {
			return false
		}
		if _, ok := a.sunk(s); ok {
			return true
		}
	}
	return true
}

// skip moves to the next word that may be accepted, given that the top level is dead:
// to a sibling of its last character, or of an earlier one.
func (w *walker) skip(a *Automaton) {
	for len(w.levels) > 1 {
		from := w.levels[len(w.levels)-2]
		c, _ := utf8.DecodeRune(w.path[from.end:])
		next, any, ok := a.following(from.state, c)
		switch {
		case any:
			w.target = append(w.target[:0], w.path...)
			w.seekPast()
			return
		case ok:
			w.target = utf8.AppendRune(append(w.target[:0], w.path[:from.end]...), next)
			if bytes.Compare(w.target, w.it.word) <= 0 {
				w.it.next() // the order can differ only in words that are not UTF-8
				return
			}
			w.it.seek(w.target)
			return
		}
		w.levels = w.levels[:len(w.levels)-1]
		w.path = w.path[:from.end]
	}
	w.it.done = true
}

// seekPast moves to the first word after all those that start with target.
func (w *walker) seekPast() {
	if w.target = successor(w.target); w.target == nil {
		w.it.done = true
		return
	}
	w.it.seek(w.target)
}

// successor turns a prefix into the smallest string greater than all its extensions, in
// place; nil if there is none.
func successor(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] < 0xFF {
			prefix[n-1]++
			return prefix[:n]
		}
	}
	return nil
}

// all calls match with every word that starts with prefix, from the present one on.
func (w *walker) all(prefix, limit []byte, distance int, match matchFunc) bool {
	for !w.it.done && bytes.HasPrefix(w.it.word, prefix) && (limit == nil || bytes.Compare(w.it.word, limit) < 0) {
		if !match(w.it.word, distance) {
			return false
		}
		w.it.next()
	}
	return true
}
