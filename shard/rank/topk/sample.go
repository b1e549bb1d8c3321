package topk

import (
	"slices"

	"shoal/shard/docset"
)

// Thresholds of samples. They change no answer; tests lower them.
var (
	// SampleMin and SampleMax bound the number of documents that are examined before
	// deciding whether to divide the rest.
	SampleMin, SampleMax = 16, 512
)

// sampleRounds is the number of rounds of a sample.
const sampleRounds = 8

// sample examines some documents of a divisible set, spread over it, and returns the
// others. Columns do not tell how near the words of a document are. If proximity is the
// first rule and there are hardly more near documents than wanted, most cells would be
// examined whatever their other costs, so dividing is useless. In this case scattered
// is true.
func (t *top) sample(set docset.Set) (rest docset.Set, scattered bool, err error) {
	want, n := t.best.max, set.Len()
	if !t.kinds[0].isLooked(t) || n <= SmallCell || n > want*SampleMax {
		return set, false, nil
	}
	drawn := set.Sample(max(SampleMin, n/want+1))
	seen := make([]uint32, 0, len(drawn))
	before := t.near
	for round := range sampleRounds {
		if err := t.interrupted(); err != nil {
			return set, false, err
		}
		if t.ahead.Cold() {
			for i := round; i < len(drawn); i += sampleRounds {
				t.ahead.Order(t.columns, drawn[i])
			}
			t.ahead.Read()
		}
		for i := round; i < len(drawn); i += sampleRounds {
			if t.score(drawn[i], true); t.err != nil {
				return set, false, t.err
			}
			seen = append(seen, drawn[i])
		}
		if len(seen) < min(SampleMin, len(drawn)) {
			continue
		}
		near, enough := t.near-before, want*len(seen)
		if scattered = n*(near+1) < enough || round == sampleRounds-1 && n*near < 2*enough; scattered || n*near >= 4*enough {
			break
		}
	}
	slices.Sort(seen)
	return set.AndNot(docset.FromSorted(seen)), scattered, nil
}
