package purpose

import (
	"encoding/json"
	"regexp"
	"slices"

	"shoal/api/jsonvalue"
)

// levelPlaces levels pages of a search that the reference sorts by places that are not those of the
// documents.
func levelPlaces(e *Evidence, ours, theirs *Parsed) {
	e.eachSearch(ours, theirs, (*Evidence).levelLostPlaces)
}

// levelLostPlaces levels a list of hits that is sorted by places. Every place of ours must be that
// of its document, and one of the reference's must not be. Without the sort both must have the same
// list.
func (e *Evidence) levelLostPlaces(body, a, b *jsonvalue.Value) {
	sort := body.Get("sort")
	if sort == nil || !geoPoint.MatchString(sort.JSON()) || a.Get("hits") == nil || b.Get("hits") == nil || a.JSON() == b.JSON() {
		return
	}
	whole := wholeDocuments(body, nil)
	whole["showRankingScoreDetails"] = json.RawMessage("true")
	p, q, ok := e.again(rawBody(whole))
	if !ok || !isPlacedRight(&p.parts[0]) || isPlacedRight(&q.parts[0]) {
		return
	}
	delete(whole, "sort")
	if p, q, ok = e.again(rawBody(whole)); ok && p.text() == q.text() {
		levelMembers(a, b, "hits")
	}
}

// wholeDocuments is a search for all hits with all attributes, or the given ones.
func wholeDocuments(body *jsonvalue.Value, attributes []string) map[string]json.RawMessage {
	raw, _, _ := fromStart(body, uncut)
	var search map[string]json.RawMessage
	if err := json.Unmarshal(raw, &search); err != nil {
		panic(err) // an object of ours
	}
	if delete(search, "attributesToRetrieve"); attributes != nil {
		search["attributesToRetrieve"] = rawBody(attributes)
	}
	return search
}

// isPlacedRight tells whether every place in the details of hits is that of the document.
func isPlacedRight(answer *jsonvalue.Value) bool {
	hits := answer.Get("hits")
	if hits == nil {
		return false
	}
	return !slices.ContainsFunc(hits.Members(), func(hit jsonvalue.Member) bool {
		details := hit.Value.Get("_rankingScoreDetails")
		return details == nil || slices.ContainsFunc(details.Members(), func(detail jsonvalue.Member) bool {
			return geoPoint.MatchString(detail.Name) && !isSamePlace(detail.Value.Get("value"), hit.Value.Get("_geo"))
		})
	})
}

// isSamePlace tells whether two places have the same coordinates, or none.
func isSamePlace(a, b *jsonvalue.Value) bool {
	for _, name := range []string{"lat", "lng"} {
		x, here := coordinate(a, name)
		y, there := coordinate(b, name)
		if here != there || x != y {
			return false
		}
	}
	return true
}

// coordinate is one coordinate of a place, which has it as a number; ok is false for no place.
func coordinate(place *jsonvalue.Value, name string) (x float64, ok bool) {
	if place == nil || !isCoordinate(place.Get(name)) {
		return 0, false
	}
	return place.Get(name).Float(), true
}

// levelPlaceFacets levels the facets _geo.lat and _geo.lng, where ours have no values, or those of
// the documents, and the reference has others. Without them, the answers must be the same.
func levelPlaceFacets(e *Evidence, ours, theirs *Parsed) {
	e.eachSearch(ours, theirs, func(e *Evidence, body, a, b *jsonvalue.Value) {
		e.levelPlaceConditions(body, a, b)
		x, y := a.Get("facetDistribution"), b.Get("facetDistribution")
		if x == nil || y == nil || a.JSON() == b.JSON() || withoutPlaces(a) != withoutPlaces(b) {
			return
		}
		empty, full := 0, 0
		for _, name := range placeNames {
			m := x.Get(name)
			if (m == nil) != (y.Get(name) == nil) {
				return
			}
			if m != nil && m.Len() > 0 {
				full++
			} else if m != nil {
				empty++
			}
		}
		if empty > 0 && full == 0 || full > 0 && e.countsPlaces(body, x, y) {
			*b = *a
		}
	})
}

// placeCondition is a condition that nothing fulfils without values of _geo.lat or _geo.lng.
var placeCondition = regexp.MustCompile(`_geo\.(lat|lng) (>=?|<=?|=) -?[0-9][0-9.e+-]*`)

// levelPlaceConditions levels a search with conditions on facets of places that only the reference has
// values for. With a condition in their place that nothing fulfils, the answer of ours is the same, and
// so is that of the reference.
func (e *Evidence) levelPlaceConditions(body, a, b *jsonvalue.Value) {
	filter := body.Get("filter")
	if filter == nil || a.JSON() == b.JSON() || !placeCondition.MatchString(filter.JSON()) {
		return
	}
	search := membersOf(body)
	search["filter"] = json.RawMessage(placeCondition.ReplaceAllString(filter.JSON(), "id IN []"))
	p, q, ok := e.again(rawBody(search))
	if ok && p.text() == q.text() && unscored(&p.parts[0]) == unscored(a) {
		*b = *a
	}
}

// countsPlaces tells whether facets of ours count the coordinates of the documents that both servers
// find, and those of the reference do not.
func (e *Evidence) countsPlaces(body, ours, theirs *jsonvalue.Value) bool {
	p, q, ok := e.again(rawBody(wholeDocuments(body, []string{"_geo"})))
	if !ok || p.parts[0].Get("hits") == nil || q.parts[0].Get("hits") == nil {
		return false
	}
	hits := p.parts[0].Get("hits")
	return slices.Equal(sortedTexts(hits.Members()), sortedTexts(q.parts[0].Get("hits").Members())) && countsPlacesOf(ours, hits) && !countsPlacesOf(theirs, hits)
}

// countsPlacesOf tells whether facets of places count the coordinates of documents.
func countsPlacesOf(facets, hits *jsonvalue.Value) bool {
	for _, name := range placeNames {
		values := facets.Get(name)
		if values == nil {
			continue
		}
		counts := map[float64]uint64{}
		for i := range hits.Members() {
			if x, ok := coordinate(hits.Members()[i].Value.Get("_geo"), name[len("_geo."):]); ok {
				counts[x]++
			}
		}
		for i := range values.Members() {
			m := &values.Members()[i]
			value, err := jsonvalue.Parse([]byte(m.Name))
			if err != nil || counts[value.Float()] != m.Value.Uint() {
				return false
			}
		}
	}
	return true
}

var placeNames = []string{"_geo.lat", "_geo.lng"}

// withoutPlaces is an answer without the facets of places.
func withoutPlaces(answer *jsonvalue.Value) string {
	members := membersOf(answer)
	for _, name := range []string{"facetDistribution", "facetStats"} {
		var facets map[string]json.RawMessage
		if json.Unmarshal(members[name], &facets) != nil {
			continue
		}
		for _, place := range placeNames {
			delete(facets, place)
		}
		members[name] = rawBody(facets)
	}
	return string(rawBody(members))
}
