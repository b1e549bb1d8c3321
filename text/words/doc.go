// Command words packs a word list, one word per line in any order, into the form
// that package text embeds:
//
//	go run ./text/words < thai.txt > text/words/thai.words
package main
