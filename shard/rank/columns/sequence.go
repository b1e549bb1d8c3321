package columns

import (
	"slices"
	"sort"
)

// The word order of the documents of a block gives the positions of query words many
// times faster than their records.
//
// A document is a list of codes. The i-th word with columns is 2i+1. Any other word is
// 2p, where p is the number of words with columns that are less than it. A word is one
// position after the word before, unless a gap or a step back comes first. A field
// starts with its own code, at position 0.
const (
	CodeBack  = 0xdfff // one position back
	CodeField = 0xe000 // + field id
	CodeGap   = 0xf000 // + skipped positions
	maxField  = CodeGap - CodeField - 1
	maxGap    = 0xffff - CodeGap
	// maxCoded is the number of words that can have a code.
	maxCoded = (CodeBack - 1) / 2
)

// NoCode is the code of no word.
const NoCode = 0xffff

// MaxWords bounds the words of a block with columns, the most frequent ones. It changes
// no answer; tests lower it.
var MaxWords = 28_000

// sequencer sorts the words of one document after the other by position.
type sequencer struct {
	// present are the words of the present document: field, position and code.
	present []uint64
	codes   []uint16
}

func (q *sequencer) add(field, position uint16, code int) {
	q.present = append(q.present, uint64(field)<<32|uint64(position)<<16|uint64(code))
}

// flush ends a document and returns its codes, valid until the next call. If a field
// has no code, it returns none, and the record must be read.
func (q *sequencer) flush() []uint16 {
	q.codes = q.codes[:0]
	slices.Sort(q.present)
	if n := len(q.present); n > 0 && q.present[n-1]>>32 <= maxField {
		field, next := -1, 0
		for _, w := range q.present {
			f, p := int(w>>32), int(w>>16&0xffff)
			if f != field {
				q.codes = append(q.codes, uint16(CodeField+f))
				field, next = f, 0
			}
			for p > next {
				gap := min(p-next, maxGap)
				q.codes = append(q.codes, uint16(CodeGap+gap))
				next += gap
			}
			if p < next {
				q.codes = append(q.codes, CodeBack)
			}
			q.codes = append(q.codes, uint16(w))
			next = p + 1
		}
	}
	q.present = q.present[:0]
	return q.codes
}

// frequent returns the most frequent words with at least `least` documents, sorted,
// limit or fewer.
func frequent(counts map[string]uint32, least uint32, limit int) []string {
	if len(counts) > limit {
		all := make([]uint32, 0, len(counts))
		for _, n := range counts {
			all = append(all, n)
		}
		slices.Sort(all)
		least = max(least, all[len(all)-1-limit]+1)
	}
	names := make([]string, 0, min(len(counts), limit))
	for word, n := range counts {
		if n >= least {
			names = append(names, word)
		}
	}
	slices.Sort(names)
	return names
}

// codeOf returns the code of a word among those with columns.
func codeOf(names []string, word []byte) int {
	p := sort.Search(len(names), func(i int) bool { return names[i] >= string(word) })
	if p < len(names) && names[p] == string(word) {
		return 2*p + 1
	}
	return 2 * p
}
