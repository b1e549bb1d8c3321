package text

import (
	"testing"

	"shoal/text/dictionary"
)

// koreanTexts are a small corpus of our own.
var koreanTexts = []string{
	"도서관에서 책을 빌렸습니다",
	"서울에서 부산까지 기차로 갔다",
	"맛있는 김치찌개를 만드는 방법",
	"강아지와 고양이가 공원에서 논다",
	"새 자전거를 사고 싶어요",
	"한국어를 공부하는 학생이 많다",
	"겨울에는 눈이 많이 내린다",
	"커피와 차 중에서 무엇을 좋아하세요",
	"도서관의 개관 시간을 알아보다",
}

func TestKoreanQueriesFindTheirTexts(t *testing.T) {
	useDictionary(t, dictionary.Korean)
	checkRetrieval(t, New(Options{Dictionaries: dictionary.Korean}), koreanTexts, []retrieval{
		{"도서관", []int{0}}, // the dictionary reads 도서|관의 in the last one
		{"책", []int{0}},
		{"부산 기차", []int{1}},
		{"김치", []int{2}},
		{"고양이", []int{3}},
		{"공원", []int{3}},
		{"자전거", []int{4}},
		{"한국어 공부", []int{5}},
		{"겨울 눈", []int{6}},
		{"커피", []int{7}},
		{"시간", []int{8}},
	})
}
