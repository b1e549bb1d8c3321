package driver_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"shoal/api/settings"
)

// eachSplit runs a test with the documents on 1, 2 and 5 shards.
func eachSplit(t *testing.T, settings *settings.Settings, docs map[uint32]string, f func(t *testing.T, c *corpus)) {
	for _, n := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("shards=%d", n), func(t *testing.T) { f(t, newCorpus(t, settings, docs, n)) })
	}
}

// C1 of spec ranking, appendix C: order and global scores.
func TestSunFlower(t *testing.T) {
	docs := texts("sun flower", "sunflower", "sun tan flower", "flower sun", "sun", "flawer sun", "sun x y flower", "sun x y z flower", "sun. flower")
	want := []struct {
		id    uint32
		score float64
	}{{1, 1}, {3, 0.96627}, {4, 0.964782}, {7, 0.933532}, {8, 0.902282}, {9, 0.900794}, {6, 0.839616}, {2, 0.681878}, {5, 0.5}}
	eachSplit(t, settings.Default(), docs, func(t *testing.T, c *corpus) {
		r := c.search("sun flower", options{limit: 20})
		if len(r.Hits) != len(want) || r.Total != 9 {
			t.Fatalf("%d hits, total %d\n%s", len(r.Hits), r.Total, c.show(r))
		}
		for i, w := range want {
			if h := r.Hits[i]; h.Ordinal != w.id || math.Abs(h.Details.Score()-w.score) > 1e-6 {
				t.Errorf("hit %d: %d %v, want %d %v\n%s", i, h.Ordinal, h.Details.Score(), w.id, w.score, h.Details.AppendJSON(nil, c.settings))
			}
		}
		second := string(r.Hits[7].Details.AppendJSON(nil, c.settings))
		for _, part := range []string{`"typo":{"order":1,"typoCount":2,"maxTypoCount":3,"score":0.5}`, `"proximity":{"order":2,"score":0.5}`, `"matchType":"noExactMatch","matchingWords":0,"maxMatchingWords":2,`} {
			if !strings.Contains(second, part) {
				t.Errorf("document 2: %s lacks %s", second, part)
			}
		}
	})
}

func TestVectors(t *testing.T) {
	sun := texts("sun flower", "sunflower", "sun tan flower", "flower sun", "sun", "flawer sun", "sun x y flower", "sun x y z flower", "sun. flower")
	strict := settings.Default()
	strict.TypoTolerance.Enabled = false
	typos := texts("abcdefghi", "bacdefghi", "abcdefgih", "abcdefg", "xbcdefghi", "xxcdefghi", "abcdefghijk", "abcdxfghixx")
	usa := settings.Default()
	usa.Synonyms = map[string][]string{"usa": {"united states"}, "united states": {"usa"}}
	states := texts("usa today", "united states today", "united kingdom")
	king := settings.Default()
	king.StopWords = []string{"of", "the"}
	cases := []struct {
		name     string
		settings *settings.Settings
		docs     map[uint32]string
		q        string
		o        options
		want     string
		total    uint64
	}{
		{"split word", nil, sun, "sunflower", options{}, "2 1", 2},
		{"split word without typos", strict, sun, "sunflower", options{}, "2 1", 2},
		{"phrase", nil, sun, `"sun flower"`, options{}, "1", 1},
		{"negative word", nil, sun, "sun -flower", options{}, "5 6", 2},
		{"negative phrase", nil, sun, `sun -"sun flower"`, options{}, "5 3 7 8 9 4 6", 7},
		{"threshold", nil, sun, "sun flower", options{limit: 2, threshold: 0.9}, "1 3", 9},
		{"threshold, exact total", nil, sun, "sun flower", options{limit: 2, threshold: 0.9, exhaustive: true}, "1 3", 6},
		{"low threshold", nil, sun, "sun flower", options{threshold: 0.6}, "1 3 4 7 8 9 6 2", 8},
		{"two typos", nil, typos, "abcdefghi ", options{}, "1 3 2 4 5 7", 6},
		{"two typos, prefix", nil, typos, "abcdefghi", options{}, "1 7 3 8 2 4 5", 7},
		{"one typo, prefix", nil, typos, "abcdefgh", options{}, "1 7 3 4 8", 5},
		{"one typo", nil, typos, "abcdefgh ", options{}, "1 3 4", 3},
		{"synonym", usa, states, "usa", options{}, "1 2", 2},
		{"synonym of two words", usa, states, "united states", options{}, "2 1 3", 3},
		{"stop words in a phrase", king, texts("king of france", "king the france"), `"king of france"`, options{}, "1 2", 2},
		{"only stop words", king, texts("king of france", "king the france", "x"), "of the ", options{}, "1 2 3", 3},
		{"cut off", nil, sun, "sun flower", options{expired: true}, "1 2 3 4 5 6 7 8 9", 9},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if tt.settings == nil {
				tt.settings = settings.Default()
			}
			if tt.o.limit == 0 {
				tt.o.limit = 20
			}
			eachSplit(t, tt.settings, tt.docs, func(t *testing.T, c *corpus) {
				r := c.search(tt.q, tt.o)
				if order(r) != tt.want || r.Total != tt.total {
					t.Errorf("%q: %s of %d, want %s of %d\n%s", tt.q, order(r), r.Total, tt.want, tt.total, c.show(r))
				}
			})
		})
	}
}

// C2, C7: scores that depend on which terms survive a bucket.
func TestScores(t *testing.T) {
	usa := settings.Default()
	usa.Synonyms = map[string][]string{"usa": {"united states"}, "united states": {"usa"}}
	eachSplit(t, settings.Default(), texts("The cat sat on the mat", "cat", "catalog of things"), func(t *testing.T, c *corpus) {
		r := c.search("cat sat", options{limit: 20})
		if order(r) != "1 2" || r.Hits[0].Details.Score() != 0.9947089947089947 || r.Hits[1].Details.Score() != 0.5 {
			t.Error(c.show(r))
		}
	})
	eachSplit(t, usa, texts("usa today", "united states today", "united kingdom"), func(t *testing.T, c *corpus) {
		r := c.search("united states", options{limit: 20})
		got := c.show(r)
		for _, part := range []string{`"typoCount":0,"maxTypoCount":3`, `"typoCount":2,"maxTypoCount":3`, `"proximity":{"order":2,"score":0.5}`, `"matchingWords":1,"maxMatchingWords":2,"score":0.5`} {
			if !strings.Contains(got, part) {
				t.Errorf("lacks %s:\n%s", part, got)
			}
		}
	})
}
