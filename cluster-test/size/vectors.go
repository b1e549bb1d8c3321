package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// vectors are documents with vectors in clusters, and how they are searched for.
type vectors struct {
	n, dimensions int
	seed          uint64
	centres       [][]float32
	targets       [][]float32
}

// perCluster is how many documents of a large corpus lie around one centre.
const perCluster = 500

// vectorCases are the filters by name, with the field that lets one document in so many
// through.
var vectorCases = []struct {
	name, body string
	one        uint64
}{
	{"vectors, no filter", ``, 1},
	{"vectors, 50 %", `,"filter":"half = 0"`, 2},
	{"vectors, 1 %", `,"filter":"hundredth = 0"`, 100},
	{"vectors, 0.01 %", `,"filter":"tenthousandth = 0"`, 10_000},
	{"vectors, hybrid", `,"q":"w7 unheard"`, 0},
}

// spread numbers documents so that what a filter lets through lies everywhere.
func spread(id int) uint64 {
	x := uint64(id) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	return x * 0xbf58476d1ce4e5b9 >> 20
}

// withVectors are n documents with a vector each, and searches by vector.
func withVectors(seed uint64, n, dimensions, searches int) *corpus {
	v := &vectors{n: n, dimensions: dimensions, seed: seed}
	r := rand.New(rand.NewPCG(seed, 0))
	for range max(10, n/perCluster) {
		v.centres = append(v.centres, around(r, make([]float32, dimensions), 1))
	}
	for range searches {
		v.targets = append(v.targets, around(r, v.centres[r.IntN(len(v.centres))], 0.5))
	}
	c := &corpus{n: n, vectors: v, typing: v.searches(""), settings: map[string]any{
		"filterableAttributes": []string{"half", "hundredth", "tenthousandth"},
		"embedders":            map[string]any{"e": map[string]any{"source": "userProvided", "dimensions": dimensions}},
	}}
	c.chunk = func(b *bytes.Buffer, lo, hi int) {
		for id := lo; id < hi; id++ {
			x := spread(id)
			fmt.Fprintf(b, `{"id":%d,"text":"w%d w%d w%d","half":%d,"hundredth":%d,"tenthousandth":%d,"_vectors":{"e":`, id, x%11, x%13, x%101, x%2, x%100, x%10_000)
			writeVector(b, v.of(id))
			b.WriteString("}}\n")
		}
	}
	return c
}

// of is the vector of a document.
func (v *vectors) of(id int) []float32 {
	r := rand.New(rand.NewPCG(v.seed, uint64(id)+1))
	return around(r, v.centres[r.IntN(len(v.centres))], 0.5)
}

// around is a vector somewhere near another one.
func around(r *rand.Rand, centre []float32, far float64) []float32 {
	out := make([]float32, len(centre))
	for i, x := range centre {
		out[i] = x + float32(r.NormFloat64()*far)
	}
	return out
}

func writeVector(b *bytes.Buffer, v []float32) {
	for i, x := range v {
		b.WriteByte("[,"[min(i, 1)])
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), float64(x), 'g', -1, 32))
	}
	b.WriteByte(']')
}

// searches are those of one case.
func (v *vectors) searches(body string) (list []search) {
	for _, target := range v.targets {
		var b bytes.Buffer
		fmt.Fprintf(&b, `{"hybrid":{"embedder":"e","semanticRatio":%s},"attributesToRetrieve":["id"],"vector":`, ratioOf(body))
		writeVector(&b, target)
		b.WriteString(body + "}")
		list = append(list, search(b.Bytes()))
	}
	return list
}

func ratioOf(body string) string {
	if strings.Contains(body, `"q"`) {
		return "0.5"
	}
	return "1"
}

// vectorSearches measures all cases, each search sent once before.
func (b *bench) vectorSearches(ctx context.Context, what string, warm bool) error {
	for _, k := range vectorCases {
		list := b.c.vectors.searches(k.body)
		if warm {
			if _, err := b.each(ctx, list[:min(20, len(list))]); err != nil {
				return err
			}
		}
		if err := b.measure(ctx, k.name+what, list); err != nil {
			return err
		}
	}
	return nil
}

// recall asks for the nearest documents and compares them with those of all documents.
func (b *bench) recall(ctx context.Context) error {
	const limit = 20
	v := b.c.vectors
	targets := v.targets[:min(10, len(v.targets))]
	type near struct {
		id       int
		distance float64
	}
	nearest := map[[2]int][]near{}
	keep := func(key [2]int, n near) {
		list := nearest[key]
		if len(list) == limit && list[limit-1].distance <= n.distance {
			return
		}
		at, _ := slices.BinarySearchFunc(list, n, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
		nearest[key] = slices.Insert(list, at, n)[:min(limit, len(list)+1)]
	}
	for id := range v.n {
		vector := v.of(id)
		for t, target := range targets {
			d := 1 - cosine(vector, target)
			for k := range vectorCases {
				if one := vectorCases[k].one; one > 0 && spread(id)%one == 0 {
					keep([2]int{k, t}, near{id, d})
				}
			}
		}
	}
	found, wanted := 0, 0
	for k, kind := range vectorCases {
		if kind.one == 0 {
			continue
		}
		for t, s := range v.searches(kind.body)[:len(targets)] {
			_, body, err := b.node.Do(ctx, "POST", indexPath+"/search", json.RawMessage(s))
			if err != nil {
				return err
			}
			var answer struct{ Hits []struct{ ID int } }
			if err := json.Unmarshal(body, &answer); err != nil {
				return err
			}
			want := nearest[[2]int{k, t}]
			wanted += len(want)
			for _, h := range answer.Hits {
				// As far as the last one of ours: another order of equally near ones is none.
				if d := 1 - cosine(v.of(h.ID), targets[t]); len(want) > 0 && d <= want[len(want)-1].distance+1e-6 {
					found++
				}
			}
		}
	}
	fmt.Printf("recall: %d of %d\n", found, wanted)
	if found != wanted {
		return fmt.Errorf("%d of %d nearest documents were found", found, wanted)
	}
	return nil
}

func cosine(u, v []float32) float64 {
	var dot, uu, vv float64
	for i, x := range u {
		y := float64(v[i])
		dot, uu, vv = dot+float64(x)*y, uu+float64(x)*float64(x), vv+y*y
	}
	return dot / math.Sqrt(uu*vv)
}
