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
	decode: facetingObject.As(func() FacetingPatch { return FacetingPatch{} }),
	write:  writeFaceting,
	show:   showFaceting,
	apply:  applyFaceting,
}.setting()

// facetSearch says whether the values of facets are searchable.
var facetSearch = row[bool]{
	Name: "facetSearch", Path: "facet-search", Verb: "PUT", Code: apierr.Declare("invalid_settings_facet_search"),
	decode: decode.Bool,
	write:  decode.WriteBool,
	show:   func(dst []byte, s *Settings) []byte { return decode.WriteBool(dst, s.FacetSearch, true) },
	apply: func(s *Settings, f decode.Field[bool], _ *Env) *apierr.Error {
		s.FacetSearch = f.Or(true)
		return nil
	},
	effect: func(old, new *Settings) rewrites { return rewrites{facet: old.FacetSearch != new.FacetSearch} },
}.setting()

// FacetingPatch changes faceting. The map is replaced as a whole.
type FacetingPatch struct {
	MaxValuesPerFacet decode.Field[uint64]
	SortFacetValuesBy decode.Field[[]decode.Entry[string]]
}

var facetingObject = decode.NewObject(
	decode.Tristate("maxValuesPerFacet", apierr.Code{}, decode.Uint, func(p *FacetingPatch) *decode.Field[uint64] { return &p.MaxValuesPerFacet }),
	decode.Tristate("sortFacetValuesBy", apierr.Code{}, facetOrders, func(p *FacetingPatch) *decode.Field[[]decode.Entry[string]] { return &p.SortFacetValuesBy }),
)

func facetOrders(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[string], *apierr.Error) {
	list, err := decode.Map(decode.OneOf("alpha", "count", "sampledCount"))(at, v)
	return decode.SortEntries(list), err
}

func applyFaceting(s *Settings, f decode.Field[FacetingPatch], _ *Env) *apierr.Error {
	fresh := Default()
	reset := f.IsNull()
	c := &f.Value
	if reset || c.MaxValuesPerFacet.Given() {
		s.MaxValuesPerFacet = clampInt(c.MaxValuesPerFacet.Or(uint64(fresh.MaxValuesPerFacet)))
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

func writeFaceting(dst []byte, p FacetingPatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "maxValuesPerFacet", p.MaxValuesPerFacet, decode.WriteUint)
	decode.WriteField(&o, "sortFacetValuesBy", p.SortFacetValuesBy, func(dst []byte, list []decode.Entry[string], _ bool) []byte {
		return decode.WriteMap(dst, list, jsonvalue.AppendString)
	})
	return o.End()
}

func showFaceting(dst []byte, s *Settings) []byte {
	dst = strconv.AppendInt(append(dst, `{"maxValuesPerFacet":`...), int64(s.MaxValuesPerFacet), 10)
	dst = decode.WriteMap(append(dst, `,"sortFacetValuesBy":`...), decode.EntriesOf(s.SortFacetValuesBy), jsonvalue.AppendString)
	return append(dst, '}')
}

// clampInt converts a size that may exceed an int.
func clampInt(n uint64) int { return int(min(n, math.MaxInt)) }
