package language

import (
	"cmp"
	_ "embed" // the profiles
	"slices"
	"strings"
	"sync"
	"unicode"
)

// profileLines has, for each language, its 300 most frequent trigrams, the most frequent
// first: a line with its code followed by the trigrams. They are those of the crate
// whatlang 0.16.4.
//
//go:embed profiles.txt
var profileLines string

const (
	// missingTrigram is the distance of a trigram that the text lacks.
	missingTrigram = 300
	// maxTextTrigrams bounds the trigrams of the text that count.
	maxTextTrigrams = 600
)

type trigram [3]rune

func compareTrigrams(a, b trigram) int { return slices.Compare(a[:], b[:]) }

// profile maps each frequent trigram of a language to its rank.
type profile map[trigram]int

var (
	arabicProfiles = sync.OnceValue(func() map[Language]profile { return loadProfiles(Ara, Pes, Urd) })
	latinProfiles  = sync.OnceValue(func() map[Language]profile { return loadProfiles() })
)

// loadProfiles reads the profiles of the given languages, or of all except those of Arabic
// script.
func loadProfiles(some ...Language) map[Language]profile {
	profiles := make(map[Language]profile)
	for line := range strings.Lines(profileLines) {
		code, trigrams, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l, ok := ParseLanguage(code)
		arabic := l == Ara || l == Pes || l == Urd
		if !ok || len(some) > 0 && !slices.Contains(some, l) || len(some) == 0 && arabic {
			continue
		}
		runes := []rune(trigrams)
		p := make(profile, len(runes)/3)
		for at := 0; at+3 <= len(runes); at += 3 {
			p[trigram(runes[at:])] = at / 3
		}
		profiles[l] = p
	}
	return profiles
}

// similarity rates from 0 to 1 how similar the order of a text's trigrams is to that of a
// language.
func similarity(ranked []trigram, p profile) float64 {
	distance := missingTrigram * len(p)
	for i, t := range ranked {
		if rank, ok := p[t]; ok {
			distance += max(i-rank, rank-i) - missingTrigram
		}
	}
	// A text with fewer trigrams than the profile cannot have all of them.
	distance -= missingTrigram * max(0, len(p)-len(ranked))
	distance = min(distance, missingTrigram*missingTrigram)
	most := missingTrigram * max(1, len(ranked))
	return float64(most-distance) / float64(most)
}

// lowerCase returns the characters of a text in lower case.
func lowerCase(text string) []rune {
	lower := make([]rune, 0, len(text)+1)
	for _, r := range text {
		if r == 'İ' { // the only letter whose lower case has two characters
			lower = append(lower, 'i', '\u0307')
			continue
		}
		lower = append(lower, unicode.ToLower(r))
	}
	return lower
}

// rankTrigrams lists the trigrams of a lower-case text by falling frequency, equal ones by
// falling characters. A trigram with a space in the middle must not have another at an end.
func rankTrigrams(lower []rune) []trigram {
	all := make([]trigram, 0, len(lower)+1)
	before, middle := ' ', rune(-1)
	read := func(after rune) {
		if middle >= 0 {
			if middle != ' ' || before != ' ' && after != ' ' {
				all = append(all, trigram{before, middle, after})
			}
			before = middle
		}
		middle = after
	}
	for _, r := range lower {
		if isNeutralASCII(r) {
			r = ' '
		}
		read(r)
	}
	read(' ')
	return byFrequency(all)
}

// byFrequency removes duplicates and sorts by frequency, in place.
func byFrequency(all []trigram) []trigram {
	slices.SortFunc(all, func(a, b trigram) int { return compareTrigrams(b, a) })
	counts := make([]int, 0, len(all))
	distinct := all[:0]
	for _, t := range all {
		if n := len(distinct); n > 0 && distinct[n-1] == t {
			counts[n-1]++
			continue
		}
		distinct, counts = append(distinct, t), append(counts, 1)
	}
	order := make([]int, len(distinct))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	ranked := make([]trigram, 0, min(len(order), maxTextTrigrams))
	for _, i := range order[:min(len(order), maxTextTrigrams)] {
		ranked = append(ranked, distinct[i])
	}
	return ranked
}

// isNeutralASCII tells which characters count as a space in trigrams.
func isNeutralASCII(r rune) bool {
	return r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
}
