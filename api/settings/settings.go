package settings

import "encoding/json"

// Settings are the effective settings of one index: every member has its value,
// set or default. They are stored in the catalogue as JSON, handed to builders
// and searches as a pointer to an immutable value, and never modified in place.
// Sources: spec write-api 12, ranking 0.
type Settings struct {
	// DisplayedAttributes and SearchableAttributes are nil when they hold the
	// default ["*"]; empty and not nil means no attribute at all.
	DisplayedAttributes  []string `json:"displayedAttributes,omitzero"`
	SearchableAttributes []string `json:"searchableAttributes,omitzero"`
	// Filterable keeps the order of the rules: the first rule that matches a
	// field decides.
	Filterable []FilterableRule `json:"filterableAttributes,omitempty"`
	// Sortable is sorted and free of duplicates.
	Sortable []string `json:"sortableAttributes,omitempty"`
	// ForeignKeys is the experimental setting, kept as the client wrote it.
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
	// MaxValuesPerFacet and SortFacetValuesBy ("alpha" or "count", by field name
	// or "*") are the faceting settings.
	MaxValuesPerFacet int               `json:"maxValuesPerFacet"`
	SortFacetValuesBy map[string]string `json:"sortFacetValuesBy"`
	MaxTotalHits      int               `json:"maxTotalHits"`
	// Embedders maps a name to its configuration as stored (secrets included).
	Embedders map[string]json.RawMessage `json:"embedders,omitempty"`
	// EmbedderDimensions are the dimensions that were found out by asking, by name of
	// the embedder; clients do not see them.
	EmbedderDimensions map[string]int `json:"embedderDimensions,omitempty"`
	// SearchCutoffMs is nil for the default of 1500 ms.
	SearchCutoffMs *uint64 `json:"searchCutoffMs,omitempty"`
	// LocalizedAttributes is nil by default; locales are three-letter codes.
	LocalizedAttributes []LocalizedAttribute `json:"localizedAttributes,omitzero"`
	FacetSearch         bool                 `json:"facetSearch"`
	// PrefixSearch is "indexingTime" or "disabled".
	PrefixSearch string `json:"prefixSearch"`
	// Chat is the setting as shown to clients, nil for the default.
	Chat json.RawMessage `json:"chat,omitempty"`
}

// FilterableRule is one entry of filterableAttributes. A plain string entry is
// the rule {Patterns: [name], FacetSearch, Equality, Comparison: true} with
// Plain set (it is shown to clients as the string again).
type FilterableRule struct {
	Patterns    []string `json:"patterns"`
	FacetSearch bool     `json:"facetSearch"`
	Equality    bool     `json:"equality"`
	Comparison  bool     `json:"comparison"`
	Plain       bool     `json:"plain,omitempty"`
}

// TypoTolerance is the setting of that name.
type TypoTolerance struct {
	Enabled             bool     `json:"enabled"`
	OneTypo             int      `json:"oneTypo"`
	TwoTypos            int      `json:"twoTypos"`
	DisableOnWords      []string `json:"disableOnWords,omitempty"`
	DisableOnAttributes []string `json:"disableOnAttributes,omitempty"`
	DisableOnNumbers    bool     `json:"disableOnNumbers,omitempty"`
}

// LocalizedAttribute is one rule of localizedAttributes.
type LocalizedAttribute struct {
	AttributePatterns []string `json:"attributePatterns"`
	Locales           []string `json:"locales"`
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
