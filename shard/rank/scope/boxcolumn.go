package scope

import (
	"context"
	"math"

	"github.com/paulmach/orb"

	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/wire/await"
)

// BoxColumn holds, for all documents, a box around their `_geojson` shapes. It finds the
// documents that a region may touch without reading the others. Immutable.
type BoxColumn struct{ boxes []box } // by row

// box is a range of longitudes and latitudes, rounded outwards.
type box struct{ left, right, bottom, top float32 }

// noBox meets no box that is smaller than the plane. A document without shape has it.
var noBox = box{left: float32(math.Inf(1)), right: float32(math.Inf(-1))}

func boxOf(b orb.Bound) box {
	down, up := float32(math.Inf(-1)), float32(math.Inf(1))
	return box{
		math.Nextafter32(float32(b.Min[0]), down), math.Nextafter32(float32(b.Max[0]), up),
		math.Nextafter32(float32(b.Min[1]), down), math.Nextafter32(float32(b.Max[1]), up),
	}
}

func (b *box) meets(o *box) bool {
	return b.left <= o.right && o.left <= b.right && b.bottom <= o.top && o.bottom <= b.top
}

// Boxes returns a column for comparing shapes, or nil if reading n documents costs less.
func Boxes(ctx context.Context, ix Placed, n int) (*BoxColumn, error) {
	return placeColumn(ctx, ix, n, 16, boxesOf, func(m *Memo) *await.Flight[placeKey, *BoxColumn] { return &m.boxMaking })
}

func (c *BoxColumn) size() int { return 16 * len(c.boxes) }

// patched returns the column with the shapes of changed documents as they are now.
func (c *BoxColumn) patched(ctx context.Context, ix Placed, changed docset.Set) (*BoxColumn, error) {
	if c == nil {
		c = new(BoxColumn)
	}
	out := &BoxColumn{boxes: byRow(ix.Live(), c.boxes)}
	list := changed.And(ix.Live()).AppendTo(nil)
	for _, row := range list {
		out.boxes[row] = noBox
	}
	err := ix.Documents(list, func(i int, json []byte) error {
		if err := ctx.Err(); err != nil {
			return err // a shape may have thousands of edges
		}
		if b, ok := filter.ShapeBound(json); ok {
			out.boxes[list[i]] = boxOf(b)
		}
		return nil
	})
	return out, err
}

// Touching returns those of some documents whose box meets one of some others. No other
// has a shape that touches these.
func (c *BoxColumn) Touching(bounds []orb.Bound, docs docset.Set) docset.Set {
	others := make([]box, len(bounds))
	for i, b := range bounds {
		others[i] = boxOf(b)
	}
	var out docset.Builder
	docs.Each(func(row uint32) bool {
		b := &c.boxes[row]
		for i := range others {
			if b.meets(&others[i]) {
				out.Add(row)
				break
			}
		}
		return true
	})
	return out.Set()
}

// Touching is that of filters, answered from a column; see filter.Index.
func Touching(ctx context.Context, ix Placed, bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error) {
	boxes, err := Boxes(ctx, ix, docs.Len())
	if boxes == nil || err != nil {
		return docset.Set{}, false, err
	}
	return boxes.Touching(bounds, docs), true, nil
}
