package text

import (
	"testing"

	"shoal/text/dictionary"
	"shoal/text/language"
)

// japaneseTexts are a small corpus of our own.
var japaneseTexts = []string{
	"東京都の図書館で本を借りました",
	"京都の古いお寺を見に行きたい",
	"関西国際空港から電車で大阪へ",
	"美味しいラーメンの作り方",
	"犬と猫が公園で遊んでいる",
	"新しい自転車を買いたいです",
	"日本語の勉強は難しいが楽しい",
	"冬の北海道で雪祭りを見る",
	"コーヒーと紅茶のどちらが好きですか",
	"図書館の開館時間を調べる",
}

func TestJapaneseQueriesFindTheirTexts(t *testing.T) {
	useDictionary(t, dictionary.Japanese)
	checkRetrieval(t, New(Options{Dictionaries: dictionary.Japanese, Locales: []language.Language{language.Jpn}}), japaneseTexts, []retrieval{
		{"図書館", []int{0, 9}},
		{"京都", []int{1}}, // not 東京都
		{"空港", []int{2}},
		{"国際 電車", []int{2}},
		{"らあめん", []int{3}}, // katakana and hiragana are one
		{"猫 公園", []int{4}},
		{"自転車", []int{5}},
		{"日本語 勉強", []int{6}},
		{"雪祭り", []int{7}},
		{"紅茶", []int{8}},
		{"時間", []int{9}},
		{"車", []int{5}}, // UniDic cuts 自転車, not 電車
	})
}
