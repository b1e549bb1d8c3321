package lexicon

import "bytes"

// Sum returns a dictionary with the words of all dictionaries and their counts added
// up, for shards without common documents. The cost is proportional to all words.
func Sum(dictionaries ...*Dictionary) *Dictionary {
	var b runBuilder
	its := make([]iterator, len(dictionaries))
	for i, d := range dictionaries {
		its[i].begin(d)
	}
	var word []byte
	for {
		best := -1
		for i := range its {
			if !its[i].done && (best < 0 || bytes.Compare(its[i].word, its[best].word) < 0) {
				best = i
			}
		}
		if best < 0 {
			return single(b.finish())
		}
		word = append(word[:0], its[best].word...)
		count := uint32(0)
		for i := range its {
			if !its[i].done && bytes.Equal(its[i].word, word) {
				count += its[i].count
				its[i].next()
			}
		}
		b.add(word, count)
	}
}
