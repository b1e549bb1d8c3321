package render

import (
	"slices"

	"shoal/text"
)

// crop returns the byte bounds of the window of size words (at least one) around the
// best matches of a text (spec ranking 10.3). As in the reference, phrases longer than the window can
// make it the whole text, or leave nothing in it: then it ends before it starts.
func crop(raw string, tokens *cuts, matches []match, size int) (start, end int) {
	w := window{tokens: tokens, left: -1, step: 1, remaining: size}
	atEnd := false
	if len(matches) > 0 {
		first, last := bestInterval(matches, size)
		words := last.lastWord - first.firstWord + 1
		w.right = last.lastToken + 1
		switch {
		case words < 0: // the interval ends before it starts
			return 0, len(raw)
		case words == 0:
			w.left, w.right = first.firstToken-1, 0
		case size >= words:
			w.remaining, w.left = size-words, first.firstToken-1
		default:
			// One phrase is longer than the window: words are removed from its end,
			// starting with the token after it.
			w.remaining, w.step = words-size, -1
			atEnd = w.right == tokens.len()
			w.right = min(w.right, tokens.len()-1)
		}
	}
	w.grow()
	if atEnd && w.right >= 0 && !tokens.kind(w.right).IsSeparator() {
		w.right++ // a word that still fits, not a separator
	}
	if w.left >= 0 {
		start = tokens.end(w.left)
	}
	end = len(raw)
	if w.right >= 0 && w.right < tokens.len() {
		end = tokens.start(w.right)
	}
	return start, end
}

// window grows over tokens. left is the next token before it, right the next one after
// it (or, when shrinking, the next one to give up). -1 and tokens.len() are the ends.
type window struct {
	tokens      *cuts
	left, right int
	step        int
	remaining   int
}

func (w *window) takeLeft() {
	if !w.tokens.kind(w.left).IsSeparator() {
		w.remaining--
	}
	w.left--
}

func (w *window) takeRight() {
	if !w.tokens.kind(w.right).IsSeparator() {
		w.remaining--
	}
	w.right += w.step
}

func (w *window) grow() {
	for w.remaining > 0 {
		hasLeft, hasRight := w.left >= 0, w.right >= 0 && w.right < w.tokens.len()
		switch {
		case hasLeft && hasRight:
			w.both()
		case hasLeft:
			w.takeLeft()
		case hasRight:
			w.takeRight()
		default:
			return
		}
	}
}

// both advances with a token on each side.
func (w *window) both() {
	l, r := w.tokens.kind(w.left), w.tokens.kind(w.right)
	switch {
	case l.IsSeparator() && r.IsSeparator() && l == r:
		w.takeLeft()
		if w.remaining > 1 { // never end with a separator
			w.takeRight()
		}
	case l.IsSeparator() && r.IsSeparator() && l == text.SeparatorHard:
		w.takeRight()
	case l.IsSeparator() && r.IsSeparator():
		w.takeLeft()
	case r.IsSeparator():
		w.takeLeft()
	case l.IsSeparator():
		w.takeRight()
	default:
		w.takeLeft()
		if w.remaining > 0 {
			w.takeRight()
		}
	}
}

// bestInterval returns the first and the last match of the best interval that fits into
// size words: most different query words, then closest together, then best ordered. The
// first wins ties. If none fits, it is the first match alone, or an interval without a match, whose
// last one is before its first one.
func bestInterval(matches []match, size int) (first, last *match) {
	lo, hi := 0, 0 // best so far
	var best [3]int
	found := false
	keep := func(from, to int) {
		if s := score(matches[from : to+1]); !found || slices.Compare(s[:], best[:]) > 0 {
			lo, hi, best, found = from, to, s, true
		}
	}
	from := 0
	for i := range matches {
		end := matches[i].lastWord
		if end-matches[from].firstWord < size {
			continue
		}
		if i > 0 {
			keep(from, i-1)
		}
		for from < len(matches)-1 {
			from++
			if matches[from].firstWord > end || end-matches[from].firstWord < size {
				break
			}
		}
	}
	end := len(matches) - 1
	if from != end || matches[from].lastWord-matches[from].firstWord+1 < size {
		keep(from, end)
	}
	return &matches[lo], &matches[hi]
}

// score rates an interval: the number of different query words, minus the distances
// between neighbours, the number of neighbours in order.
func score(matches []match) [3]int {
	distance, order := 0, 0
	ids := map[uint16]struct{}{}
	for i := range matches {
		m := &matches[i]
		for id := int(m.firstID); id <= int(m.lastID); id++ {
			ids[uint16(id)] = struct{}{}
		}
		if m.phrase {
			order += m.lastWord - m.firstWord
			distance -= m.lastWord - m.firstWord
		}
		if i+1 < len(matches) {
			next := &matches[i+1]
			if next.firstID > m.firstID {
				order++
			}
			distance -= min(next.firstWord-m.lastWord, 7)
		}
	}
	return [3]int{len(ids), distance, order}
}
