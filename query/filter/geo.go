package filter

import (
	"math"

	"shoal/api/apierr"
)

// GeoPoint is a place in degrees.
type GeoPoint struct {
	Lat float64 `msgpack:"a"`
	Lng float64 `msgpack:"o"`
}

// EarthRadius is that of the sphere of distances, in metres.
const EarthRadius = 6371000.0

// GeoDistance is the great-circle distance of two points in metres, rounded to
// the millimetre (spec ranking 9).
func GeoDistance(a, b GeoPoint) float64 {
	phi1, phi2 := radians(a.Lat), radians(b.Lat)
	h := (1-math.Cos(phi2-phi1))/2 + math.Cos(phi1)*math.Cos(phi2)*(1-math.Cos(radians(b.Lng)-radians(a.Lng)))/2
	h = max(0, min(h, 1)) // rounding may lead beyond the opposite point
	return math.Round(2*EarthRadius*math.Asin(math.Sqrt(h))*1000) / 1000
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// GeoMetres rounds a distance to whole metres, half away from zero, for
// `_geoDistance`.
func GeoMetres(distance float64) int64 { return int64(math.Round(distance)) }

// GeoCircle is a `_geoRadius` condition.
type GeoCircle struct {
	Center     GeoPoint
	Radius     float64 // metres
	Resolution int     // vertices of the polygon that stands for it in shape tests
}

// Contains tells whether a point lies within the radius, inclusive.
func (c GeoCircle) Contains(p GeoPoint) bool {
	const epsilon = 2.220446049250313e-16
	return GeoDistance(c.Center, p) <= c.Radius+epsilon
}

// GeoBox is a `_geoBoundingBox` condition. Right smaller than Left wraps around
// the antimeridian.
type GeoBox struct{ Top, Right, Bottom, Left float64 }

// Circle reads the numbers of a FilterGeoRadius.
func (n *Node) Circle() (GeoCircle, *FilterError) {
	center, err := n.place(0)
	if err != nil {
		return GeoCircle{}, err
	}
	radius, err := n.finite(2)
	if err != nil {
		return GeoCircle{}, err
	}
	c := GeoCircle{Center: center, Radius: radius, Resolution: 125}
	if len(n.Values) > 3 {
		resolution, err := n.finite(3)
		if err != nil {
			return GeoCircle{}, err
		}
		// A cast that saturates, as upstream's does.
		if !(resolution >= 3 && resolution < 1001) {
			return GeoCircle{}, n.Values[3].fault(apierr.GeoTextResolution(saturate(resolution)))
		}
		c.Resolution = int(resolution)
	}
	return c, nil
}

func saturate(v float64) uint64 {
	switch {
	case v <= 0:
		return 0
	case v >= 1<<64:
		return math.MaxUint64
	}
	return uint64(v)
}

// Box reads the numbers of a FilterGeoBox.
func (n *Node) Box() (GeoBox, *FilterError) {
	var v [4]float64
	for i := range v {
		var err *FilterError
		if v[i], err = n.finite(i); err != nil {
			return GeoBox{}, err
		}
	}
	topRight, err := n.place(0)
	if err != nil {
		return GeoBox{}, err
	}
	bottomLeft, err := n.place(2)
	if err != nil {
		return GeoBox{}, err
	}
	if topRight.Lat < bottomLeft.Lat {
		return GeoBox{}, n.Values[3].fault(apierr.GeoTextTopBelowBottom(topRight.Lat, bottomLeft.Lat))
	}
	return GeoBox{Top: topRight.Lat, Right: topRight.Lng, Bottom: bottomLeft.Lat, Left: bottomLeft.Lng}, nil
}

// Polygon reads the points of a FilterGeoPolygon.
func (n *Node) Polygon() ([]GeoPoint, *FilterError) {
	points := make([]GeoPoint, 0, len(n.Values)/2)
	for i := 0; i < len(n.Values); i += 2 {
		p, err := n.place(i)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

// place reads two numbers as a place on earth.
func (n *Node) place(i int) (GeoPoint, *FilterError) {
	lat, err := n.finite(i)
	if err != nil {
		return GeoPoint{}, err
	}
	lng, err := n.finite(i + 1)
	if err != nil {
		return GeoPoint{}, err
	}
	if lat < -90 || lat > 90 {
		return GeoPoint{}, n.Values[i].fault(apierr.GeoTextLatitude(lat))
	}
	if lng < -180 || lng > 180 {
		return GeoPoint{}, n.Values[i+1].fault(apierr.GeoTextLongitude(lng))
	}
	return GeoPoint{Lat: lat, Lng: lng}, nil
}

func (n *Node) finite(i int) (float64, *FilterError) {
	v, ok := ParseFinite(n.Values[i].Value)
	if !ok {
		return 0, n.Values[i].fault(apierr.FilterTextNotFinite)
	}
	return v, nil
}
