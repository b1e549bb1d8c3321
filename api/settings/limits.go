package settings

import (
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
)

// pagination says how many hits clients can page through.
var pagination = row[PaginationPatch]{
	Name: "pagination", Path: "pagination", Verb: "PATCH", Code: apierr.Declare("invalid_settings_pagination"),
	decode: paginationObject.Read,
	write:  paginationObject.Write,
	show:   showPagination,
	apply:  applyPagination,
}.setting()

// searchCutoff is how long a search may take, in milliseconds.
var searchCutoff = row[uint64]{
	Name: "searchCutoffMs", Path: "search-cutoff-ms", Verb: "PUT", Code: apierr.Declare("invalid_settings_search_cutoff_ms"),
	decode:  decode.Uint,
	write:   decode.WriteUint,
	pointer: func(s *Settings) **uint64 { return &s.SearchCutoffMs },
}.setting()

// PaginationPatch changes pagination.
type PaginationPatch struct {
	MaxTotalHits decode.Field[uint64]
}

var paginationObject = decode.NewObject(
	decode.Patched("maxTotalHits", apierr.Code{}, decode.NonZero, decode.WriteUint, func(p *PaginationPatch) *decode.Field[uint64] { return &p.MaxTotalHits }),
)

func applyPagination(s *Settings, f decode.Field[PaginationPatch], _ *Env) *apierr.Error {
	c := &f.Value
	if f.IsNull() || c.MaxTotalHits.Given() {
		s.MaxTotalHits, s.ShownTotalHits = count(c.MaxTotalHits.Or(uint64(Default().MaxTotalHits)))
	}
	return nil
}

func showPagination(dst []byte, s *Settings) []byte {
	dst = strconv.AppendUint(append(dst, `{"maxTotalHits":`...), max(uint64(s.MaxTotalHits), s.ShownTotalHits), 10)
	return append(dst, '}')
}
