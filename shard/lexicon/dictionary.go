package lexicon

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// Dictionary is an immutable sorted set of words, each with a positive count. Safe for
// concurrent use. The zero value is empty.
type Dictionary struct {
	// runs are ordered from oldest to newest. The oldest has no removals.
	runs  []*run
	words int
}

// Change sets the count of a word; 0 removes it.
type Change struct {
	Word  string
	Count uint32
}

// Build returns a dictionary of the words that next yields in ascending byte order. It
// skips words that are out of order or repeated, or have count 0.
func Build(next func() (word string, count uint32, ok bool)) *Dictionary {
	var b runBuilder
	for {
		word, count, ok := next()
		if !ok {
			break
		}
		if count > 0 {
			b.add([]byte(word), count)
		}
	}
	return single(b.finish())
}

// Of returns a dictionary of words in any order, each with count 1.
func Of(words ...string) *Dictionary {
	sorted := slices.Sorted(slices.Values(words))
	i := 0
	return Build(func() (string, uint32, bool) {
		if i == len(sorted) {
			return "", 0, false
		}
		i++
		return sorted[i-1], 1, true
	})
}

func single(r *run) *Dictionary {
	if r.words == 0 {
		return &Dictionary{}
	}
	return &Dictionary{runs: []*run{r}, words: r.words}
}

// Limits of the stack of runs. A run is merged into its predecessor unless that is
// mergeFactor times larger. All runs are merged when those above the oldest exceed
// 1/compactShare of it. So a change is copied only a few times, and readers look at a
// handful of runs.
const (
	mergeFactor  = 4
	compactShare = 16
	compactFree  = 4096
)

// Overlay returns the dictionary after the changes, which must be sorted by word
// without repetition (the first of repeated or unsorted words is used). The receiver
// does not change; the two share memory. The cost is proportional to the changes, and
// occasionally to the whole.
func (d *Dictionary) Overlay(changes []Change) *Dictionary {
	if len(changes) == 0 {
		return d
	}
	var b runBuilder
	words := d.words
	var it iterator
	it.begin(d)
	for _, c := range changes {
		word := []byte(c.Word)
		if !b.add(word, c.Count) {
			continue
		}
		it.seek(word)
		had := !it.done && bytes.Equal(it.word, word)
		switch {
		case had && c.Count == 0:
			words--
		case !had && c.Count > 0:
			words++
		}
	}
	runs := append(slices.Clone(d.runs), b.finish())
	return &Dictionary{runs: tidy(runs), words: words}
}

// tidy merges runs until the limits hold.
func tidy(runs []*run) []*run {
	above := 0
	for _, r := range runs[1:] {
		above += r.words
	}
	if above > runs[0].words/compactShare+compactFree || len(runs) == 1 {
		return compact(runs)
	}
	for n := len(runs); n > 2 && runs[n-2].words < mergeFactor*runs[n-1].words; n = len(runs) {
		runs = append(runs[:n-2], mergeRuns(runs[n-2:], true))
	}
	return runs
}

func compact(runs []*run) []*run {
	merged := mergeRuns(runs, false)
	if merged.words == 0 {
		return nil
	}
	return []*run{merged}
}

// mergeRuns merges runs, oldest first. Removals must be kept if there are older runs.
func mergeRuns(runs []*run, keepRemoved bool) *run {
	var b runBuilder
	cursors := make([]cursor, len(runs))
	for i, r := range runs {
		cursors[i].begin(r)
	}
	var word []byte
	for {
		best := -1
		for i := len(cursors) - 1; i >= 0; i-- {
			if !cursors[i].done && (best < 0 || bytes.Compare(cursors[i].word, cursors[best].word) < 0) {
				best = i
			}
		}
		if best < 0 {
			return b.finish()
		}
		word = append(word[:0], cursors[best].word...)
		if count := cursors[best].count; count > 0 || keepRemoved {
			b.add(word, count)
		}
		for i := range cursors {
			if !cursors[i].done && bytes.Equal(cursors[i].word, word) {
				cursors[i].next()
			}
		}
	}
}

// Len returns the number of words.
func (d *Dictionary) Len() int { return d.words }

// Contains reports whether the dictionary has the word.
func (d *Dictionary) Contains(word string) bool { return d.Count(word) > 0 }

// Count returns the count of a word, 0 if the dictionary lacks it.
func (d *Dictionary) Count(word string) uint32 {
	target := []byte(word)
	for i := len(d.runs) - 1; i >= 0; i-- {
		var c cursor
		var buffer [64]byte
		c.word = buffer[:0]
		c.begin(d.runs[i])
		if c.seek(target); !c.done && bytes.Equal(c.word, target) {
			return c.count
		}
	}
	return 0
}

// All yields the words in byte order with their counts.
func (d *Dictionary) All() iter.Seq2[string, uint32] {
	return func(yield func(string, uint32) bool) {
		var it iterator
		for it.begin(d); !it.done; it.next() {
			if !yield(string(it.word), it.count) {
				return
			}
		}
	}
}

// Prefix yields the words that start with prefix in byte order; if strict, without the
// prefix itself.
func (d *Dictionary) Prefix(prefix string, strict bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		p := []byte(prefix)
		var it iterator
		it.begin(d)
		for it.seek(p); !it.done && bytes.HasPrefix(it.word, p); it.next() {
			if strict && len(it.word) == len(p) {
				continue
			}
			if !yield(string(it.word)) {
				return
			}
		}
	}
}

// CountPrefix returns the number of words that start with prefix, including itself, up
// to limit. 100 words make a cached prefix (spec ranking 2).
func (d *Dictionary) CountPrefix(prefix string, limit int) int {
	p := []byte(prefix)
	n := 0
	var it iterator
	it.begin(d)
	for it.seek(p); n < limit && !it.done && bytes.HasPrefix(it.word, p); it.next() {
		n++
	}
	return n
}

// FirstPrefixed returns the first limit words, in byte order, that strictly extend
// prefix and are in any of the dictionaries (spec ranking 3.2).
func FirstPrefixed(prefix string, limit int, dictionaries ...*Dictionary) []string {
	lists := make([][]string, 0, len(dictionaries))
	for _, d := range dictionaries {
		var list []string
		if limit > 0 {
			for word := range d.Prefix(prefix, true) {
				if list = append(list, word); len(list) == limit {
					break
				}
			}
		}
		lists = append(lists, list)
	}
	return MergeWords(limit, lists...)
}

// MergeWords merges sorted lists, drops duplicates and keeps the first limit words.
// Merging lists that were each cut at limit is exact (spec ranking 11.1).
func MergeWords(limit int, lists ...[]string) []string {
	var filled [][]string
	for _, l := range lists {
		if len(l) > 0 {
			filled = append(filled, l)
		}
	}
	if len(filled) == 1 {
		return filled[0][:min(limit, len(filled[0]))]
	}
	var merged []string
	for len(merged) < limit {
		best := -1
		for i, l := range filled {
			if len(l) > 0 && (best < 0 || strings.Compare(l[0], filled[best][0]) < 0) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		word := filled[best][0]
		merged = append(merged, word)
		for i, l := range filled {
			if len(l) > 0 && l[0] == word {
				filled[i] = l[1:]
			}
		}
	}
	return merged
}
