package text

import "unicode/utf8"

// foldCj is step 9 on one character of a Cj segment.
func (n *normaliser) foldCj(dst []byte, r rune) []byte { return utf8.AppendRune(dst, r) }

// finishCj is step 10.
func (n *normaliser) finishCj(lemma []byte) []byte { return lemma }
