package api

import "slices"

// SettingsPatch is a change of settings: every member absent, null (reset to the
// default) or a value. Its JSON is what task bodies store; details show it with
// secrets masked.
type SettingsPatch struct {
	DisplayedAttributes  Field[[]string] // a list with "*" is a reset
	SearchableAttributes Field[[]string]
	FilterableAttributes Field[[]FilterableRule]
	SortableAttributes   Field[[]string]
	ForeignKeys          Field[Value]
	RankingRules         Field[[]string]
	StopWords            Field[[]string]
	NonSeparatorTokens   Field[[]string]
	SeparatorTokens      Field[[]string]
	Dictionary           Field[[]string]
	Synonyms             Field[[]Entry[[]string]]
	DistinctAttribute    Field[string]
	ProximityPrecision   Field[string]
	TypoTolerance        Field[TypoPatch]
	Faceting             Field[FacetingPatch]
	Pagination           Field[PaginationPatch]
	Embedders            Field[[]Entry[*EmbedderPatch]] // by name; nil removes
	SearchCutoffMs       Field[uint64]
	LocalizedAttributes  Field[[]LocalizedAttribute]
	FacetSearch          Field[bool]
	PrefixSearch         Field[string]
	Chat                 Field[ChatPatch]
}

// TypoPatch changes typoTolerance.
type TypoPatch struct {
	Enabled             Field[bool]
	MinWordSize         Field[MinWordSizePatch]
	DisableOnWords      Field[[]string]
	DisableOnAttributes Field[[]string]
	DisableOnNumbers    Field[bool]
}

// MinWordSizePatch changes typoTolerance.minWordSizeForTypos.
type MinWordSizePatch struct {
	OneTypo, TwoTypos Field[uint64]
}

// FacetingPatch changes faceting; the map is replaced as a whole.
type FacetingPatch struct {
	MaxValuesPerFacet Field[uint64]
	SortFacetValuesBy Field[[]Entry[string]]
}

// PaginationPatch changes pagination.
type PaginationPatch struct {
	MaxTotalHits Field[uint64]
}

var minWordSizeObject = NewObject(
	Tristate("oneTypo", Code{}, UintUpTo(255), func(p *MinWordSizePatch) *Field[uint64] { return &p.OneTypo }),
	Tristate("twoTypos", Code{}, UintUpTo(255), func(p *MinWordSizePatch) *Field[uint64] { return &p.TwoTypos }),
)

var minWordSize = minWordSizeObject.As(func() MinWordSizePatch { return MinWordSizePatch{} }).
	Then(func(at *Loc, p MinWordSizePatch) *Error {
		if p.OneTypo.IsSet() && p.TwoTypos.IsSet() && p.OneTypo.Value > p.TwoTypos.Value {
			return at.Invalid(minWordSizeText(p.OneTypo.Value, p.TwoTypos.Value))
		}
		return nil
	})

var typoObject = NewObject(
	Tristate("enabled", Code{}, Bool, func(p *TypoPatch) *Field[bool] { return &p.Enabled }),
	Tristate("minWordSizeForTypos", CodeInvalidSettingsTypoTolerance, minWordSize, func(p *TypoPatch) *Field[MinWordSizePatch] { return &p.MinWordSize }),
	Tristate("disableOnWords", Code{}, StringSet, func(p *TypoPatch) *Field[[]string] { return &p.DisableOnWords }),
	Tristate("disableOnAttributes", Code{}, StringSet, func(p *TypoPatch) *Field[[]string] { return &p.DisableOnAttributes }),
	Tristate("disableOnNumbers", Code{}, Bool, func(p *TypoPatch) *Field[bool] { return &p.DisableOnNumbers }),
)

var facetingObject = NewObject(
	Tristate("maxValuesPerFacet", Code{}, Uint, func(p *FacetingPatch) *Field[uint64] { return &p.MaxValuesPerFacet }),
	Tristate("sortFacetValuesBy", Code{}, facetOrders, func(p *FacetingPatch) *Field[[]Entry[string]] { return &p.SortFacetValuesBy }),
)

func facetOrders(at *Loc, v *Value) ([]Entry[string], *Error) {
	list, err := Map(OneOf("alpha", "count"))(at, v)
	return sortEntries(list), err
}

var paginationObject = NewObject(
	Tristate("maxTotalHits", Code{}, NonZero, func(p *PaginationPatch) *Field[uint64] { return &p.MaxTotalHits }),
)

// ParseSettingsPatch reads the body of PATCH /settings, or a stored patch. The
// error is an *Error with the client's text.
func ParseSettingsPatch(at *Loc, v *Value) (*SettingsPatch, *Error) {
	p := &SettingsPatch{}
	if err := settingsObject.Decode(at, v, p); err != nil {
		return nil, err
	}
	return p, nil
}

// MarshalJSON writes the patch in full, secrets included.
func (p *SettingsPatch) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil, false), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *SettingsPatch) UnmarshalJSON(data []byte) error {
	v, err := ParseJSON(data)
	if err != nil {
		return err
	}
	parsed, refused := ParseSettingsPatch(BodyRoot(CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	*p = *parsed
	return nil
}

// AppendJSON appends the members that were given, in the order of the table:
// values as sent (sets sorted), null for a reset ("*" for the two lists of
// attributes). masked hides the secrets of embedders, as details do.
func (p *SettingsPatch) AppendJSON(dst []byte, masked bool) []byte {
	dst = append(dst, '{')
	first := true
	for _, s := range settingsTable {
		if !s.given(p) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(AppendString(dst, s.Name), ':')
		dst = s.appendPatch(dst, p, masked)
	}
	return append(dst, '}')
}

// ResetAllSettings is the patch of DELETE /settings.
func ResetAllSettings() *SettingsPatch {
	p := &SettingsPatch{}
	for _, s := range settingsTable {
		s.Reset(p)
	}
	return p
}

// Merge lays later over p for display, as the details of a batch do (spec
// write-api 17.4): the last value of each setting wins, embedders one by one.
func (p *SettingsPatch) Merge(later *SettingsPatch) {
	embedders := p.Embedders
	for _, s := range settingsTable {
		if s.given(later) {
			s.take(p, later)
		}
	}
	if !embedders.IsSet() || !later.Embedders.IsSet() {
		return
	}
	all := append([]Entry[*EmbedderPatch](nil), later.Embedders.Value...)
	for _, e := range embedders.Value {
		if !slices.ContainsFunc(all, func(x Entry[*EmbedderPatch]) bool { return x.Name == e.Name }) {
			all = append(all, e)
		}
	}
	p.Embedders = Set(sortEntries(all))
}
