package settings

import (
	"encoding/json"

	"shoal/api/decode"
)

// Settings are the effective settings of one index: every member has its value, set or
// default. The catalogue stores them as JSON. Builders and searches share a pointer to an
// immutable value, which is never modified in place. Sources: spec write-api 12, ranking 0.
type Settings struct {
	// DisplayedAttributes and SearchableAttributes are nil for the default ["*"]. An empty
	// list means no attribute at all.
	DisplayedAttributes  []string `json:"displayedAttributes,omitzero"`
	SearchableAttributes []string `json:"searchableAttributes,omitzero"`
	// Filterable keeps the order of the rules: the first rule that matches a
	// field decides.
	Filterable []FilterableRule `json:"filterableAttributes,omitempty"`
	// Sortable is sorted and free of duplicates.
	Sortable []string `json:"sortableAttributes,omitempty"`
	// ForeignKeys is the experimental setting.
	ForeignKeys json.RawMessage `json:"foreignKeys,omitempty"`
	// RankingRules holds the rules as written ("words", "price:asc", ...).
	RankingRules []string `json:"rankingRules"`
	// StopWords, the separator lists and Dictionary are sorted.
	StopWords          []string            `json:"stopWords,omitempty"`
	NonSeparatorTokens []string            `json:"nonSeparatorTokens,omitempty"`
	SeparatorTokens    []string            `json:"separatorTokens,omitempty"`
	Dictionary         []string            `json:"dictionary,omitempty"`
	Synonyms           map[string][]string `json:"synonyms,omitempty"`
	DistinctAttribute  *string             `json:"distinctAttribute,omitempty"`
	// ProximityPrecision is "byWord" or "byAttribute".
	ProximityPrecision string        `json:"proximityPrecision"`
	TypoTolerance      TypoTolerance `json:"typoTolerance"`
	// MaxValuesPerFacet and SortFacetValuesBy ("alpha", "count" or "sampledCount", by field name
	// or "*") are the faceting settings.
	MaxValuesPerFacet int               `json:"maxValuesPerFacet"`
	SortFacetValuesBy map[string]string `json:"sortFacetValuesBy"`
	MaxTotalHits      int               `json:"maxTotalHits"`
	// ShownValuesPerFacet and ShownTotalHits are the same two as they were written, where an
	// int cannot hold them, else 0. Former programs read only the ints.
	ShownValuesPerFacet uint64 `json:"shownValuesPerFacet,omitempty"`
	ShownTotalHits      uint64 `json:"shownTotalHits,omitempty"`
	// Embedders maps a name to its configuration as stored (secrets included).
	Embedders map[string]json.RawMessage `json:"embedders,omitempty"`
	// EmbedderDimensions holds the dimensions that were found by asking, by name of the
	// embedder. Clients do not see them.
	EmbedderDimensions map[string]int `json:"embedderDimensions,omitempty"`
	// SearchCutoffMs is nil for the default of 1500 ms.
	SearchCutoffMs *uint64 `json:"searchCutoffMs,omitempty"`
	// LocalizedAttributes is nil by default; locales are three-letter codes.
	LocalizedAttributes []LocalizedAttribute `json:"localizedAttributes,omitzero"`
	FacetSearch         bool                 `json:"facetSearch"`
	// PrefixSearch is "indexingTime" or "disabled".
	PrefixSearch string `json:"prefixSearch"`
	// ExpiryAttribute holds the time at which a document is deleted, nil for never.
	ExpiryAttribute *string `json:"expiryAttribute,omitempty"`
	// Chat is the setting as clients see it, nil for the default.
	Chat json.RawMessage `json:"chat,omitempty"`
}

// DefaultRankingRules are the rules of a fresh index (spec ranking 0).
var DefaultRankingRules = []string{"words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"}

// Default returns the settings of a fresh index.
func Default() *Settings {
	return &Settings{
		RankingRules:       append([]string(nil), DefaultRankingRules...),
		ProximityPrecision: "byWord",
		TypoTolerance:      TypoTolerance{Enabled: true, OneTypo: 5, TwoTypos: 9},
		MaxValuesPerFacet:  100,
		SortFacetValuesBy:  map[string]string{"*": "alpha"},
		MaxTotalHits:       1000,
		FacetSearch:        true,
		PrefixSearch:       "indexingTime",
	}
}

// table lists the settings in public order.
var table = numbered(
	displayedAttributes, searchableAttributes, filterableAttributes, sortableAttributes, foreignKeys, rankingRules, stopWords, nonSeparatorTokens, separatorTokens,
	dictionary, synonyms, distinctAttribute, proximityPrecision, typoTolerance, faceting, pagination, embedders, searchCutoff, localizedAttributes, facetSearch,
	prefixSearch, chat, expiryAttribute,
)

func numbered(rows ...*Setting) []*Setting {
	for i, s := range rows {
		s.place = i
	}
	return rows
}

// Table lists the settings in public order. The slice is shared.
func Table() []*Setting { return table }

// patchObject is the body of PATCH /settings.
var patchObject = func() *decode.Object[Patch] {
	rows := make([]decode.Row[Patch], len(table))
	for i, s := range table {
		rows[i] = decode.Custom(s.Name, s.Code, s.decode)
		if s.added {
			rows[i] = rows[i].Unlisted()
		}
	}
	return decode.NewObject(rows...)
}()
