// Command words packs a word list, one word per line in any order, into the form
// that package segment embeds:
//
//	go run ./text/segment/words < words_th.txt > text/segment/words/thai.words
//
// The Thai list is pythainlp/corpus/words_th.txt of the package pythainlp 3.1.1 on
// PyPI (pip download pythainlp==3.1.1 --no-deps, then unzip): the release whose
// list is the reference's.
//
//	go run ./text/segment/words -frequencies < s_1.txt > text/segment/words/chinese.words
//
// The Chinese list is data/dict/zh/s_1.txt of the module github.com/go-ego/gse v1.0.2.
package main
