package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/shard/record"
)

// question is a search by vector or, with a similar document, one for its neighbours.
type question struct {
	embedder      *embedder
	vector        []float32
	similar       *document
	offset, limit int
	group         int  // the only one, -1 = all
	half          int  // the only one, -1 = both
	distinct      bool // one of each group
	threshold     float64
}

// ask makes a random question.
func (c *corpus) ask() *question {
	e := &embedders[c.r.IntN(len(embedders))]
	q := &question{embedder: e, vector: c.vector(e), limit: []int{1, 5, 20, 20, 100}[c.r.IntN(5)], group: -1, half: -1}
	switch c.r.IntN(4) {
	case 0:
		q.half = c.r.IntN(2)
	case 1:
		q.group = c.r.IntN(40)
	}
	if c.r.IntN(4) == 0 {
		q.offset = c.r.IntN(60)
	}
	if c.r.IntN(5) == 0 {
		q.threshold = 0.4 + c.r.Float64()/2
	}
	if c.r.IntN(5) == 0 {
		known := c.ids()
		q.similar = c.byID[known[c.r.IntN(len(known))]]
	} else {
		q.distinct = c.r.IntN(6) == 0
	}
	return q
}

// request is the route and body of the question.
func (q *question) request() (path string, body []byte) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"attributesToRetrieve":["id"],"showRankingScore":true,"offset":%d,"limit":%d`, q.offset, q.limit)
	switch {
	case q.half >= 0:
		fmt.Fprintf(&b, `,"filter":"half = %d"`, q.half)
	case q.group >= 0:
		fmt.Fprintf(&b, `,"filter":"group = %d"`, q.group)
	}
	if q.threshold > 0 {
		fmt.Fprintf(&b, `,"rankingScoreThreshold":%g`, q.threshold)
	}
	if q.distinct {
		b.WriteString(`,"distinct":"group"`)
	}
	if q.similar != nil {
		fmt.Fprintf(&b, `,"id":%d,"embedder":"%s"}`, q.similar.id, q.embedder.name)
		return indexPath + "/similar", b.Bytes()
	}
	fmt.Fprintf(&b, `,"hybrid":{"embedder":"%s","semanticRatio":1},"vector":`, q.embedder.name)
	appendVector(&b, q.vector)
	b.WriteByte('}')
	return indexPath + "/search", b.Bytes()
}

// near is a document with its distance, or without any vector.
type near struct {
	*document
	distance float32
	has      bool
}

// hits answers the question by comparing all vectors: the beginning of the answer's body.
func (c *corpus) hits(q *question) []byte {
	var all []near
	for _, d := range c.byID {
		if q.half >= 0 && d.half() != q.half || q.group >= 0 && d.group != q.group || d == q.similar {
			continue
		}
		n := near{document: d}
		for i, v := range d.vectors[q.embedder.name] {
			target := q.vector
			if q.similar != nil {
				// The i-th vector is compared with the i-th one (spec ranking 8.5).
				own := q.similar.vectors[q.embedder.name]
				if i >= len(own) {
					break
				}
				target = own[i]
			}
			if x := q.embedder.distance(v, target); !n.has || x < n.distance {
				n.distance, n.has = x, true
			}
		}
		if n.has || q.similar == nil {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		if a.has != b.has {
			if a.has {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.ordinal, b.ordinal))
	})
	return q.page(all)
}

// page cuts the sorted documents and encodes them.
func (q *question) page(all []near) []byte {
	out, n, seen := []byte(`{"hits":[`), 0, map[int]bool{}
	for _, d := range all {
		score := float32(0)
		if d.has {
			score = 1 - d.distance
		}
		if q.threshold > 0 && float64(score) < q.threshold || n == q.offset+q.limit {
			break
		}
		if q.distinct && seen[d.group] {
			continue
		}
		seen[d.group] = true
		if n++; n <= q.offset {
			continue
		}
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `{"id":%d,"_rankingScore":`, d.id)
		out = append(jsonvalue.AppendFloat(out, float64(score)), '}')
	}
	return append(out, ']')
}

// distance is that of two vectors (spec ranking 8.2), in the arithmetic that fixes every bit.
func (e *embedder) distance(u, v []float32) float32 {
	if e.quantized {
		return record.Hamming(record.AppendBits(nil, u), record.AppendBits(nil, v))
	}
	return record.Distance(record.Dot(u, v), record.Norm(u), record.Norm(v))
}
