package filter

import (
	"math"

	"github.com/paulmach/orb"

	"shoal/query/filter"
	"shoal/shard/docset"
)

// Steps, in metres, at which edges are broken along great circles: those of a
// query, and those of stored shapes.
const (
	queryStep = 1000
	shapeStep = 10000
)

// region is the polygon of a shape test: a ring of points broken along great
// circles, compared in the plane of longitude and latitude.
type region struct {
	ring  orb.Ring
	bound orb.Bound
}

func newRegion(points []filter.GeoPoint) region {
	ring := make(orb.Ring, 0, len(points)+1)
	for _, p := range points {
		ring = append(ring, orb.Point{p.Lng, p.Lat})
	}
	if ring[0] != ring[len(ring)-1] {
		ring = append(ring, ring[0])
	}
	return region{ring: breakUp(orb.LineString(ring), queryStep)}.bounded()
}

func (r region) bounded() region {
	r.bound = r.ring.Bound()
	return r
}

// boxRegion is the polygon of a box. One that wraps around the antimeridian goes on
// eastwards there (see turns); when it is wider than half the earth it gets a corner
// every few degrees, since great circles would lead around the other side.
func boxRegion(b filter.GeoBox) region {
	const corner = 10.0 // degrees
	right, parts := b.Right, 1.0
	if right < b.Left {
		if right += 360; right-b.Left >= 180 {
			parts = math.Ceil((right - b.Left) / corner)
		}
	}
	width := (right - b.Left) / parts
	var points []filter.GeoPoint
	for i := range int(parts) {
		points = append(points, filter.GeoPoint{Lat: b.Top, Lng: right - float64(i)*width})
	}
	points = append(points, filter.GeoPoint{Lat: b.Top, Lng: b.Left})
	for i := range int(parts) {
		points = append(points, filter.GeoPoint{Lat: b.Bottom, Lng: b.Left + float64(i)*width})
	}
	return newRegion(append(points, filter.GeoPoint{Lat: b.Bottom, Lng: right}))
}

// circleRegion is the polygon that stands for a circle: its vertices lie on the
// circle, so that it is slightly smaller.
func circleRegion(c filter.GeoCircle) region {
	const earth = 6371008.8
	points := make([]filter.GeoPoint, c.Resolution)
	lat, lng := c.Center.Lat*math.Pi/180, c.Center.Lng*math.Pi/180
	far := c.Radius / earth
	for i := range points {
		bearing := 2 * math.Pi * float64(i) / float64(c.Resolution)
		phi := math.Asin(math.Sin(lat)*math.Cos(far) + math.Cos(lat)*math.Sin(far)*math.Cos(bearing))
		lambda := lng + math.Atan2(math.Sin(bearing)*math.Sin(far)*math.Cos(lat), math.Cos(far)-math.Sin(lat)*math.Sin(phi))
		points[i] = filter.GeoPoint{Lat: phi * 180 / math.Pi, Lng: lambda * 180 / math.Pi}
	}
	return newRegion(points)
}

// turns are the region and, where it reaches over the antimeridian, its images
// one turn further.
func (r region) turns() []region {
	list := []region{r}
	if r.bound.Min[0] < -180 {
		list = append(list, r.shifted(360))
	}
	if r.bound.Max[0] > 180 {
		list = append(list, r.shifted(-360))
	}
	return list
}

func (r region) shifted(degrees float64) region {
	ring := make(orb.Ring, len(r.ring))
	for i, p := range r.ring {
		ring[i] = orb.Point{p[0] + degrees, p[1]}
	}
	return region{ring: ring}.bounded()
}

// breakUp adds points to a line so that no edge is longer than step metres.
func breakUp(line orb.LineString, step float64) orb.Ring {
	out := make(orb.Ring, 0, len(line))
	for i, p := range line {
		if i > 0 {
			out = appendArc(out, line[i-1], p, step)
		}
		out = append(out, p)
	}
	return out
}

// appendArc appends the points strictly between a and b on their great circle.
func appendArc(out orb.Ring, a, b orb.Point, step float64) orb.Ring {
	const earth = 6371000
	u, v := onSphere(a), onSphere(b)
	dot := u[0]*v[0] + u[1]*v[1] + u[2]*v[2]
	angle := math.Acos(max(-1, min(1, dot)))
	n := int(math.Ceil(angle * earth / step))
	sin := math.Sin(angle)
	if n < 2 || sin < 1e-12 {
		return out // close together, or opposite: no great circle of their own
	}
	for i := 1; i < n; i++ {
		t := float64(i) / float64(n)
		f, g := math.Sin((1-t)*angle)/sin, math.Sin(t*angle)/sin
		x, y, z := f*u[0]+g*v[0], f*u[1]+g*v[1], f*u[2]+g*v[2]
		lng := math.Atan2(y, x) * 180 / math.Pi
		// Stay on the turn of the earth where the edge is.
		lng += 360 * math.Round((a[0]+t*(b[0]-a[0])-lng)/360)
		out = append(out, orb.Point{lng, math.Atan2(z, math.Hypot(x, y)) * 180 / math.Pi})
	}
	return out
}

func onSphere(p orb.Point) [3]float64 {
	lng, lat := p[0]*math.Pi/180, p[1]*math.Pi/180
	return [3]float64{math.Cos(lat) * math.Cos(lng), math.Cos(lat) * math.Sin(lng), math.Sin(lat)}
}

// touching are the documents whose `_geojson` contains, lies in or crosses a
// region. Shapes are in no table: the documents that may have such a shape are read.
func (e *evaluation) touching(r region, left scope) (docset.Set, error) {
	if _, known := e.ix.FieldID("_geojson"); !known {
		return docset.Set{}, nil
	}
	docs := e.live
	if !left.all {
		docs = left.docs
	}
	regions := r.turns()
	bounds := make([]orb.Bound, len(regions))
	for i := range regions {
		bounds[i] = regions[i].bound
	}
	near, ok, err := e.ix.Touching(e.ctx, bounds, docs)
	if err != nil {
		return docset.Set{}, err
	}
	if ok {
		docs = near
	}
	var kept []uint32
	ordinals := docs.AppendTo(nil)
	err = e.ix.Documents(ordinals, func(i int, body []byte) error {
		if err := e.ctx.Err(); err != nil {
			return err // a shape may have thousands of edges
		}
		if touchesAny(regions, shapesOf(body)) {
			kept = append(kept, ordinals[i])
		}
		return nil
	})
	return docset.FromSorted(kept), err
}

func touchesAny(regions []region, shapes []orb.Geometry) bool {
	for _, shape := range shapes {
		for _, r := range regions {
			if r.touches(shape) {
				return true
			}
		}
	}
	return false
}
