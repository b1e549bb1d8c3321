package filter

import "testing"

func TestABoxHoldsItsEdges(t *testing.T) {
	plain := GeoBox{Top: 10, Bottom: -10, Left: -20, Right: 20}
	around := GeoBox{Top: 10, Bottom: -10, Left: 170, Right: -170} // over the antimeridian
	for _, c := range []struct {
		box  GeoBox
		at   GeoPoint
		want bool
	}{
		{plain, GeoPoint{Lat: 10, Lng: 20}, true},
		{plain, GeoPoint{Lat: -10, Lng: -20}, true},
		{plain, GeoPoint{Lat: 10.1, Lng: 0}, false},
		{plain, GeoPoint{Lat: -10.1, Lng: 0}, false},
		{plain, GeoPoint{Lat: 0, Lng: 20.1}, false},
		{plain, GeoPoint{Lat: 0, Lng: -20.1}, false},
		{around, GeoPoint{Lat: 0, Lng: 170}, true},
		{around, GeoPoint{Lat: 0, Lng: 180}, true},
		{around, GeoPoint{Lat: 0, Lng: -180}, true},
		{around, GeoPoint{Lat: 0, Lng: -170}, true},
		{around, GeoPoint{Lat: 0, Lng: 169.9}, false},
		{around, GeoPoint{Lat: 0, Lng: -169.9}, false},
		{around, GeoPoint{Lat: 0, Lng: 0}, false},
		{around, GeoPoint{Lat: 0, Lng: 181}, false},
		{around, GeoPoint{Lat: 0, Lng: -181}, false},
		{around, GeoPoint{Lat: 11, Lng: 180}, false},
	} {
		if got := c.box.Contains(c.at); got != c.want {
			t.Errorf("%+v holds %+v: %v", c.box, c.at, got)
		}
	}
}

func TestACircleHoldsItsRim(t *testing.T) {
	center, there := GeoPoint{Lat: 48, Lng: 2}, GeoPoint{Lat: 48.5, Lng: 2}
	distance := GeoDistance(center, there)
	if distance < 55_500 || distance > 55_700 { // half a degree of latitude
		t.Errorf("half a degree is %f m", distance)
	}
	for radius, want := range map[float64]bool{distance: true, distance + 1: true, distance - 1: false} {
		if got := (GeoCircle{Center: center, Radius: radius}).Contains(there); got != want {
			t.Errorf("%f m: %v", radius, got)
		}
	}
}
