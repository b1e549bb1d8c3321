package segment

import (
	"bytes"
	"cmp"
	"compress/flate"
	_ "embed" // the dictionary
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// chineseWords is jieba's dictionary as gse has it, a line per word with its frequency, in
// the order of the words, deflated; NOTICE names its origin. go run ./text/segment/words -frequencies makes it.
//
//go:embed words/chinese.words
var chineseWords []byte

// phraseBook is a sorted list of words with their logarithmic probabilities. The
// words stay where they are in the dictionary's text; 350,000 of them take 3 MB.
// It is immutable once loaded.
type phraseBook struct {
	text  string
	words []phrase
	// first holds, by first character from firstHan on, the number of the first
	// word that begins with it or a greater one.
	first []uint32
	// unknown is the logarithmic probability of a character the list lacks.
	unknown float32
}

type phrase struct {
	start  uint32
	length uint8
	log    float32
}

const (
	firstHan = 0x3400
	lastHan  = 0x9FFF
)

// chineseBook loads the book on first use, in less than a tenth of a second.
var chineseBook = sync.OnceValue(func() *phraseBook {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(chineseWords)))
	if err != nil {
		panic("text: chinese words: " + err.Error()) // the binary itself is broken
	}
	return newPhraseBook(string(text), commonHan)
})

// commonHan lists frequent characters by the rounded natural logarithm of their
// frequency. In the dictionary at hand the conversion of traditional entries has
// overwritten these frequencies with those of their rare traditional forms.
var commonHan = map[int]string{
	13: "为",
	12: "后",
	11: "两们会内出却向家并当才无没给过里",
	10: "万占台回国头属带干开报进连问间鱼",
	9: "举义乱云亚产体余修克关冲几刚厂双合吨员团坛墙复妈宫宽岗岛归御愿战挂斗朱权板枪树楼游画礼离级线网罢群职胜药表装记诗贴车" +
		"选铁银错随顶项须领题香",
	8: "丝乐争亿价佛侧兴决净准击升压吓园圆夹娘孙宝尔局岩巨帐广弦弯弹恶扑托折抛摆旗显暗曲术查梁梦横毁毕浓渐灯烟爷独猪环监盖" +
		"秋笔糖纯纲练绝缓缘节虫议许谷败跃采钟钻闭阳阴阵雕静颗饮",
	7: "仓佣冻卢奸宁尘岳幸庵彦挨捆搂搅昆构栏栖桩棱泼浑渔灶畅碱窃粤纪纱范荫贫贯迈适铝铲销锜镍闲闷鲢龄龟",
	6: "债僵帘庑弥恋恒揽杰柜检毡溅烛玛瓮痴碍糊缅迹铃铬韬顷饲鳔",
}

func newPhraseBook(text string, common map[int]string) *phraseBook {
	b := &phraseBook{text: text, words: make([]phrase, 0, strings.Count(text, "\n")+1)}
	frequencies := make([]float64, 0, cap(b.words))
	restored := make(map[string]float64)
	for log, chars := range common {
		for _, c := range chars {
			restored[string(c)] = math.Exp(float64(log))
		}
	}
	total := 0.0
	for at := 0; at < len(text); {
		line := text[at:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		word, rest, _ := strings.Cut(line, " ")
		number, _, _ := strings.Cut(rest, " ")
		if f, err := strconv.ParseFloat(number, 64); err == nil && word != "" && len(word) < 256 && f > 0 {
			if len(word) <= utf8.UTFMax {
				f = max(f, restored[word])
			}
			b.words = append(b.words, phrase{start: uint32(at), length: uint8(len(word)), log: float32(len(frequencies))})
			frequencies = append(frequencies, f)
			total += f
		}
		at += len(line) + 1
	}
	// log holds the number of the frequency until the words are in order.
	all := math.Log(total)
	for i := range b.words {
		b.words[i].log = float32(math.Log(frequencies[int(b.words[i].log)]) - all)
	}
	byWord := func(x, y phrase) int { return strings.Compare(b.word(x), b.word(y)) }
	if !slices.IsSortedFunc(b.words, byWord) {
		slices.SortStableFunc(b.words, byWord)
	}
	b.unknown = float32(-math.Log(max(total, 1)))
	b.index()
	return b
}

func (b *phraseBook) word(p phrase) string { return b.text[p.start : int(p.start)+int(p.length)] }

func (b *phraseBook) index() {
	b.first = make([]uint32, lastHan-firstHan+2)
	next := 0
	for r := firstHan; r <= lastHan+1; r++ {
		head := string(rune(r))
		for next < len(b.words) && b.word(b.words[next]) < head {
			next++
		}
		b.first[r-firstHan] = uint32(next)
	}
}

// begin returns the range of words that start with a character.
func (b *phraseBook) begin(r rune, size int) (lo, hi int) {
	if r >= firstHan && r <= lastHan {
		return int(b.first[r-firstHan]), int(b.first[r-firstHan+1])
	}
	return b.narrow(0, len(b.words), 0, string(r)[:size])
}

// narrow returns the part of a range of words, all of which agree on their first
// depth bytes, that goes on with the bytes of next.
func (b *phraseBook) narrow(lo, hi, depth int, next string) (int, int) {
	compare := func(p phrase, next string) int {
		w := b.word(p)[min(depth, int(p.length)):]
		return cmp.Compare(w[:min(len(w), len(next))], next)
	}
	from, _ := slices.BinarySearchFunc(b.words[lo:hi], next, compare)
	lo += from
	if hi-lo > 8 {
		past, _ := slices.BinarySearchFunc(b.words[lo:hi], next, func(p phrase, next string) int {
			if compare(p, next) > 0 {
				return 1
			}
			return -1
		})
		return lo, lo + past
	}
	end := lo
	for end < hi && compare(b.words[end], next) == 0 {
		end++
	}
	return lo, end
}

// has reports whether the book has a word.
func (b *phraseBook) has(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	lo, hi := b.begin(r, size)
	for at := size; at < len(word) && lo < hi; at += size {
		_, size = utf8.DecodeRuneInString(word[at:])
		lo, hi = b.narrow(lo, hi, at, word[at:at+size])
	}
	return lo < hi && int(b.words[lo].length) == len(word)
}
