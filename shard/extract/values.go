package extract

import (
	"bytes"
	"math"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/query/filter"
	"shoal/shard/record"
)

// Values appends the document's value record to dst: the facet values of every faceted
// field (spec ranking 2), the geo point and the mark of a shape, which CheckShape checks. id is
// the external id, for messages. Errors are *apierr.Error (code invalid_document_geo_field) and
// *jsonvalue.SyntaxError (a number beyond the range of doubles).
func (x *Extractor) Values(dst []byte, id string) ([]byte, error) {
	var failed error
	take := func(f *field, n *node, onKey bool) {
		if f.facet == filter.PatternWhole {
			if err := x.facet(&x.values, f, n, onKey); err != nil && failed == nil {
				failed = err
			}
		}
	}
	x.walk(func(f *field) bool {
		if f.facet == filter.PatternWhole {
			x.topContainer(f)
		}
		return f.facet != filter.PatternNone
	}, func(f *field, n *node, onKey bool) bool {
		take(f, n, onKey)
		return f.facet != filter.PatternNone
	})
	if x.plan.geo {
		if err := x.point(id); err != nil && failed == nil {
			failed = err
		}
	}
	if x.plan.geoJSON && x.member(GeoJSON) != nil {
		x.values.Shape()
	}
	if failed != nil {
		x.values.Finish(nil)
		return dst, failed
	}
	return x.values.Finish(dst), nil
}

// topContainer marks a top-level field whose value is a container. walk visits only its
// leaves, but the field exists.
func (x *Extractor) topContainer(f *field) { x.values.Mark(f.id, 0) }

// facts take what a field of a document says.
type facts interface {
	Mark(fid uint16, flags uint8)
	Number(fid uint16, x float64)
	String(fid uint16, form, original string)
}

func (x *Extractor) facet(w facts, f *field, n *node, onKey bool) error {
	w.Mark(f.id, 0)
	switch n.kind {
	case kindNumber:
		v, ok := jsonvalue.ParseFloat(view(x.p.raw(n)))
		if !ok {
			return x.outOfRange(n)
		}
		w.Number(f.id, v)
	case kindString:
		s := x.p.text(n)
		if s != "" {
			w.String(f.id, filter.StoredFacetForm(s), s)
		} else if onKey {
			w.Mark(f.id, record.Empty)
		}
	case kindTrue:
		w.String(f.id, "true", "true")
	case kindFalse:
		w.String(f.id, "false", "false")
	case kindNull:
		if onKey {
			w.Mark(f.id, record.Null)
		}
	case kindArray, kindObject:
		if onKey && len(bytes.TrimSpace(x.p.raw(n)[1:n.end-n.start-1])) == 0 {
			w.Mark(f.id, record.Empty)
		}
	}
	return nil
}

// CheckPlace checks the document's _geo even if no setting uses it, because a change of
// settings that reads all documents again fails for a wrong one (spec write-api 8.1).
// Errors are those of Values.
func (x *Extractor) CheckPlace(id string) error {
	_, _, err := x.readPlace(id)
	return err
}

// readPlace reads _geo. ok is false without it.
func (x *Extractor) readPlace(id string) (at record.Point, ok bool, err error) {
	n := x.member(Geo)
	if n == nil || n.kind == kindNull {
		return at, false, nil
	}
	value, err := jsonvalue.Parse(x.p.raw(n))
	if err != nil {
		return at, false, err
	}
	lat, lng, failure := coordinates(&value, id)
	if failure != nil {
		return at, false, failure
	}
	return record.Point{Lat: lat, Lng: lng}, true, nil
}

// point checks _geo and adds the point with its two facet numbers (spec write-api 8.1,
// ranking 9).
func (x *Extractor) point(id string) error {
	at, ok, err := x.readPlace(id)
	if !ok || err != nil {
		return err
	}
	x.values.Point(at)
	for _, c := range []struct {
		f    *field
		name string
		x    float64
	}{{x.plan.lat, geoLat, at.Lat}, {x.plan.lng, geoLng, at.Lng}} {
		if c.f == nil {
			x.field(c.name)
			continue
		}
		x.values.Number(c.f.id, c.x)
	}
	return nil
}

func coordinates(v *jsonvalue.Value, id string) (lat, lng float64, failure *apierr.Error) {
	doc := view(jsonvalue.AppendString(nil, id))
	fail := func(message string) (float64, float64, *apierr.Error) {
		return 0, 0, apierr.New(apierr.CodeInvalidDocumentGeoField, message)
	}
	if v.Kind() != jsonvalue.KindObject {
		return fail("The `_geo` field in the document with the id: `" + doc + "` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `" + v.JSON() + "`.")
	}
	rawLat, rawLng := v.Get("lat"), v.Get("lng")
	switch {
	case rawLat == nil && rawLng == nil:
		return fail("Could not find latitude nor longitude in the document with the id: `" + doc + "`. Was expecting `_geo.lat` and `_geo.lng` fields.")
	case rawLat == nil:
		return fail("Could not find latitude in the document with the id: `" + doc + "`. Was expecting a `_geo.lat` field.")
	case rawLng == nil:
		return fail("Could not find longitude in the document with the id: `" + doc + "`. Was expecting a `_geo.lng` field.")
	}
	var rest []jsonvalue.Member
	for _, m := range v.Members() {
		if m.Name != "lat" && m.Name != "lng" {
			rest = append(rest, m)
		}
	}
	if len(rest) > 0 {
		remaining := jsonvalue.ObjectValue(rest...)
		return fail("The `_geo` field in the document with the id: `" + doc + "` contains the following unexpected fields: `" + remaining.JSON() + "`.")
	}
	lat, okLat := coordinate(rawLat)
	lng, okLng := coordinate(rawLng)
	switch {
	case !okLat && !okLng:
		return fail("Could not parse latitude nor longitude in the document with the id: `" + doc + "`. Was expecting finite numbers but instead got `" + rawLat.JSON() + "` and `" + rawLng.JSON() + "`.")
	case !okLat:
		return fail("Could not parse latitude in the document with the id: `" + doc + "`. Was expecting a finite number but instead got `" + rawLat.JSON() + "`.")
	case !okLng:
		return fail("Could not parse longitude in the document with the id: `" + doc + "`. Was expecting a finite number but instead got `" + rawLng.JSON() + "`.")
	}
	return lat, lng, nil
}

// coordinate reads a finite number, or a string with one.
func coordinate(v *jsonvalue.Value) (float64, bool) {
	switch v.Kind() {
	case jsonvalue.KindString:
		s := v.String()
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case c >= '0' && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
			default: // ParseFloat accepts hexadecimal, underscores, inf and nan
				return 0, false
			}
		}
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
		f := v.Float()
		return f, !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return 0, false
}
