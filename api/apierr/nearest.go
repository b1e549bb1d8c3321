package apierr

import "unicode/utf8"

// DidYouMean returns "did you mean `x`? " for the accepted name nearest to received, or ""
// if none is within the distance allowed for its length. The first of equally near names
// wins (spec write-api 2.2).
func DidYouMean(received string, accepted []string) string {
	best, bestDistance := "", allowedDistance(len(received))+1
	if bestDistance == 1 {
		return ""
	}
	for _, name := range accepted {
		if d := editDistance(received, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean `" + best + "`? "
}

// allowedDistance is the number of edits allowed in a word of n bytes.
func allowedDistance(n int) int {
	switch {
	case n <= 3:
		return 0
	case n <= 7:
		return 1
	case n <= 12:
		return 2
	case n <= 17:
		return 3
	case n <= 24:
		return 4
	}
	return 5
}

// editDistance is the Damerau-Levenshtein distance between the runes of a and b:
// insertions, deletions, substitutions, and transpositions of neighbours that may be edited
// again in between. Received words may be long, so a is bounded: a word beyond 64 runes is
// far from every accepted name.
func editDistance(a, b string) int {
	if len(a) > 64*utf8.UTFMax {
		return len(a)
	}
	x, y := []rune(a), []rune(b)
	if len(x) > 64 {
		return len(x)
	}
	// d[i+1][j+1] is the distance between the first i and the first j runes. Row and column
	// 0 hold a value larger than any distance.
	infinite := len(x) + len(y)
	d := make([][]int, len(x)+2)
	for i := range d {
		d[i] = make([]int, len(y)+2)
		d[i][0] = infinite
		if i > 0 {
			d[i][1] = i - 1
		}
	}
	for j := range d[0] {
		d[0][j] = infinite
		if j > 0 {
			d[1][j] = j - 1
		}
	}
	lastRow := map[rune]int{} // last row where the rune of b was seen in a
	for i := 1; i <= len(x); i++ {
		lastCol := 0 // last column of this row where the runes were equal
		for j := 1; j <= len(y); j++ {
			row, cost := lastRow[y[j-1]], 1
			swap := d[row][lastCol] + (i - row - 1) + 1 + (j - lastCol - 1)
			if x[i-1] == y[j-1] {
				cost, lastCol = 0, j
			}
			d[i+1][j+1] = min(d[i][j]+cost, d[i+1][j]+1, d[i][j+1]+1, swap)
		}
		lastRow[x[i-1]] = i
	}
	return d[len(x)+1][len(y)+1]
}

// WithinTypos tells whether two names differ, by at most n edits.
func WithinTypos(a, b string, n int) bool {
	if a == b || len(a) > 4*(len(b)+n) || len(b) > 4*(len(a)+n) {
		return false
	}
	return editDistance(a, b) <= n
}
