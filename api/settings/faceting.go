package settings

import (
	"math"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// faceting says how many values of a facet are shown, and in which order.
var faceting = row[FacetingPatch]{
	Name: "faceting", Path: "faceting", Verb: "PATCH", Code: apierr.Declare("invalid_settings_faceting"),
	decode: facetingObject.Read,
	write:  facetingObject.Write,
	show:   showFaceting,
	apply:  applyFaceting,
}.setting()

// facetSearch says whether the values of facets are searchable.
var facetSearch = row[bool]{
	Name: "facetSearch", Path: "facet-search", Verb: "PUT", Code: apierr.Declare("invalid_settings_facet_search"),
	decode:  decode.Bool,
	write:   decode.WriteBool,
	slot:    func(s *Settings) *bool { return &s.FacetSearch },
	rebuilt: rewrites{facet: true},
}.setting()

// FacetingPatch changes faceting. The map is replaced as a whole.
type FacetingPatch struct {
	MaxValuesPerFacet decode.Field[uint64]
	SortFacetValuesBy decode.Field[[]decode.Entry[string]]
}

var facetingObject = decode.NewObject(
	decode.Patched("maxValuesPerFacet", apierr.Code{}, decode.Uint, decode.WriteUint, func(p *FacetingPatch) *decode.Field[uint64] { return &p.MaxValuesPerFacet }),
	decode.Patched("sortFacetValuesBy", apierr.Code{}, facetOrders, writeOrders, func(p *FacetingPatch) *decode.Field[[]decode.Entry[string]] { return &p.SortFacetValuesBy }),
)

func facetOrders(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[string], *apierr.Error) {
	list, err := decode.Map(decode.OneOf("alpha", "count", "sampledCount"))(at, v)
	return decode.SortEntries(list), err
}

func writeOrders(dst []byte, orders []decode.Entry[string], _ bool) []byte {
	return decode.WriteMap(dst, orders, jsonvalue.AppendString)
}

func applyFaceting(s *Settings, f decode.Field[FacetingPatch], _ *Env) *apierr.Error {
	fresh := Default()
	reset := f.IsNull()
	c := &f.Value
	if reset || c.MaxValuesPerFacet.Given() {
		s.MaxValuesPerFacet, s.ShownValuesPerFacet = count(c.MaxValuesPerFacet.Or(uint64(fresh.MaxValuesPerFacet)))
	}
	if reset || c.SortFacetValuesBy.Given() {
		order := fresh.SortFacetValuesBy
		for _, e := range c.SortFacetValuesBy.Or(nil) {
			order[e.Name] = e.Value
		}
		s.SortFacetValuesBy = order
	}
	return nil
}

func showFaceting(dst []byte, s *Settings) []byte {
	dst = strconv.AppendUint(append(dst, `{"maxValuesPerFacet":`...), max(uint64(s.MaxValuesPerFacet), s.ShownValuesPerFacet), 10)
	dst = writeOrders(append(dst, `,"sortFacetValuesBy":`...), decode.EntriesOf(s.SortFacetValuesBy), true)
	return append(dst, '}')
}

// count converts a number of which there are never as many as an int can count. shown is the
// number where it exceeds an int, else 0.
func count(n uint64) (effective int, shown uint64) {
	if n > math.MaxInt {
		return math.MaxInt, n
	}
	return int(n), 0
}
