//go:build !race

package lexicon

const raceFactor = 1
