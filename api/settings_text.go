package api

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strconv"
)

func writeValue(dst []byte, v Value, _ bool) []byte { return v.AppendJSON(dst) }

func writeFilterable(dst []byte, rules []FilterableRule, _ bool) []byte {
	dst = append(dst, '[')
	for i := range rules {
		r := &rules[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if r.Plain && len(r.Patterns) == 1 {
			dst = AppendString(dst, r.Patterns[0])
			continue
		}
		dst = writeStrings(append(dst, `{"attributePatterns":`...), r.Patterns, true)
		dst = writeBool(append(dst, `,"features":{"facetSearch":`...), r.FacetSearch, true)
		dst = writeBool(append(dst, `,"filter":{"equality":`...), r.Equality, true)
		dst = writeBool(append(dst, `,"comparison":`...), r.Comparison, true)
		dst = append(dst, "}}}"...)
	}
	return append(dst, ']')
}

func writeLocalized(dst []byte, rules []LocalizedAttribute, _ bool) []byte {
	dst = append(dst, '[')
	for i := range rules {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = writeStrings(append(dst, `{"attributePatterns":`...), rules[i].AttributePatterns, true)
		dst = writeStrings(append(dst, `,"locales":`...), rules[i].Locales, true)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func writeSynonyms(dst []byte, list []Entry[[]string], _ bool) []byte {
	return writeMap(dst, list, func(dst []byte, words []string) []byte { return writeStrings(dst, words, true) })
}

func writeTypo(dst []byte, p TypoPatch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "enabled", p.Enabled, writeBool)
	writeField(&o, "minWordSizeForTypos", p.MinWordSize, writeMinWordSize)
	writeField(&o, "disableOnWords", p.DisableOnWords, writeStrings)
	writeField(&o, "disableOnAttributes", p.DisableOnAttributes, writeStrings)
	writeField(&o, "disableOnNumbers", p.DisableOnNumbers, writeBool)
	return o.end()
}

func writeMinWordSize(dst []byte, p MinWordSizePatch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "oneTypo", p.OneTypo, writeUint)
	writeField(&o, "twoTypos", p.TwoTypos, writeUint)
	return o.end()
}

func writeFaceting(dst []byte, p FacetingPatch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "maxValuesPerFacet", p.MaxValuesPerFacet, writeUint)
	writeField(&o, "sortFacetValuesBy", p.SortFacetValuesBy, func(dst []byte, list []Entry[string], _ bool) []byte {
		return writeMap(dst, list, AppendString)
	})
	return o.end()
}

func writePagination(dst []byte, p PaginationPatch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "maxTotalHits", p.MaxTotalHits, writeUint)
	return o.end()
}

// AppendSettings appends the answer of GET /settings: every setting in public
// order, secrets masked; foreignKeys and chat only with their features on (spec
// write-api 12.2).
func AppendSettings(dst []byte, s *Settings, f Features) []byte {
	dst = append(dst, '{')
	first := true
	for _, row := range settingsTable {
		if row.Name == "foreignKeys" && !f.ForeignKeys || row.Name == "chat" && !f.ChatCompletions {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = row.show(append(AppendString(dst, row.Name), ':'), s)
	}
	return append(dst, '}')
}

func showWildcard(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, `["*"]`...)
	}
	return writeStrings(dst, list, true)
}

func showRaw(dst []byte, raw json.RawMessage, empty string) []byte {
	if len(raw) == 0 {
		return append(dst, empty...)
	}
	return append(dst, raw...)
}

func showSynonyms(dst []byte, s *Settings) []byte {
	return writeSynonyms(dst, entriesOf(s.Synonyms), true)
}

func showDistinct(dst []byte, s *Settings) []byte {
	if s.DistinctAttribute == nil {
		return append(dst, "null"...)
	}
	return AppendString(dst, *s.DistinctAttribute)
}

func showTypo(dst []byte, s *Settings) []byte {
	t := &s.TypoTolerance
	dst = writeBool(append(dst, `{"enabled":`...), t.Enabled, true)
	dst = strconv.AppendInt(append(dst, `,"minWordSizeForTypos":{"oneTypo":`...), int64(t.OneTypo), 10)
	dst = strconv.AppendInt(append(dst, `,"twoTypos":`...), int64(t.TwoTypos), 10)
	dst = writeStrings(append(dst, `},"disableOnWords":`...), t.DisableOnWords, true)
	dst = writeStrings(append(dst, `,"disableOnAttributes":`...), t.DisableOnAttributes, true)
	dst = writeBool(append(dst, `,"disableOnNumbers":`...), t.DisableOnNumbers, true)
	return append(dst, '}')
}

func showFaceting(dst []byte, s *Settings) []byte {
	dst = strconv.AppendInt(append(dst, `{"maxValuesPerFacet":`...), int64(s.MaxValuesPerFacet), 10)
	dst = writeMap(append(dst, `,"sortFacetValuesBy":`...), entriesOf(s.SortFacetValuesBy), AppendString)
	return append(dst, '}')
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

func showLocalized(dst []byte, s *Settings) []byte {
	if s.LocalizedAttributes == nil {
		return append(dst, "null"...)
	}
	return writeLocalized(dst, s.LocalizedAttributes, true)
}

// clampInt makes an int of a size that may exceed it.
func clampInt(n uint64) int { return int(min(n, math.MaxInt)) }

func sortedSet(list []string) []string {
	sort.Strings(list)
	return slices.Compact(list)
}
