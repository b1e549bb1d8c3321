package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// embedder is one of the embedders of the index.
type embedder struct {
	name       string
	dimensions int
	quantized  bool
}

// embedders are those that every document has an entry for. The lengths are not multiples
// of those of vector units.
var embedders = []embedder{{"codes", 41, false}, {"long", 300, false}, {"bits", 70, true}}

// document is what the model knows of a document.
type document struct {
	id      int
	ordinal int
	group   int
	vectors map[string][][]float32 // by embedder
}

// corpus are the documents of the index.
type corpus struct {
	r       *rand.Rand
	byID    map[int]*document
	taken   []bool // ordinals
	centres map[string][][]float32
	nextID  int
}

func newCorpus(r *rand.Rand) *corpus {
	c := &corpus{r: r, byID: map[int]*document{}, centres: map[string][][]float32{}}
	for _, e := range embedders {
		for range 8 {
			c.centres[e.name] = append(c.centres[e.name], c.around(make([]float32, e.dimensions), 1))
		}
	}
	return c
}

func (c *corpus) around(centre []float32, far float64) []float32 {
	out := make([]float32, len(centre))
	for i, x := range centre {
		out[i] = x + float32(c.r.NormFloat64()*far)
	}
	return out
}

// vector makes a vector in a cluster, or one of a kind that is easy to get wrong.
func (c *corpus) vector(e *embedder) []float32 {
	centre := c.centres[e.name][c.r.IntN(8)]
	v := c.around(centre, 0.3)
	switch c.r.IntN(16) {
	case 0:
		return slices.Clone(centre) // equal to others
	case 1:
		for i := range v {
			v[i] = float32(c.r.IntN(3) - 1)
		}
	case 2:
		clear(v)
	case 3:
		v[c.r.IntN(len(v))] = 1e6
	case 4:
		scale := []float32{1e-30, 1e-12, 1e12, 1e25}[c.r.IntN(4)]
		for i := range v {
			v[i] *= scale
		}
	}
	return v
}

// ids lists the documents, ascending.
func (c *corpus) ids() []int { return slices.Sorted(maps.Keys(c.byID)) }

// write makes n documents as NDJSON, of which a part replaces existing ones. New documents
// get the smallest free ordinals (spec ranking 6.3).
func (c *corpus) write(n int, replaced float64) []byte {
	var b bytes.Buffer
	known := c.ids()
	for range n {
		d := &document{id: c.nextID, ordinal: -1, group: c.r.IntN(40), vectors: map[string][][]float32{}}
		if len(known) > 0 && c.r.Float64() < replaced {
			d.id = known[c.r.IntN(len(known))]
		} else {
			c.nextID++
		}
		for i := range embedders {
			for range []int{0, 1, 1, 1, 1, 2, 3}[c.r.IntN(7)] {
				d.vectors[embedders[i].name] = append(d.vectors[embedders[i].name], c.vector(&embedders[i]))
			}
		}
		if old := c.byID[d.id]; old != nil {
			d.ordinal = old.ordinal
		} else if d.ordinal = slices.Index(c.taken, false); d.ordinal < 0 {
			d.ordinal = len(c.taken)
			c.taken = append(c.taken, true)
		} else {
			c.taken[d.ordinal] = true
		}
		c.byID[d.id] = d
		d.append(&b)
	}
	return b.Bytes()
}

// remove deletes n documents and returns their ids.
func (c *corpus) remove(n int) (gone []int) {
	known := c.ids()
	for range min(n, len(known)-1) {
		at := c.r.IntN(len(known))
		id := known[at]
		known = slices.Delete(known, at, at+1)
		c.taken[c.byID[id].ordinal] = false
		delete(c.byID, id)
		gone = append(gone, id)
	}
	return gone
}

func (d *document) append(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"id":%d,"group":%d,"half":%d,"_vectors":{`, d.id, d.group, d.half())
	for i, e := range embedders {
		fmt.Fprintf(b, `%s"%s":`, ","[:min(i, 1)], e.name)
		list := d.vectors[e.name]
		if len(list) == 1 {
			appendVector(b, list[0])
			continue
		}
		b.WriteByte('[')
		for k, v := range list {
			b.WriteString(","[:min(k, 1)])
			appendVector(b, v)
		}
		b.WriteByte(']')
	}
	b.WriteString("}}\n")
}

func (d *document) half() int { return d.id * 7919 >> 3 & 1 }

func appendVector(b *bytes.Buffer, v []float32) {
	for i, x := range v {
		b.WriteByte("[,"[min(i, 1)])
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), float64(x), 'g', -1, 64)) // exactly this number
	}
	b.WriteByte(']')
}
