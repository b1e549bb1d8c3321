package settings

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strconv"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

func writeValue(dst []byte, v jsonvalue.Value, _ bool) []byte { return v.AppendJSON(dst) }

func writeFilterable(dst []byte, rules []FilterableRule, _ bool) []byte {
	dst = append(dst, '[')
	for i := range rules {
		r := &rules[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if r.Plain && len(r.Patterns) == 1 {
			dst = jsonvalue.AppendString(dst, r.Patterns[0])
			continue
		}
		dst = decode.WriteStrings(append(dst, `{"attributePatterns":`...), r.Patterns, true)
		dst = decode.WriteBool(append(dst, `,"features":{"facetSearch":`...), r.FacetSearch, true)
		dst = decode.WriteBool(append(dst, `,"filter":{"equality":`...), r.Equality, true)
		dst = decode.WriteBool(append(dst, `,"comparison":`...), r.Comparison, true)
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
		dst = decode.WriteStrings(append(dst, `{"attributePatterns":`...), rules[i].AttributePatterns, true)
		dst = decode.WriteStrings(append(dst, `,"locales":`...), rules[i].Locales, true)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func writeSynonyms(dst []byte, list []decode.Entry[[]string], _ bool) []byte {
	return decode.WriteMap(dst, list, func(dst []byte, words []string) []byte { return decode.WriteStrings(dst, words, true) })
}

func writeTypo(dst []byte, p TypoPatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "enabled", p.Enabled, decode.WriteBool)
	decode.WriteField(&o, "minWordSizeForTypos", p.MinWordSize, writeMinWordSize)
	decode.WriteField(&o, "disableOnWords", p.DisableOnWords, decode.WriteStrings)
	decode.WriteField(&o, "disableOnAttributes", p.DisableOnAttributes, decode.WriteStrings)
	decode.WriteField(&o, "disableOnNumbers", p.DisableOnNumbers, decode.WriteBool)
	return o.End()
}

func writeMinWordSize(dst []byte, p MinWordSizePatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "oneTypo", p.OneTypo, decode.WriteUint)
	decode.WriteField(&o, "twoTypos", p.TwoTypos, decode.WriteUint)
	return o.End()
}

func writeFaceting(dst []byte, p FacetingPatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "maxValuesPerFacet", p.MaxValuesPerFacet, decode.WriteUint)
	decode.WriteField(&o, "sortFacetValuesBy", p.SortFacetValuesBy, func(dst []byte, list []decode.Entry[string], _ bool) []byte {
		return decode.WriteMap(dst, list, jsonvalue.AppendString)
	})
	return o.End()
}

func writePagination(dst []byte, p PaginationPatch, _ bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	decode.WriteField(&o, "maxTotalHits", p.MaxTotalHits, decode.WriteUint)
	return o.End()
}

// Append appends the answer of GET /settings: every setting in public
// order, secrets masked; foreignKeys and chat only with their features on (spec
// write-api 12.2).
func Append(dst []byte, s *Settings, f Features) []byte {
	dst = append(dst, '{')
	first := true
	for _, row := range table {
		if row.Name == "foreignKeys" && !f.ForeignKeys || row.Name == "chat" && !f.ChatCompletions {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = row.show(append(jsonvalue.AppendString(dst, row.Name), ':'), s)
	}
	return append(dst, '}')
}

func showWildcard(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, `["*"]`...)
	}
	return decode.WriteStrings(dst, list, true)
}

func showRaw(dst []byte, raw json.RawMessage, empty string) []byte {
	if len(raw) == 0 {
		return append(dst, empty...)
	}
	return append(dst, raw...)
}

func showSynonyms(dst []byte, s *Settings) []byte {
	return writeSynonyms(dst, decode.EntriesOf(s.Synonyms), true)
}

func showDistinct(dst []byte, s *Settings) []byte {
	if s.DistinctAttribute == nil {
		return append(dst, "null"...)
	}
	return jsonvalue.AppendString(dst, *s.DistinctAttribute)
}

func showTypo(dst []byte, s *Settings) []byte {
	t := &s.TypoTolerance
	dst = decode.WriteBool(append(dst, `{"enabled":`...), t.Enabled, true)
	dst = strconv.AppendInt(append(dst, `,"minWordSizeForTypos":{"oneTypo":`...), int64(t.OneTypo), 10)
	dst = strconv.AppendInt(append(dst, `,"twoTypos":`...), int64(t.TwoTypos), 10)
	dst = decode.WriteStrings(append(dst, `},"disableOnWords":`...), t.DisableOnWords, true)
	dst = decode.WriteStrings(append(dst, `,"disableOnAttributes":`...), t.DisableOnAttributes, true)
	dst = decode.WriteBool(append(dst, `,"disableOnNumbers":`...), t.DisableOnNumbers, true)
	return append(dst, '}')
}

func showFaceting(dst []byte, s *Settings) []byte {
	dst = strconv.AppendInt(append(dst, `{"maxValuesPerFacet":`...), int64(s.MaxValuesPerFacet), 10)
	dst = decode.WriteMap(append(dst, `,"sortFacetValuesBy":`...), decode.EntriesOf(s.SortFacetValuesBy), jsonvalue.AppendString)
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
