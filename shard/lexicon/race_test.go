//go:build race

package lexicon

// raceFactor divides the rounds of the longest random tests under the race detector,
// which slows single-threaded code down ten times and finds nothing in it.
const raceFactor = 10
