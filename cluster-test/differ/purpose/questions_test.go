package purpose

import (
	"strconv"
	"strings"

	"shoal/cluster-test/life"
)

// answersToQuestions are what the two servers say when a row looks at more than the
// difference: the place of document 7 is wrong, the settings of index a are the same, and
// the reference counts the values a and b of the attribute g there.
func answersToQuestions(r *life.Request) (ours, theirs *Parsed, ok bool) {
	a, b := "", ""
	switch {
	case strings.Contains(r.String(), `"mixed"`) && strings.Contains(r.String(), `"semanticRatio":1`): // ours is nearer, but in index c
		a, b = `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":5}`, `{"hits":[{"id":2,"_rankingScore":0.8}],"totalHits":5}`
		if r.Path == "/indexes/c/search" {
			a, b = b, a
		}
	case strings.Contains(r.String(), `"mixed"`) && r.Path == "/indexes/b/search": // other words are found
		a, b = `{"hits":[{"id":1}],"totalHits":5}`, `{"hits":[{"id":1}],"totalHits":7}`
	case strings.Contains(r.String(), `"mixed"`):
		a = `{"hits":[{"id":1,"_rankingScore":0.9}],"totalHits":1}`
	case strings.Contains(r.String(), `"id IN []"`): // in index b the reference finds something else
		if a = `{"hits":[]}`; r.Path == "/indexes/b/search" {
			b = `{"hits":[{"id":1}]}`
		}
	case strings.Contains(r.String(), "_geoPoint(1, 2)"): // the reference has another place of document 2, but in index b
		a = `{"hits":[{"id":1,"_geo":null,"_rankingScoreDetails":{"_geoPoint(1, 2):asc":{"value":null}}},{"id":2,"_geo":{"lat":3,"lng":4},"_rankingScoreDetails":{"_geoPoint(1, 2):asc":{"value":{"lat":3.0,"lng":4}}}}]}`
		if r.Path != "/indexes/b/search" {
			b = strings.Replace(a, "3.0", "3.5", 1)
		}
	case strings.Contains(r.String(), "unsortedly"): // in index c the lists differ without the sort, too
		if a = `{"hits":[{"id":1}]}`; r.Path == "/indexes/c/search" {
			b = `{"hits":[]}`
		}
	case strings.Contains(r.String(), `"attributesToRetrieve":["_geo"]`): // both find the same documents, but in index b
		if a = `{"hits":[{"_geo":{"lat":1,"lng":3}},{"_geo":{"lat":1.0,"lng":4}},{"_geo":null}]}`; r.Path == "/indexes/b/search" {
			b = `{"hits":[]}`
		}
	case strings.Contains(r.String(), " IS EMPTY"):
		a, b = `{"results":[{"id":1},{"id":2}]}`, `{"results":[{"id":1}]}`
	case strings.Contains(r.String(), " IS NULL"):
		a, b = `{"results":[{"id":1},{"id":3}]}`, `{"results":[{"id":1},{"id":5}]}`
	case r.Path == "/indexes/a/documents/2":
		a = `{"id":2,"g":""}`
	case strings.HasSuffix(r.Path, "/documents/3"):
		a = `{"id":3,"g":null}`
	case strings.HasSuffix(r.Path, "/documents/5"): // null in index b only
		if a = `{"id":5,"g":1}`; r.Path == "/indexes/b/documents/5" {
			a = `{"id":5,"g":null}`
		}
	case strings.Contains(r.String(), "id IN [1, "):
		a = `{"hits":[{"id":1},{"id":2}]}`
	case r.Path == "/indexes/a/documents/7?fields=_geo" || r.Path == "/indexes/b/documents/7?fields=_geo":
		a = `{"_geo":[]}`
	case r.Path == "/indexes/a/documents/8?fields=_geo":
		a = `{"_geo":{"lat":1,"lng":2}}`
	case r.Path == "/indexes/a/settings":
		a, b = `{"displayedAttributes":["id"],"stopWords":["x"]}`, `{"displayedAttributes":["*"],"stopWords":["x"]}`
	case r.Path == "/indexes/b/settings":
		a, b = `{"dictionary":["x"]}`, `{"dictionary":[]}`
	case r.Path == "/indexes/a/similar" && strings.Contains(r.String(), `"id":7`): // 1 and 2 are equally similar
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"offset":0}`
		b = `{"hits":[{"id":2,"_rankingScore":0.9},{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}],"offset":0}`
	case r.Path == "/indexes/a/similar" && strings.Contains(r.String(), `"id":8`): // the reference misses 1
		a, b = `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":2,"_rankingScore":0.8}]}`
	case strings.HasSuffix(r.Path, "/settings/typo-tolerance"):
		if a = `{"disableOnAttributes":[]}`; r.Path == "/indexes/d/settings/typo-tolerance" || r.Path == "/indexes/m/settings/typo-tolerance" {
			a = `{"disableOnAttributes":["g"]}`
		}
	case strings.Contains(r.String(), `"q":"moved "`): // the reference differs in index b without numbers, too
		if a = `{"hits":[]}`; r.Path == "/indexes/b/search" {
			b = `{"hits":[{"id":1}]}`
		}
	case r.Path == "/indexes/m/settings/distinct-attribute":
		a = `"g"`
	case r.Path == "/indexes/m/search" && strings.Contains(r.String(), "paired") && !strings.Contains(r.String(), `"distinct":"id"`): // the rule chose others
		a, b = `{"hits":[{"id":1},{"id":2}]}`, `{"hits":[{"id":3},{"id":2}]}`
	case strings.Contains(r.String(), "paired"): // document 1 differs in proximity, with another word in its typos, too
		p, q := `"score":0.5`, `"score":1.0`
		if strings.Contains(r.String(), "otherwise") {
			p = `"score":0.5},"typo":{"score":0.1`
		}
		a = `{"hits":[{"id":2},{"id":1,"_rankingScoreDetails":{"proximity":{` + p + `}}},{"id":3}]}`
		b = `{"hits":[{"id":1,"_rankingScoreDetails":{"proximity":{` + q + `}}},{"id":2},{"id":3}]}`
	case strings.Contains(r.String(), `"big pre `): // another document has the whole word in index b
		if a = `{"hits":[]}`; r.Path == "/indexes/b/search" {
			b = `{"hits":[{"id":2}]}`
		}
	case strings.Contains(r.String(), "lossy"): // the reference counts 2 and does not show it; otherwise it does not count it
		a, b = `{"hits":[{"id":1},{"id":2},{"id":3}],"estimatedTotalHits":3}`, `{"hits":[{"id":1},{"id":3}],"estimatedTotalHits":3}`
		switch {
		case strings.Contains(r.String(), "otherwise"):
			b = `{"hits":[{"id":1},{"id":3}],"estimatedTotalHits":2}`
		case strings.Contains(r.String(), "elsewhere"):
			b = `{"hits":[{"id":3},{"id":1}],"estimatedTotalHits":3}`
		}
	case strings.Contains(r.String(), "bounded"): // document 1 differs in proximity, and 3 is pushed out by 4; in index m 2 is, too, by 5
		a = `{"hits":[{"id":2},{"id":1,"_rankingScoreDetails":{"proximity":{"score":0.5}}},{"id":3}],"estimatedTotalHits":3}`
		b = `{"hits":[{"id":1,"_rankingScoreDetails":{"proximity":{"score":1.0}}},{"id":2},{"id":4}],"estimatedTotalHits":3}`
		if r.Path == "/indexes/m/search" {
			b = strings.Replace(b, `"id":2`, `"id":5`, 1)
		}
	case strings.HasSuffix(r.Path, "/settings/pagination"):
		a = `{"maxTotalHits":3}`
	case strings.HasSuffix(r.Path, "/settings/faceting"):
		a = `{"maxValuesPerFacet":1}`
	case strings.HasSuffix(r.Path, "/settings/proximity-precision"):
		if a = `"byWord"`; r.Path == "/indexes/k/settings/proximity-precision" {
			a = `"byAttribute"`
		}
	case strings.HasSuffix(r.Path, "/settings/ranking-rules"):
		a = `["words"]`
	case strings.HasSuffix(r.Path, "/settings/searchable-attributes"):
		a = `["id","g"]`
	case r.Path == "/indexes/a/documents/7":
		a, b = `{"id":"7","g":1,"_geo":{"lat":1,"lng":2},"n":null,"unsearched":1}`, `{"g":1,"id":7}`
	case r.Path == "/indexes/e/documents/7":
		a, b = `{"id":7,"g":2}`, `{"id":7,"g":1}`
	case strings.HasSuffix(r.Path, "/settings/embedders"):
		a = `{"e":{"source":"userProvided"},"r":{"source":"rest"}}`
	case strings.HasSuffix(r.Path, "/documents/fetch") && strings.Contains(r.String(), `"retrieveVectors":true`): // those of index b are not to be made again
		a = `{"results":[{"_vectors":{"e":{"regenerate":` + strconv.FormatBool(r.Path != "/indexes/b/documents/fetch") + `},"r":{"regenerate":true}}}]}`
	case r.Path == "/indexes/a":
		a = `{"primaryKey":"id"}`
	case r.Path == "/indexes/b":
		a, b = `{"primaryKey":"id"}`, `{"primaryKey":null}`
	case r.Path == "/indexes/a/stats":
		a = `{"numberOfDocuments":1}`
	case r.Path == "/indexes/b/stats":
		a = `{"numberOfDocuments":0}`
	case r.Path == "/indexes/a/fields":
		a, b = `{"results":[{"name":"g"},{"name":"g.x"},{"name":"h"}]}`, `{"results":[{"name":"g"},{"name":"h"}]}`
	case r.Path == "/indexes/c/fields":
		a, b = `{"results":[{"name":""},{"name":".a"},{"name":"..b"},{"name":"c"}]}`, `{"results":[{"name":""},{"name":"a"},{"name":"b"},{"name":"c"}]}`
	case r.Path == "/indexes/b/fields":
		a, b = `{"results":[{"name":"g"},{"name":"x"}]}`, `{"results":[{"name":"g"}]}`
	case strings.Contains(r.String(), "counted"): // document 1 differs in exactness, that of index b in its typos, too
		p, q := `"score":0.5`, `"score":1.0`
		if r.Path == "/indexes/b/search" {
			p = `"score":0.5},"typo":{"score":0.1`
		}
		a = `{"hits":[{"id":2},{"id":1,"_rankingScore":0.5,"_rankingScoreDetails":{"exactness":{` + p + `}}},{"id":3}]}`
		b = `{"hits":[{"id":1,"_rankingScore":1.0,"_rankingScoreDetails":{"exactness":{` + q + `}}},{"id":2},{"id":3}]}`
	case r.Path == "/indexes/a/search" && strings.Contains(r.String(), `"limit":1000`): // 2 and 3 are equally near
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.8}],"estimatedTotalHits":3}`
	case r.Path == "/indexes/j/search" && strings.Contains(r.String(), "distinct"): // document 1 came by its farther vector
		a, b = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":2,"_rankingScore":0.8},{"id":1,"_rankingScore":0.7}]}`
	case r.Path == "/indexes/j/search":
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8},{"id":4,"_rankingScore":0.7}]}`
	case r.Path == "/indexes/h/search" && strings.Contains(r.String(), "distinct"):
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`
	case r.Path == "/indexes/h/search": // 4 and 7 are left out as their value is that of 1
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":4,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8},{"id":7,"_rankingScore":0.7}]}`
	case r.Path == "/indexes/g/search" && strings.Contains(r.String(), `"limit":1000`): // sorted, and the reference misses document 2
		a = `{"hits":[{"id":1,"_rankingScore":0.7},{"id":2,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`
		b = `{"hits":[{"id":1,"_rankingScore":0.7},{"id":3,"_rankingScore":0.8}]}`
	case r.Path == "/indexes/b/search" && strings.Contains(r.String(), `"limit":1000`):
		a, b = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`, `{"hits":[{"id":1,"_rankingScore":0.9},{"id":3,"_rankingScore":0.8}]}`
	case r.Path == "/indexes/a/search" && strings.Contains(r.String(), `"embedder":"hidden"`):
		a = `{"hits":[{"_rankingScore":0.9,"_rankingScoreDetails":{"s":0.9}}]}`
		b = `{"hits":[{"_rankingScore":0.8,"_rankingScoreDetails":{"s":0.8}}]}`
	case strings.Contains(r.String(), `"limit":10000`) && r.Path == "/indexes/n/documents/fetch": // the reference drops 1 and 2
		a, b = `{"results":[{"id":1,"g":""},{"id":2,"g":null},{"id":3,"g":"a"},{"id":4,"g":"b"}]}`, `{"results":[{"id":3,"g":"a"},{"id":4,"g":"b"}]}`
	case r.Path == "/indexes/n/documents/fetch":
		a, b = `{"results":[{"id":1,"g":""},{"id":2,"g":null}]}`, `{"results":[{"id":3,"g":"a"},{"id":4,"g":"b"}]}`
	case strings.Contains(r.String(), `"limit":10000`) && r.Path == "/indexes/b/documents/fetch": // the reference repeats 4
		a, b = `{"results":[{"id":4,"g":["c","d"]},{"id":1,"g":"b"},{"id":3,"g":"a"}]}`, `{"results":[{"id":4,"g":["c","d"]},{"id":4,"g":["c","d"]},{"id":1,"g":"b"},{"id":3,"g":"a"}]}`
	case r.Path == "/indexes/b/documents/fetch": // and counts it once
		a, b = `{"results":[{"id":3,"g":"a"}]}`, `{"results":[{"id":1,"g":"b"},{"id":3,"g":"a"}]}`
	case strings.Contains(r.String(), `"limit":10000`): // the whole list of the later page
		a, b = `{"results":[{"id":4,"g":"c"},{"id":1,"g":"b"},{"id":2,"g":""},{"id":3,"g":"a"}]}`, `{"results":[{"id":4,"g":"c"},{"id":1,"g":"b"},{"id":3,"g":"a"}]}`
	case r.Path == "/indexes/a/documents/fetch" && strings.Contains(r.String(), `"offset":2`): // the reference skipped document 2
		a, b = `{"results":[{"id":2,"g":""},{"id":3,"g":"a"}]}`, `{"results":[{"id":1,"g":"b"},{"id":3,"g":"a"}]}`
	case r.Path == "/indexes/a/documents/fetch" && strings.Contains(r.String(), `"offset":3`):
		a, b = `{"results":[{"id":3,"g":"a"}]}`, `{"results":[{"id":3,"g":"a"},{"id":1,"g":"b"}]}`
	case r.Path == "/indexes/a/documents/fetch" && strings.Contains(r.String(), `"offset":1`): // no part of the whole list
		a, b = `{"results":[{"id":2,"g":""},{"id":1,"g":"b"}]}`, `{"results":[{"id":3,"g":"a"}]}`
	case r.Path == "/indexes/a/documents/fetch" || r.Path == "/indexes/a/documents?sort=g%3Adesc":
		a, b = `{"results":[{"id":1,"g":"b"},{"id":2,"g":""},{"id":3,"g":"a"}],"offset":0}`, `{"results":[{"id":1,"g":"b"},{"id":3,"g":"a"}],"offset":0}`
	case strings.Contains(r.String(), `the \"198x\"`):
		a = `{"hits":[]}`
		if r.Path == "/indexes/b/search" {
			b = `{"hits":[{"id":1}]}`
		}
	case r.Path == "/multi-search":
		a, b = `{"results":[{"hits":[]},{"hits":[{"id":1,"_rankingScore":0.9}]}]}`, `{"results":[{"hits":[]},{"hits":[{"id":2,"_rankingScore":0.8}]}]}`
	case strings.Contains(r.String(), `"filter":["\"`): // in index a, 2 documents have the value a of an attribute, 1 has b
		a = `{"totalHits":0}`
		if r.Path == "/indexes/a/search" && strings.Contains(r.String(), `= \"a\"`) {
			a = `{"totalHits":2}`
		} else if r.Path == "/indexes/a/search" && strings.Contains(r.String(), `= \"b\"`) {
			a = `{"totalHits":1}`
		}
	case r.Path == "/indexes/a/search" && (strings.Contains(r.String(), `"limit":2,"offset":0`) || strings.Contains(r.String(), `"hitsPerPage":2,"hybrid":{"embedder":"e"},"page":1`)):
		// The reference misses document 1; document 2 is as near as document 3.
		a = `{"hits":[{"id":1,"_rankingScore":0.9},{"id":2,"_rankingScore":0.8}]}`
		b = `{"hits":[{"id":2,"_rankingScore":0.8},{"id":3,"_rankingScore":0.8}]}`
	case r.Path == "/indexes/a/search" && strings.Contains(r.String(), `"limit":1`) && !strings.Contains(r.String(), "offset"):
		a, b = `{"hits":[{"id":1,"_rankingScore":0.9}]}`, `{"hits":[{"id":2,"_rankingScore":0.8}]}`
	default:
		return nil, nil, false
	}
	if b == "" {
		b = a
	}
	ours, ok = Parse(Answer{200, []byte(a)})
	theirs, fine := Parse(Answer{200, []byte(b)})
	return ours, theirs, ok && fine
}
