package segment

import "testing"

func TestPhraseBook(t *testing.T) {
	b := newPhraseBook("一 10 m\n一二 5 m\n一二三四 2 m\n二 7\nab 3 x\nbroken\n四 0 x\n", map[int]string{3: "二"})
	for word, want := range map[string]bool{"一": true, "一二": true, "一二三": false, "一二三四": true, "二": true, "四": false, "ab": true, "a": false, "三": false} {
		if b.has(word) != want {
			t.Errorf("%s: %v", word, !want)
		}
	}
}

// TestTheChineseBookIsWhole: fewer words or another sum would cut texts otherwise.
func TestTheChineseBookIsWhole(t *testing.T) {
	b := chineseBook()
	if len(b.words) != 352279 || b.unknown != -17.916513 || !b.has("图书馆") {
		t.Errorf("%d words, %v", len(b.words), b.unknown)
	}
}
