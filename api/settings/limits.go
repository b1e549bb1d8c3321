package settings

import (
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// pagination says how many hits clients can page through.
var pagination = row[PaginationPatch]{
	Name: "pagination", Path: "pagination", Verb: "PATCH", Code: apierr.Declare("invalid_settings_pagination"),
	decode: paginationObject.As(func() PaginationPatch { return PaginationPatch{} }),
	write:  writePagination,
	show:   showPagination,
	apply:  applyPagination,
}.setting()

// searchCutoff is how long a search may take, in milliseconds.
var searchCutoff = row[uint64]{
	Name: "searchCutoffMs", Path: "search-cutoff-ms", Verb: "PUT", Code: apierr.Declare("invalid_settings_search_cutoff_ms"),
	decode: decode.Uint,
	write:  decode.WriteUint,
	show:   showCutoff,
	apply: func(s *Settings, f decode.Field[uint64], _ *Env) *apierr.Error {
		s.SearchCutoffMs = nil
		if f.IsSet() {
			ms := f.Value
			s.SearchCutoffMs = &ms
		}
		return nil
	},
}.setting()

// PaginationPatch changes pagination.
type PaginationPatch struct {
	MaxTotalHits decode.Field[uint64]
}

var paginationObject = decode.NewObject(
	decode.Tristate("maxTotalHits", apierr.Code{}, decode.NonZero, func(p *PaginationPatch) *decode.Field[uint64] { return &p.MaxTotalHits }),
)

func applyPagination(s *Settings, f decode.Field[PaginationPatch], _ *Env) *apierr.Error {
	c := &f.Value
	if f.IsNull() || c.MaxTotalHits.Given() {
		s.MaxTotalHits = clampInt(c.MaxTotalHits.Or(uint64(Default().MaxTotalHits)))
	}
	return nil
}

func writePagination(dst []byte, p PaginationPatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "maxTotalHits", p.MaxTotalHits, decode.WriteUint)
	return o.End()
}

func showPagination(dst []byte, s *Settings) []byte {
	dst = strconv.AppendInt(append(dst, `{"maxTotalHits":`...), int64(s.MaxTotalHits), 10)
	return append(dst, '}')
}

func showCutoff(dst []byte, s *Settings) []byte {
	if s.SearchCutoffMs == nil {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, *s.SearchCutoffMs, 10)
}
