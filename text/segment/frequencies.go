package segment

import (
	"bytes"
	"cmp"
	_ "embed" // the dictionary
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"sync"
)

// chineseWords is the dictionary of jieba as the crate jieba-rs has it; NOTICE names its
// origin. go run ./text/segment/words -frequencies makes it.
//
//go:embed words/chinese.words
var chineseWords []byte

// frequencies are words with the logarithms of their probabilities. Immutable once loaded.
type frequencies struct {
	words *trie // their values are indexes into logs
	// logs holds the logarithms of the probabilities. Index 0 is for characters that the
	// list lacks.
	logs []float64
}

// chineseFrequencies loads the dictionary on first use. It takes 4 MB and some 30 ms.
var chineseFrequencies = sync.OnceValue(func() *frequencies {
	f, err := readFrequencies(chineseWords)
	if err != nil {
		panic("text: chinese words: " + err.Error()) // the binary itself is broken
	}
	return f
})

// WriteFrequencies writes words with their frequencies in the embedded form. Of repeated
// words the last frequency counts.
//
// Two paths through a text often have the same words in another order, for example with the
// frequencies 3, 5 and 5, 3. Then the last bit of the logarithms decides. Processors differ
// in that bit, so the logarithms are computed here with exact rounding.
func WriteFrequencies(w io.Writer, of map[string]uint32) error {
	words := make([]string, 0, len(of))
	used := map[uint32]int{}
	total := uint64(0)
	for word, f := range of {
		words = append(words, word)
		used[f]++
		total += uint64(f)
	}
	slices.Sort(words)
	distinct := make([]uint32, 0, len(used))
	for f := range used {
		distinct = append(distinct, f)
	}
	// The most used frequencies have the smallest numbers.
	slices.SortFunc(distinct, func(a, b uint32) int { return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b)) })
	distinct = slices.Insert(distinct, 0, 1) // the frequency of what the list lacks
	if len(distinct) > math.MaxUint16 {
		return fmt.Errorf("%d different frequencies", len(distinct))
	}
	number := make(map[uint32]uint16, len(distinct))
	head := binary.AppendUvarint(nil, uint64(len(distinct)))
	all := logarithm(total)
	for i, f := range distinct {
		number[f] = uint16(i)
		head = binary.LittleEndian.AppendUint64(head, math.Float64bits(logarithm(uint64(f))-all))
	}
	values := make([]uint16, len(words))
	for i, word := range words {
		values[i] = number[of[word]]
	}
	t := newTrie(words, values)
	return deflate(w, func(w io.Writer) error {
		if _, err := w.Write(head); err != nil {
			return err
		}
		return t.write(w)
	})
}

// readFrequencies reads the output of WriteFrequencies.
func readFrequencies(packed []byte) (*frequencies, error) {
	r := inflate(bytes.NewReader(packed))
	n, err := readNumber(r, math.MaxUint16)
	if err != nil {
		return nil, err
	}
	bits := make([]byte, 8*n)
	if _, err := io.ReadFull(r, bits); err != nil {
		return nil, fmt.Errorf("frequencies: %w", err)
	}
	f := &frequencies{logs: make([]float64, n)}
	for i := range f.logs {
		f.logs[i] = math.Float64frombits(binary.LittleEndian.Uint64(bits[8*i:]))
	}
	f.words, err = readTrie(r)
	return f, err
}

// logarithm is the natural logarithm of n > 0, rounded to the nearest.
func logarithm(n uint64) float64 {
	const precision = 160
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	// n = m 2^k with m from 1/2 to 1; ln m = 2 artanh((m-1)/(m+1)), and ln 2 = 2 artanh(1/3).
	m := new(big.Float).SetPrec(precision).SetUint64(n)
	k := m.MantExp(m)
	artanh := func(z *big.Float) *big.Float {
		square, power, sum := number(0).Mul(z, z), number(0).Set(z), number(0)
		for i := 1; i < 2*precision; i += 2 {
			sum.Add(sum, number(0).Quo(power, number(float64(i))))
			power.Mul(power, square)
		}
		return sum
	}
	ln := artanh(number(0).Quo(number(0).Sub(m, number(1)), number(0).Add(m, number(1))))
	ln.Add(ln, number(0).Mul(number(float64(k)), artanh(number(0).Quo(number(1), number(3)))))
	rounded, _ := ln.Mul(ln, number(2)).Float64()
	return rounded
}
