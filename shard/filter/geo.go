package filter

import (
	"math"

	"shoal/query/filter"
	"shoal/shard/docset"
)

// geo evaluates a condition on `_geo` points and `_geojson` shapes: the union of
// those that the settings make filterable (spec ranking 9).
func (e *evaluation) geo(n *filter.Node, left scope) (docset.Set, error) {
	if fault := n.Refusal(e.settings); fault != nil {
		return docset.Set{}, e.refuse(fault)
	}
	switch n.Op {
	case filter.FilterGeoRadius:
		circle, fault := n.Circle()
		if fault != nil {
			return docset.Set{}, e.refuse(fault)
		}
		return e.inCircle(circle, left)
	case filter.FilterGeoBox:
		box, fault := n.Box()
		if fault != nil {
			return docset.Set{}, e.refuse(fault)
		}
		return e.inBox(box, left)
	}
	points, fault := n.Polygon()
	if fault != nil {
		return docset.Set{}, e.refuse(fault)
	}
	return e.touching(newRegion(points), left)
}

func (e *evaluation) inCircle(c filter.GeoCircle, left scope) (docset.Set, error) {
	var points, shapes docset.Set
	var err error
	if filter.GeoFilterable(e.settings) {
		if points, err = e.pointsIn(c, left); err != nil {
			return docset.Set{}, err
		}
	}
	if filter.GeoJSONFilterable(e.settings) {
		if shapes, err = e.touching(circleRegion(c), left); err != nil {
			return docset.Set{}, err
		}
	}
	return points.Or(shapes), nil
}

func (e *evaluation) inBox(b filter.GeoBox, left scope) (docset.Set, error) {
	var points, shapes docset.Set
	var err error
	if filter.GeoFilterable(e.settings) {
		lat, lng, known := e.pointFields()
		if known {
			// The reference compares the facet numbers, in which -0 is a value above 0.
			if points, err = e.ix.NumberRange(lat, filter.FacetNumber(b.Bottom), filter.FacetNumber(b.Top)); err != nil {
				return docset.Set{}, err
			}
			meridians, err := e.meridians(lng, filter.FacetNumber(b.Left), filter.FacetNumber(b.Right))
			if err != nil {
				return docset.Set{}, err
			}
			points = points.And(meridians)
		}
	}
	if filter.GeoJSONFilterable(e.settings) {
		if shapes, err = e.touching(boxRegion(b), left); err != nil {
			return docset.Set{}, err
		}
	}
	return points.Or(shapes), nil
}

// pointFields are the facet numbers that every `_geo` point has.
func (e *evaluation) pointFields() (lat, lng uint16, known bool) {
	lat, ok1 := e.ix.FieldID("_geo.lat")
	lng, ok2 := e.ix.FieldID("_geo.lng")
	return lat, lng, ok1 && ok2
}

// meridians are the documents with a longitude from west to east; east smaller
// than west wraps around the antimeridian.
func (e *evaluation) meridians(lng uint16, west, east float64) (docset.Set, error) {
	if east >= west {
		return e.ix.NumberRange(lng, west, east)
	}
	a, err := e.ix.NumberRange(lng, west, 180)
	if err != nil {
		return docset.Set{}, err
	}
	b, err := e.ix.NumberRange(lng, -180, east)
	return a.Or(b), err
}

// farApart is the radius in metres of circles for which the places of all documents are
// compared, if no document must be read for it.
const farApart = 500_000

// pointsIn are the documents whose point lies in a circle.
func (e *evaluation) pointsIn(c filter.GeoCircle, left scope) (docset.Set, error) {
	docs := e.live
	if !left.all {
		docs = left.docs
	}
	if c.Radius > farApart {
		if inside, edge, ok, err := e.ix.Within(e.ctx, c, docs, 0); ok || err != nil {
			return e.tested(c, inside, edge, err)
		}
	}
	near, err := e.around(c)
	if err != nil {
		return docset.Set{}, err
	}
	near = near.And(docs)
	inside, edge, ok, err := e.ix.Within(e.ctx, c, near, near.Len())
	if !ok {
		edge = near
	}
	return e.tested(c, inside, edge, err)
}

// tested adds to the documents inside a circle those of others whose point lies in it,
// reading each, unless there is an error.
func (e *evaluation) tested(c filter.GeoCircle, inside, others docset.Set, err error) (docset.Set, error) {
	if err != nil {
		return docset.Set{}, err
	}
	var kept []uint32
	for ord := range others.All() {
		if err := e.poll(); err != nil {
			return docset.Set{}, err
		}
		v, ok, err := e.ix.Values(ord)
		if err != nil {
			return docset.Set{}, err
		}
		if !ok {
			continue
		}
		if p, ok := v.Point(); ok && c.Contains(filter.GeoPoint{Lat: p.Lat, Lng: p.Lng}) {
			kept = append(kept, ord)
		}
	}
	return inside.Or(docset.FromSorted(kept)), nil
}

// around returns at least the documents in a circle. Points are not checked when
// documents come in, so those off the usual ranges are always among them.
func (e *evaluation) around(c filter.GeoCircle) (docset.Set, error) {
	lat, lng, known := e.pointFields()
	if !known {
		return docset.Set{}, nil
	}
	if c.Radius < 0 {
		return docset.Set{}, nil
	}
	// One millionth of a degree is 11 cm, more than all roundings together.
	angle := c.Radius/6371000*180/math.Pi + 1e-6
	bottom, top := c.Center.Lat-angle, c.Center.Lat+angle
	if bottom <= -90 || top >= 90 {
		// A pole is inside: all meridians are.
		return e.ix.NumberRange(lat, math.Inf(-1), math.Inf(1))
	}
	near, err := e.ix.NumberRange(lat, bottom, top)
	if err != nil {
		return docset.Set{}, err
	}
	width := math.Asin(min(1, math.Sin(angle*math.Pi/180)/math.Cos(c.Center.Lat*math.Pi/180)))*180/math.Pi + 1e-6
	if width < 179 {
		west, east := c.Center.Lng-width, c.Center.Lng+width
		if west < -180 {
			west += 360
		}
		if east > 180 {
			east -= 360
		}
		meridians, err := e.meridians(lng, west, east)
		if err != nil {
			return docset.Set{}, err
		}
		near = near.And(meridians)
	}
	sets := []docset.Set{near}
	for _, odd := range []struct {
		fid      uint16
		from, to float64
	}{{lat, math.Inf(-1), math.Nextafter(-90, -91)}, {lat, math.Nextafter(90, 91), math.Inf(1)}, {lng, math.Inf(-1), math.Nextafter(-180, -181)}, {lng, math.Nextafter(180, 181), math.Inf(1)}} {
		set, err := e.ix.NumberRange(odd.fid, odd.from, odd.to)
		if err != nil {
			return docset.Set{}, err
		}
		sets = append(sets, set)
	}
	return docset.Union(sets...), nil
}
