//go:build !race

package docset

const raceFactor = 1
