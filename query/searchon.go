package query

import (
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/text/language"
)

// SearchOn resolves `attributesToSearchOn` to fields of the index (spec ranking 5.11,
// search-api 3.6). restricted is false if all searchable fields are searched. A restriction
// may leave no field at all, as an empty list does. The caller names the index before the
// error.
func SearchOn(attributes []string, s *settings.Settings, fields []string) (fids []uint16, restricted bool, err *apierr.Error) {
	if attributes == nil {
		return nil, false, nil
	}
	restricted = true
	weights := NewWeights(s)
	named := searchableNamed(weights, fields, attributes)
	for _, a := range attributes {
		if a == "*" {
			restricted = false
			continue
		}
		fid, known := named[a]
		switch {
		case known:
			fids = append(fids, fid)
			continue
		case strings.Contains(a, "*"):
			found := len(fids)
			for i, name := range fields {
				if filter.MatchPattern(a, name) == filter.PatternWhole && weights.Searches(name) {
					fids = append(fids, uint16(i))
				}
			}
			if len(fids) > found {
				continue
			}
		}
		if !everySearchable(s) && !slices.Contains(s.SearchableAttributes, a) {
			return nil, false, searchOnError(a, s, fields)
		}
	}
	if !restricted {
		return nil, false, nil
	}
	slices.Sort(fids)
	return slices.Compact(fids), true, nil
}

// searchableNamed are the searchable fields among the attributes, by name.
func searchableNamed(weights Weights, fields, attributes []string) map[string]uint16 {
	wanted := make(map[string]struct{}, len(attributes))
	for _, a := range attributes {
		wanted[a] = struct{}{}
	}
	found := make(map[string]uint16, len(attributes))
	for i, name := range fields {
		if _, ok := wanted[name]; ok && weights.Searches(name) {
			found[name] = uint16(i)
		}
	}
	return found
}

// searchOnError lists the searchable fields of the index that are displayed. An attribute
// that no document has yet may be named, but is not listed.
func searchOnError(attribute string, s *settings.Settings, fields []string) *apierr.Error {
	var names []string
	weights := NewWeights(s)
	for _, name := range fields {
		if weights.Searches(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	shown, hidden := filter.MaskHidden(slices.Compact(names), s.DisplayedAttributes)
	return apierr.SearchOnNotSearchable(attribute, shown, hidden)
}

// QueryLocales are the languages in which a query is tokenized: those of the request,
// otherwise the union of those of the rules that match a searched field (spec ranking
// 1.10). nil means any. For a query, an empty list in a request or a rule counts as no
// list, although it allows no language when documents are cut. fids are the searched fields
// of a restricted search, ascending.
func QueryLocales(request []string, s *settings.Settings, fields []string, fids []uint16, restricted bool) []language.Language {
	if request != nil {
		return languages(nil, request)
	}
	if len(s.LocalizedAttributes) == 0 {
		return nil
	}
	var list []language.Language
	weights := NewWeights(s)
	for i, name := range fields {
		if restricted {
			if _, chosen := slices.BinarySearch(fids, uint16(i)); !chosen {
				continue
			}
		}
		if weights.Searches(name) {
			list = languages(list, LocalesOf(s, name))
		}
	}
	return list
}

// LocalesOf returns the locales of the first localized rule that matches a field,
// nil without one.
func LocalesOf(s *settings.Settings, field string) []string {
	for i := range s.LocalizedAttributes {
		for _, p := range s.LocalizedAttributes[i].AttributePatterns {
			if filter.MatchPattern(p, field) == filter.PatternWhole {
				return s.LocalizedAttributes[i].Locales
			}
		}
	}
	return nil
}

// languages adds those languages of the codes that list lacks.
func languages(list []language.Language, codes []string) []language.Language {
	for _, code := range codes {
		if l, ok := language.ParseLanguage(code); ok && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}
