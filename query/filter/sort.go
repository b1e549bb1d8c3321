package filter

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// SortBy is one element of a sort list.
type SortBy struct {
	// Field is the attribute; empty for a geo point (`:asc` alone sorts by the
	// attribute of the empty name, with Geo false).
	Field string
	Geo   bool
	Point GeoPoint
	Desc  bool
	// Random sorts by numbers that the seed makes of documents; Field is "_random(SEED)"
	// then.
	Random bool
	Seed   uint32
}

// Name is the member as score details show it.
func (s SortBy) Name() string {
	if s.Geo {
		return "_geoPoint(" + apierr.DisplayFloat(s.Point.Lat) + ", " + apierr.DisplayFloat(s.Point.Lng) + ")"
	}
	return s.Field
}

// String is the element in canonical form: parsing it gives the element again.
func (s SortBy) String() string {
	if s.Random {
		return s.Field
	}
	if s.Desc {
		return s.Name() + ":desc"
	}
	return s.Name() + ":asc"
}

// ParseSort parses the elements of a sort list in order; the first bad one is
// the error, a text without prefix that takes the code of the route (spec
// search-api 8).
func ParseSort(elements []string) ([]SortBy, *FilterError) {
	list := make([]SortBy, 0, len(elements))
	for _, e := range elements {
		by, text := parseSortBy(e)
		if text != "" {
			return nil, &FilterError{Message: text}
		}
		list = append(list, by)
	}
	return list, nil
}

func parseSortBy(element string) (SortBy, string) {
	if inner, ok := strings.CutPrefix(element, "_random("); ok && strings.HasSuffix(inner, ")") {
		seed, err := strconv.ParseUint(inner[:len(inner)-1], 10, 32)
		if err != nil {
			return SortBy{}, apierr.SortTextRandomSeed(element)
		}
		return SortBy{Field: "_random(" + strconv.FormatUint(seed, 10) + ")", Random: true, Seed: uint32(seed)}, ""
	}
	member, ascending := strings.CutSuffix(element, ":asc")
	by := SortBy{}
	if !ascending {
		if member, by.Desc = strings.CutSuffix(element, ":desc"); !by.Desc {
			return by, apierr.SortTextSyntax(element)
		}
	}
	if inner, ok := strings.CutPrefix(member, "_geoPoint("); ok && strings.HasSuffix(inner, ")") {
		return parseGeoPoint(by, member, inner[:len(inner)-1])
	}
	switch {
	case member == "_geoPoint":
		return by, apierr.SortTextGeoSyntax(member)
	case member == "_geo":
		return by, apierr.SortTextReserved(member, true)
	case member == "_geoRadius" || strings.HasPrefix(member, "_geoRadius("):
		return by, apierr.SortTextReserved("_geoRadius", true)
	case member == "_geoBoundingBox" || strings.HasPrefix(member, "_geoBoundingBox("):
		return by, apierr.SortTextReserved("_geoBoundingBox", true)
	case member == "_geoDistance" || member == "_geojson" || member == "_geoPolygon",
		strings.HasPrefix(member, "_geo("), strings.HasPrefix(member, "_geoDistance("):
		return by, apierr.SortTextReserved(member, false)
	}
	by.Field = member
	return by, ""
}

func parseGeoPoint(by SortBy, member, inner string) (SortBy, string) {
	first, second, ok := strings.Cut(inner, ",")
	if !ok {
		return by, apierr.SortTextGeoSyntax(member)
	}
	lat, ok1 := parseDecimal(strings.TrimSpace(first))
	lng, ok2 := parseDecimal(strings.TrimSpace(second))
	switch {
	case !ok1 || !ok2:
		return by, apierr.SortTextGeoSyntax(member)
	case !(lat >= -90 && lat <= 90):
		return by, apierr.GeoTextLatitude(lat)
	case !(lng >= -180 && lng <= 180):
		return by, apierr.GeoTextLongitude(lng)
	}
	by.Geo, by.Point = true, GeoPoint{Lat: lat, Lng: lng}
	return by, ""
}

// parseDecimal reads a double as the reference does: decimal digits with sign,
// fraction and exponent, or inf, infinity, nan in any case. Overflow gives
// infinity.
func parseDecimal(s string) (float64, bool) {
	for i := 0; i < len(s); i++ {
		// strconv also takes underscores, hexadecimal and binary exponents.
		if c := s[i] | 0x20; s[i] == '_' || c == 'x' || c == 'p' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// ParseFinite reads a finite double as filters do: what does not read so is only
// a string.
func ParseFinite(s string) (float64, bool) {
	v, ok := parseDecimal(s)
	return v, ok && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// CheckSearchSort checks a parsed sort list of a search against the settings:
// the ranking rules must hold `sort`, every attribute must be sortable. Lists of
// attributes are masked to the displayed ones.
func CheckSearchSort(list []SortBy, s *settings.Settings) *FilterError {
	if len(list) == 0 {
		return nil
	}
	for _, rule := range s.RankingRules {
		if rule == "sort" {
			return checkSortable(list, s, s.DisplayedAttributes)
		}
	}
	return &FilterError{Message: apierr.SortTextNoRule}
}

// CheckRankingRules checks ranking rules that a search brings: what they sort by must be
// sortable, as for the parameter sort.
func CheckRankingRules(rules []string, s *settings.Settings) *FilterError {
	for _, r := range rules {
		if attribute, _, ok := settings.SplitCustomRule(r); ok {
			if err := checkSortable([]SortBy{{Field: attribute}}, s, s.DisplayedAttributes); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckDocumentSort checks the sort list of a documents route: nothing is
// masked, the ranking rules do not matter. Of the fields known to the index,
// geoKnown tells whether any document ever had `_geo`.
func CheckDocumentSort(list []SortBy, s *settings.Settings, geoKnown bool) *FilterError {
	for i := range list {
		if list[i].Random {
			return &FilterError{Message: apierr.SortTextRandomSearch}
		}
		if list[i].Geo && !geoKnown {
			if err := checkSortable(list[:i], s, nil); err != nil {
				return err
			}
			return &FilterError{Message: apierr.SortTextNotSortable("_geo", s.Sortable, false)}
		}
	}
	return checkSortable(list, s, nil)
}

func checkSortable(list []SortBy, s *settings.Settings, displayed []string) *FilterError {
	for _, by := range list {
		if by.Random {
			continue
		}
		field, ok := by.Field, false
		if by.Geo {
			field = "_geo"
			ok = contains(s.Sortable, field)
		} else {
			ok = slices.ContainsFunc(s.Sortable, func(name string) bool { return Below(field, name) })
		}
		if !ok {
			shown, hidden := MaskHidden(s.Sortable, displayed)
			return &FilterError{Message: apierr.SortTextNotSortable(field, shown, hidden)}
		}
	}
	return nil
}

// MaskHidden keeps the names that are displayed by exactly that name; displayed
// nil shows all.
func MaskHidden(names, displayed []string) (shown []string, hidden bool) {
	if displayed == nil {
		return names, false
	}
	for _, n := range names {
		if contains(displayed, n) {
			shown = append(shown, n)
		} else {
			hidden = true
		}
	}
	return shown, hidden
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
