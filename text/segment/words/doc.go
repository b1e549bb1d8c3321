// Command words packs a word list, one word per line in any order, into the form
// that package segment embeds:
//
//	go run ./text/segment/words < words_th.txt > text/segment/words/thai.words
//
// The Thai list is pythainlp/corpus/words_th.txt of the package pythainlp 3.1.1 on
// PyPI (pip download pythainlp==3.1.1 --no-deps, then unzip): the release whose
// list is the reference's.
//
//	go run ./text/segment/words -frequencies < dict.txt > text/segment/words/chinese.words
//
// The Chinese list is src/data/dict.txt of the crate jieba-rs 0.8.1 (cargo fetch).
package main
