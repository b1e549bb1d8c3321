package filter

import "testing"

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
