package settings

import (
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Patch is a change of settings: every member absent, null (reset to the
// default) or a value. Its JSON is what task bodies store; details show it with
// secrets masked.
type Patch struct {
	DisplayedAttributes  decode.Field[[]string] // a list with "*" is a reset
	SearchableAttributes decode.Field[[]string]
	FilterableAttributes decode.Field[[]FilterableRule]
	SortableAttributes   decode.Field[[]string]
	ForeignKeys          decode.Field[jsonvalue.Value]
	RankingRules         decode.Field[[]string]
	StopWords            decode.Field[[]string]
	NonSeparatorTokens   decode.Field[[]string]
	SeparatorTokens      decode.Field[[]string]
	Dictionary           decode.Field[[]string]
	Synonyms             decode.Field[[]decode.Entry[[]string]]
	DistinctAttribute    decode.Field[string]
	ProximityPrecision   decode.Field[string]
	TypoTolerance        decode.Field[TypoPatch]
	Faceting             decode.Field[FacetingPatch]
	Pagination           decode.Field[PaginationPatch]
	Embedders            decode.Field[[]decode.Entry[*EmbedderPatch]] // by name; nil removes
	SearchCutoffMs       decode.Field[uint64]
	LocalizedAttributes  decode.Field[[]LocalizedAttribute]
	FacetSearch          decode.Field[bool]
	PrefixSearch         decode.Field[string]
	Chat                 decode.Field[ChatPatch]
}

// TypoPatch changes typoTolerance.
type TypoPatch struct {
	Enabled             decode.Field[bool]
	MinWordSize         decode.Field[MinWordSizePatch]
	DisableOnWords      decode.Field[[]string]
	DisableOnAttributes decode.Field[[]string]
	DisableOnNumbers    decode.Field[bool]
}

// MinWordSizePatch changes typoTolerance.minWordSizeForTypos.
type MinWordSizePatch struct {
	OneTypo, TwoTypos decode.Field[uint64]
}

// FacetingPatch changes faceting; the map is replaced as a whole.
type FacetingPatch struct {
	MaxValuesPerFacet decode.Field[uint64]
	SortFacetValuesBy decode.Field[[]decode.Entry[string]]
}

// PaginationPatch changes pagination.
type PaginationPatch struct {
	MaxTotalHits decode.Field[uint64]
}

var minWordSizeObject = decode.NewObject(
	decode.Tristate("oneTypo", apierr.Code{}, decode.UintUpTo(255), func(p *MinWordSizePatch) *decode.Field[uint64] { return &p.OneTypo }),
	decode.Tristate("twoTypos", apierr.Code{}, decode.UintUpTo(255), func(p *MinWordSizePatch) *decode.Field[uint64] { return &p.TwoTypos }),
)

var minWordSize = minWordSizeObject.As(func() MinWordSizePatch { return MinWordSizePatch{} }).
	Then(func(at *decode.Loc, p MinWordSizePatch) *apierr.Error {
		if p.OneTypo.IsSet() && p.TwoTypos.IsSet() && p.OneTypo.Value > p.TwoTypos.Value {
			return at.Invalid(minWordSizeText(p.OneTypo.Value, p.TwoTypos.Value))
		}
		return nil
	})

var typoObject = decode.NewObject(
	decode.Tristate("enabled", apierr.Code{}, decode.Bool, func(p *TypoPatch) *decode.Field[bool] { return &p.Enabled }),
	decode.Tristate("minWordSizeForTypos", apierr.CodeInvalidSettingsTypoTolerance, minWordSize, func(p *TypoPatch) *decode.Field[MinWordSizePatch] { return &p.MinWordSize }),
	decode.Tristate("disableOnWords", apierr.Code{}, decode.StringSet, func(p *TypoPatch) *decode.Field[[]string] { return &p.DisableOnWords }),
	decode.Tristate("disableOnAttributes", apierr.Code{}, decode.StringSet, func(p *TypoPatch) *decode.Field[[]string] { return &p.DisableOnAttributes }),
	decode.Tristate("disableOnNumbers", apierr.Code{}, decode.Bool, func(p *TypoPatch) *decode.Field[bool] { return &p.DisableOnNumbers }),
)

var facetingObject = decode.NewObject(
	decode.Tristate("maxValuesPerFacet", apierr.Code{}, decode.Uint, func(p *FacetingPatch) *decode.Field[uint64] { return &p.MaxValuesPerFacet }),
	decode.Tristate("sortFacetValuesBy", apierr.Code{}, facetOrders, func(p *FacetingPatch) *decode.Field[[]decode.Entry[string]] { return &p.SortFacetValuesBy }),
)

func facetOrders(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[string], *apierr.Error) {
	list, err := decode.Map(decode.OneOf("alpha", "count"))(at, v)
	return decode.SortEntries(list), err
}

var paginationObject = decode.NewObject(
	decode.Tristate("maxTotalHits", apierr.Code{}, decode.NonZero, func(p *PaginationPatch) *decode.Field[uint64] { return &p.MaxTotalHits }),
)

// ParsePatch reads the body of PATCH /settings, or a stored patch. The
// error is an *Error with the client's text.
func ParsePatch(at *decode.Loc, v *jsonvalue.Value) (*Patch, *apierr.Error) {
	p := &Patch{}
	if err := patchObject.Decode(at, v, p); err != nil {
		return nil, err
	}
	return p, nil
}

// MarshalJSON writes the patch in full, secrets included.
func (p *Patch) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil, false), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Patch) UnmarshalJSON(data []byte) error {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return err
	}
	parsed, refused := ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	*p = *parsed
	return nil
}

// AppendJSON appends the members that were given, in the order of the table:
// values as sent (sets sorted), null for a reset ("*" for the two lists of
// attributes). masked hides the secrets of embedders, as details do.
func (p *Patch) AppendJSON(dst []byte, masked bool) []byte {
	dst = append(dst, '{')
	first := true
	for _, s := range table {
		if !s.given(p) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsonvalue.AppendString(dst, s.Name), ':')
		dst = s.appendPatch(dst, p, masked)
	}
	return append(dst, '}')
}

// ResetAll is the patch of DELETE /settings.
func ResetAll() *Patch {
	p := &Patch{}
	for _, s := range table {
		s.Reset(p)
	}
	return p
}

// Merge lays later over p for display, as the details of a batch do (spec
// write-api 17.4): the last value of each setting wins, embedders one by one.
func (p *Patch) Merge(later *Patch) {
	embedders := p.Embedders
	for _, s := range table {
		if s.given(later) {
			s.take(p, later)
		}
	}
	if !embedders.IsSet() || !later.Embedders.IsSet() {
		return
	}
	all := append([]decode.Entry[*EmbedderPatch](nil), later.Embedders.Value...)
	for _, e := range embedders.Value {
		if !slices.ContainsFunc(all, func(x decode.Entry[*EmbedderPatch]) bool { return x.Name == e.Name }) {
			all = append(all, e)
		}
	}
	p.Embedders = decode.Set(decode.SortEntries(all))
}
