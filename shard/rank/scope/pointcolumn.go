package scope

import (
	"context"
	"math"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire/await"
)

// PointColumn holds the places of all documents with a point, rounded to a grid of about
// six metres. It finds the documents near a place without reading the others.
// Immutable.
type PointColumn struct {
	// cells are the places by row: x, y and z on the unit sphere in steps of the grid,
	// 21 bits each. noCell is no place on the sphere.
	cells []uint64
	// odd are documents whose coordinates are too large for the formula of the sphere.
	// They have no cell.
	odd docset.Set
}

const (
	gridBits = 21
	gridMask = 1<<gridBits - 1
	// gridRadius is the radius of the sphere in steps of the grid.
	gridRadius = float64(gridMask) / 2
	noCell     = 0
	// gridMargin is more than the distance of a place from its cell, together with all
	// errors of rounding, in steps of the grid.
	gridMargin = 2.0
	// mostDegrees is the largest coordinate for which sums of angles are exact enough.
	mostDegrees = 1000
)

// gridVector is a place on the sphere in steps of the grid, from the corner of the grid.
type gridVector struct{ x, y, z float64 }

func onGrid(p filter.GeoPoint) gridVector {
	phi, lambda := p.Lat*math.Pi/180, p.Lng*math.Pi/180
	return gridVector{
		(math.Cos(phi)*math.Cos(lambda) + 1) * gridRadius,
		(math.Cos(phi)*math.Sin(lambda) + 1) * gridRadius,
		(math.Sin(phi) + 1) * gridRadius,
	}
}

// apart is the square of the distance of a cell through the sphere.
func (v gridVector) apart(cell uint64) float64 {
	x := float64(int64(cell>>(2*gridBits))) - v.x
	y := float64(int64(cell>>gridBits&gridMask)) - v.y
	z := float64(int64(cell&gridMask)) - v.z
	return x*x + y*y + z*z
}

func (v gridVector) cell() uint64 {
	return uint64(math.Round(v.x))<<(2*gridBits) | uint64(math.Round(v.y))<<gridBits | uint64(math.Round(v.z))
}

// chord is the distance through the sphere of places that are metres apart, in steps
// of the grid, and arc the reverse.
func chord(metres float64) float64 {
	return 2 * gridRadius * math.Sin(max(0, min(metres/(2*filter.EarthRadius), math.Pi/2)))
}

func arc(chord float64) float64 {
	return 2 * filter.EarthRadius * math.Asin(max(0, min(chord/(2*gridRadius), 1)))
}

// Points returns a column for comparing points, or nil if reading n documents costs less.
func Points(ctx context.Context, ix Placed, n int) (*PointColumn, error) {
	return placeColumn(ctx, ix, n, 8, pointsOf, func(m *Memo) *await.Flight[placeKey, *PointColumn] { return &m.pointMaking })
}

func (c *PointColumn) size() int { return 8*len(c.cells) + c.odd.MemBytes() }

// patched returns the column with the places of changed documents as they are now.
func (c *PointColumn) patched(ctx context.Context, ix Placed, changed docset.Set) (*PointColumn, error) {
	if c == nil {
		c = new(PointColumn)
	}
	out := &PointColumn{cells: byRow(ix.Live(), c.cells)}
	var odd docset.Builder
	var err error
	steps := 0
	changed.And(ix.Live()).Each(func(row uint32) bool {
		if steps++; steps%pollEvery == 0 {
			if err = ctx.Err(); err != nil {
				return false
			}
		}
		var v record.Values
		if v, _, err = ix.Values(row); err != nil {
			return false
		}
		out.cells[row] = noCell
		if p, ok := v.Point(); !ok {
			return true
		} else if max(math.Abs(p.Lat), math.Abs(p.Lng)) > mostDegrees {
			odd.Add(row)
		} else {
			out.cells[row] = onGrid(filter.GeoPoint{Lat: p.Lat, Lng: p.Lng}).cell()
		}
		return true
	})
	out.odd = c.odd.AndNot(changed).Or(odd.Set())
	return out, err
}

// Fits reports whether all documents of a set that have a point have a cell.
func (c *PointColumn) Fits(docs docset.Set) bool { return c.odd.And(docs).Empty() }

// Nearest returns at least n of some documents, the nearest ones to a place, if there are
// that many. They are in no exact order, and include all that are closer than reach
// metres. all means that no others have a point. Documents that are closer than passed
// metres are left out, except some of the last of them.
func (c *PointColumn) Nearest(to filter.GeoPoint, docs docset.Set, passed float64, n int) (rows []uint32, reach float64, all bool) {
	target, least := onGrid(to), NewLeast(n)
	from := max(0, chord(passed)-gridMargin)
	from *= from
	docs.Each(func(row uint32) bool {
		if cell := c.cells[row]; cell != noCell {
			if apart := target.apart(cell); apart >= from {
				least.Add(math.Float32bits(float32(apart)), row)
			}
		}
		return true
	})
	list, more := least.Sorted()
	rows = make([]uint32, len(list))
	for i, entry := range list {
		rows[i] = uint32(entry)
	}
	if !more {
		return rows, math.Inf(1), true
	}
	last := math.Float32frombits(uint32(list[len(list)-1] >> 32))
	return rows, arc(math.Sqrt(float64(last)) - gridMargin), false
}

// Within returns those of some documents that are surely in a circle, and those at its
// edge, which may be in it.
func (c *PointColumn) Within(circle filter.GeoCircle, docs docset.Set) (inside, edge docset.Set) {
	center, radius := onGrid(circle.Center), chord(circle.Radius)
	near, far := max(0, radius-gridMargin), radius+gridMargin
	near, far = near*near, far*far
	var in, at docset.Builder
	docs.Each(func(row uint32) bool {
		cell := c.cells[row]
		if cell == noCell {
			return true
		}
		switch apart := center.apart(cell); {
		case apart < near:
			in.Add(row)
		case apart <= far:
			at.Add(row)
		}
		return true
	})
	return in.Set(), at.Set().Or(c.odd.And(docs))
}

// Within is that of filters, answered from a column; see filter.Index.
func Within(ctx context.Context, ix Placed, circle filter.GeoCircle, docs docset.Set, n int) (inside, edge docset.Set, ok bool, err error) {
	points, err := Points(ctx, ix, n)
	if points == nil || err != nil {
		return docset.Set{}, docset.Set{}, false, err
	}
	inside, edge = points.Within(circle, docs)
	return inside, edge, true, nil
}
