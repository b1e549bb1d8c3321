package api

import (
	"strings"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// IndexField is one entry of POST /indexes/{uid}/fields (spec write-api 5.10).
type IndexField struct {
	Name                                      string
	Displayed, Searchable, Sortable, Distinct bool
	// RankingRule is "asc", "desc" or "" for none.
	RankingRule                                   string
	Filterable, FacetSearch, Equality, Comparison bool
	SortBy                                        string
	Locales                                       []string // three-letter codes
}

// AppendJSON appends the entry. Locales are capitalised here, unlike in
// settings.
func (f *IndexField) AppendJSON(dst []byte) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"name":`...), f.Name)
	for _, m := range []struct {
		name string
		on   bool
	}{{"displayed", f.Displayed}, {"searchable", f.Searchable}, {"sortable", f.Sortable}, {"distinct", f.Distinct}} {
		dst = append(append(append(dst, `,"`...), m.name...), `":{"enabled":`...)
		dst = append(decode.WriteBool(dst, m.on, true), '}')
	}
	dst = decode.WriteBool(append(dst, `,"rankingRule":{"enabled":`...), f.RankingRule != "", true)
	if f.RankingRule != "" {
		dst = jsonvalue.AppendString(append(dst, `,"order":`...), f.RankingRule)
	}
	dst = decode.WriteBool(append(dst, `},"filterable":{"enabled":`...), f.Filterable, true)
	dst = jsonvalue.AppendString(append(dst, `,"sortBy":`...), f.SortBy)
	dst = decode.WriteBool(append(dst, `,"facetSearch":`...), f.FacetSearch, true)
	dst = decode.WriteBool(append(dst, `,"equality":`...), f.Equality, true)
	dst = decode.WriteBool(append(dst, `,"comparison":`...), f.Comparison, true)
	locales := make([]string, len(f.Locales))
	for i, code := range f.Locales {
		locales[i] = strings.ToUpper(code[:1]) + code[1:]
	}
	dst = decode.WriteStrings(append(dst, `},"localized":{"locales":`...), locales, true)
	return append(dst, "}}"...)
}
