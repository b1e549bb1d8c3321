package api

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
)

// Writers of values, in patches and in answers. Lists that are nil are empty.

func writeStrings(dst []byte, list []string, _ bool) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

func writeString(dst []byte, s string, _ bool) []byte { return AppendString(dst, s) }

func writeUint(dst []byte, n uint64, _ bool) []byte { return appendUint(dst, n) }

func writeBool(dst []byte, b bool, _ bool) []byte {
	v := BoolValue(b)
	return v.AppendJSON(dst)
}

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

// writeMap writes an object of the entries in their order.
func writeMap[T any](dst []byte, list []Entry[T], write func([]byte, T) []byte) []byte {
	dst = append(dst, '{')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(append(AppendString(dst, e.Name), ':'), e.Value)
	}
	return append(dst, '}')
}

// memberWriter writes the given members of an object patch.
type memberWriter struct {
	dst   []byte
	comma bool
}

func openObject(dst []byte) *memberWriter { return &memberWriter{dst: append(dst, '{')} }

func (w *memberWriter) close() []byte { return append(w.dst, '}') }

// writeField writes a member that was given: null, or its value.
func writeField[T any](w *memberWriter, name string, f Field[T], write func([]byte, T, bool) []byte) {
	if !f.Given() {
		return
	}
	if w.comma {
		w.dst = append(w.dst, ',')
	}
	w.comma = true
	w.dst = append(AppendString(w.dst, name), ':')
	if f.IsNull() {
		w.dst = append(w.dst, "null"...)
		return
	}
	w.dst = write(w.dst, f.Value, false)
}

func writeTypo(dst []byte, p TypoPatch, _ bool) []byte {
	w := openObject(dst)
	writeField(w, "enabled", p.Enabled, writeBool)
	writeField(w, "minWordSizeForTypos", p.MinWordSize, writeMinWordSize)
	writeField(w, "disableOnWords", p.DisableOnWords, writeStrings)
	writeField(w, "disableOnAttributes", p.DisableOnAttributes, writeStrings)
	writeField(w, "disableOnNumbers", p.DisableOnNumbers, writeBool)
	return w.close()
}

func writeMinWordSize(dst []byte, p MinWordSizePatch, _ bool) []byte {
	w := openObject(dst)
	writeField(w, "oneTypo", p.OneTypo, writeUint)
	writeField(w, "twoTypos", p.TwoTypos, writeUint)
	return w.close()
}

func writeFaceting(dst []byte, p FacetingPatch, _ bool) []byte {
	w := openObject(dst)
	writeField(w, "maxValuesPerFacet", p.MaxValuesPerFacet, writeUint)
	writeField(w, "sortFacetValuesBy", p.SortFacetValuesBy, func(dst []byte, list []Entry[string], _ bool) []byte {
		return writeMap(dst, list, AppendString)
	})
	return w.close()
}

func writePagination(dst []byte, p PaginationPatch, _ bool) []byte {
	w := openObject(dst)
	writeField(w, "maxTotalHits", p.MaxTotalHits, writeUint)
	return w.close()
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

// entriesOf lists a map by name.
func entriesOf[T any](m map[string]T) []Entry[T] {
	list := make([]Entry[T], 0, len(m))
	for name, v := range m {
		list = append(list, Entry[T]{Name: name, Value: v})
	}
	return sortEntries(list)
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
	dst = appendInt(append(dst, `,"minWordSizeForTypos":{"oneTypo":`...), int64(t.OneTypo))
	dst = appendInt(append(dst, `,"twoTypos":`...), int64(t.TwoTypos))
	dst = writeStrings(append(dst, `},"disableOnWords":`...), t.DisableOnWords, true)
	dst = writeStrings(append(dst, `,"disableOnAttributes":`...), t.DisableOnAttributes, true)
	dst = writeBool(append(dst, `,"disableOnNumbers":`...), t.DisableOnNumbers, true)
	return append(dst, '}')
}

func showFaceting(dst []byte, s *Settings) []byte {
	dst = appendInt(append(dst, `{"maxValuesPerFacet":`...), int64(s.MaxValuesPerFacet))
	dst = writeMap(append(dst, `,"sortFacetValuesBy":`...), entriesOf(s.SortFacetValuesBy), AppendString)
	return append(dst, '}')
}

func showPagination(dst []byte, s *Settings) []byte {
	dst = appendInt(append(dst, `{"maxTotalHits":`...), int64(s.MaxTotalHits))
	return append(dst, '}')
}

func showCutoff(dst []byte, s *Settings) []byte {
	if s.SearchCutoffMs == nil {
		return append(dst, "null"...)
	}
	return appendUint(dst, *s.SearchCutoffMs)
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
