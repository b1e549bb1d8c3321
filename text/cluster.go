package text

// Thai and Khmer are written without spaces. The reference cuts them with word
// lists; no such list comes with a Go module under a licence we can ship, so they
// are cut into written syllables: the same text is cut the same way in documents
// and queries, and neighbours keep their order.

// segmentThai cuts before each consonant, or before the vowel written in front of
// it; marks and the vowels that follow stay with their consonant.
func segmentThai(stretch string, emit func(int) bool) bool {
	return segmentClusters(stretch, emit, func(before, r rune) bool {
		switch {
		case r == 'ะ' || r == 'า' || r == 'ำ' || r == 'ๅ', r == 'ั', r >= '\u0e34' && r <= '\u0e3a', r >= '\u0e47' && r <= '\u0e4e':
			return true
		}
		return before >= 'เ' && before <= 'ไ'
	})
}

// segmentKhmer cuts before each consonant or independent vowel that is not
// written below the one before it.
func segmentKhmer(stretch string, emit func(int) bool) bool {
	const coeng = '\u17d2'
	return segmentClusters(stretch, emit, func(before, r rune) bool {
		return before == coeng || r >= '\u17b4' && r <= '\u17d3' || r == '\u17dd'
	})
}

// segmentClusters cuts between two characters unless they belong together. Digits
// and other neutral characters in a row stay together.
func segmentClusters(stretch string, emit func(int) bool, together func(before, r rune) bool) bool {
	start, before := 0, rune(-1)
	for i, r := range stretch {
		joined := together(before, r) || scriptOf(r) == ScriptOther && scriptOf(before) == ScriptOther
		if i > 0 && !joined {
			if !emit(i - start) {
				return false
			}
			start = i
		}
		before = r
	}
	return start == len(stretch) || emit(len(stretch)-start)
}
