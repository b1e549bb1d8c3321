package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Setting is one row of the table of settings: its public names, how a patch of
// it is read, shown and applied. The routes, bodies, details and answers of
// settings all come from the table. Rows are immutable.
type Setting struct {
	Name string      // in bodies and answers
	Path string      // of its route, behind /settings/
	Verb string      // of its update: PUT or PATCH
	Code apierr.Code // of errors in its value

	slot patchSlot
	// apply lays the patch's given value over s.
	apply func(s *Settings, p *Patch, env *Env)
	// show appends the value that clients see.
	show func(dst []byte, s *Settings) []byte
}

// patchSlot reaches the member of a SettingsPatch that belongs to a setting.
type patchSlot struct {
	set         func(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error
	reset       func(p *Patch)
	given       func(p *Patch) bool
	take        func(p, from *Patch)
	appendPatch func(dst []byte, p *Patch, masked bool) []byte
}

// Env is what applying settings needs from elsewhere.
type Env struct {
	// Normalize gives the form in which words are indexed; used for
	// disableOnWords.
	Normalize func(word string) string
	// StopWord gives the form in which a stop word is kept and shown.
	StopWord  func(word string) string
	Templates Templates
}

// Table lists the settings in public order. The slice is shared.
func Table() []*Setting { return table }

// Decode reads the setting's value (or null) from a body into p.
func (s *Setting) Decode(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
	return s.slot.set(p, at, v)
}

// Reset makes p reset the setting.
func (s *Setting) Reset(p *Patch) { s.slot.reset(p) }

// AppendPublic appends the effective value as GET shows it, secrets masked.
func (s *Setting) AppendPublic(dst []byte, settings *Settings) []byte { return s.show(dst, settings) }

func (s *Setting) given(p *Patch) bool { return s.slot.given(p) }

func (s *Setting) take(p, from *Patch) { s.slot.take(p, from) }

func (s *Setting) appendPatch(dst []byte, p *Patch, masked bool) []byte {
	return s.slot.appendPatch(dst, p, masked)
}

// slotOf builds the accessors of a member; write appends a given value.
func slotOf[T any](dec decode.Decoder[T], member func(*Patch) *decode.Field[T], write func(dst []byte, t T, masked bool) []byte) patchSlot {
	return patchSlot{
		set: func(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
			if v.IsNull() {
				*member(p) = decode.Null[T]()
				return nil
			}
			t, err := dec(at, v)
			if err == nil {
				*member(p) = decode.Set(t)
			}
			return err
		},
		reset: func(p *Patch) { *member(p) = decode.Null[T]() },
		given: func(p *Patch) bool { return member(p).Given() },
		take:  func(p, from *Patch) { *member(p) = *member(from) },
		appendPatch: func(dst []byte, p *Patch, masked bool) []byte {
			f := member(p)
			if !f.IsSet() {
				return append(dst, "null"...)
			}
			return write(dst, f.Value, masked)
		},
	}
}

// wildcardSlot is the slot of displayedAttributes and searchableAttributes.
func wildcardSlot(member func(*Patch) *decode.Field[[]string]) patchSlot {
	slot := slotOf(decode.Strings, member, decode.WriteStrings)
	slot.set = func(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		if v.IsNull() {
			slot.reset(p)
			return nil
		}
		f, err := wildcardList(at, v)
		if err == nil {
			*member(p) = f
		}
		return err
	}
	slot.appendPatch = func(dst []byte, p *Patch, _ bool) []byte {
		if f := member(p); f.IsSet() {
			return decode.WriteStrings(dst, f.Value, false)
		}
		return append(dst, `["*"]`...)
	}
	return slot
}

var table = []*Setting{
	{Name: "displayedAttributes", Path: "displayed-attributes", Verb: "PUT", Code: apierr.CodeInvalidSettingsDisplayedAttributes,
		slot:  wildcardSlot(func(p *Patch) *decode.Field[[]string] { return &p.DisplayedAttributes }),
		apply: applyDisplayed, show: func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.DisplayedAttributes) }},
	{Name: "searchableAttributes", Path: "searchable-attributes", Verb: "PUT", Code: apierr.CodeInvalidSettingsSearchableAttributes,
		slot:  wildcardSlot(func(p *Patch) *decode.Field[[]string] { return &p.SearchableAttributes }),
		apply: applySearchable, show: func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.SearchableAttributes) }},
	{Name: "filterableAttributes", Path: "filterable-attributes", Verb: "PUT", Code: apierr.CodeInvalidSettingsFilterableAttributes,
		slot:  slotOf(decode.List(filterableRule), func(p *Patch) *decode.Field[[]FilterableRule] { return &p.FilterableAttributes }, writeFilterable),
		apply: applyFilterable, show: func(dst []byte, s *Settings) []byte { return writeFilterable(dst, s.Filterable, true) }},
	{Name: "sortableAttributes", Path: "sortable-attributes", Verb: "PUT", Code: apierr.CodeInvalidSettingsSortableAttributes,
		slot:  slotOf(decode.StringSet, func(p *Patch) *decode.Field[[]string] { return &p.SortableAttributes }, decode.WriteStrings),
		apply: applySortable, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.Sortable, true) }},
	{Name: "foreignKeys", Path: "foreign-keys", Verb: "PUT", Code: apierr.CodeInvalidSettingsForeignKeys,
		slot:  slotOf(foreignKeys, func(p *Patch) *decode.Field[jsonvalue.Value] { return &p.ForeignKeys }, writeValue),
		apply: applyForeignKeys, show: func(dst []byte, s *Settings) []byte { return showRaw(dst, s.ForeignKeys, "[]") }},
	{Name: "rankingRules", Path: "ranking-rules", Verb: "PUT", Code: apierr.CodeInvalidSettingsRankingRules,
		slot:  slotOf(decode.List(rankingRule), func(p *Patch) *decode.Field[[]string] { return &p.RankingRules }, decode.WriteStrings),
		apply: applyRankingRules, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.RankingRules, true) }},
	{Name: "stopWords", Path: "stop-words", Verb: "PUT", Code: apierr.CodeInvalidSettingsStopWords,
		slot:  slotOf(decode.StringSet, func(p *Patch) *decode.Field[[]string] { return &p.StopWords }, decode.WriteStrings),
		apply: applyStopWords, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.StopWords, true) }},
	{Name: "nonSeparatorTokens", Path: "non-separator-tokens", Verb: "PUT", Code: apierr.CodeInvalidSettingsNonSeparatorTokens,
		slot:  slotOf(decode.StringSet, func(p *Patch) *decode.Field[[]string] { return &p.NonSeparatorTokens }, decode.WriteStrings),
		apply: applyNonSeparators, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.NonSeparatorTokens, true) }},
	{Name: "separatorTokens", Path: "separator-tokens", Verb: "PUT", Code: apierr.CodeInvalidSettingsSeparatorTokens,
		slot:  slotOf(decode.StringSet, func(p *Patch) *decode.Field[[]string] { return &p.SeparatorTokens }, decode.WriteStrings),
		apply: applySeparators, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.SeparatorTokens, true) }},
	{Name: "dictionary", Path: "dictionary", Verb: "PUT", Code: apierr.CodeInvalidSettingsDictionary,
		slot:  slotOf(decode.StringSet, func(p *Patch) *decode.Field[[]string] { return &p.Dictionary }, decode.WriteStrings),
		apply: applyDictionary, show: func(dst []byte, s *Settings) []byte { return decode.WriteStrings(dst, s.Dictionary, true) }},
	{Name: "synonyms", Path: "synonyms", Verb: "PUT", Code: apierr.CodeInvalidSettingsSynonyms,
		slot:  slotOf(synonymMap, func(p *Patch) *decode.Field[[]decode.Entry[[]string]] { return &p.Synonyms }, writeSynonyms),
		apply: applySynonyms, show: showSynonyms},
	{Name: "distinctAttribute", Path: "distinct-attribute", Verb: "PUT", Code: apierr.CodeInvalidSettingsDistinctAttribute,
		slot:  slotOf(decode.String, func(p *Patch) *decode.Field[string] { return &p.DistinctAttribute }, decode.WriteString),
		apply: applyDistinct, show: showDistinct},
	{Name: "proximityPrecision", Path: "proximity-precision", Verb: "PUT", Code: apierr.CodeInvalidSettingsProximityPrecision,
		slot:  slotOf(decode.OneOf("byWord", "byAttribute"), func(p *Patch) *decode.Field[string] { return &p.ProximityPrecision }, decode.WriteString),
		apply: applyProximity, show: func(dst []byte, s *Settings) []byte { return jsonvalue.AppendString(dst, s.ProximityPrecision) }},
	{Name: "typoTolerance", Path: "typo-tolerance", Verb: "PATCH", Code: apierr.CodeInvalidSettingsTypoTolerance,
		slot: slotOf(typoObject.As(func() TypoPatch { return TypoPatch{} }),
			func(p *Patch) *decode.Field[TypoPatch] { return &p.TypoTolerance }, writeTypo),
		apply: applyTypo, show: showTypo},
	{Name: "faceting", Path: "faceting", Verb: "PATCH", Code: apierr.CodeInvalidSettingsFaceting,
		slot: slotOf(facetingObject.As(func() FacetingPatch { return FacetingPatch{} }),
			func(p *Patch) *decode.Field[FacetingPatch] { return &p.Faceting }, writeFaceting),
		apply: applyFaceting, show: showFaceting},
	{Name: "pagination", Path: "pagination", Verb: "PATCH", Code: apierr.CodeInvalidSettingsPagination,
		slot: slotOf(paginationObject.As(func() PaginationPatch { return PaginationPatch{} }),
			func(p *Patch) *decode.Field[PaginationPatch] { return &p.Pagination }, writePagination),
		apply: applyPagination, show: showPagination},
	{Name: "embedders", Path: "embedders", Verb: "PATCH", Code: apierr.CodeInvalidSettingsEmbedders,
		slot:  slotOf(embedderMap, func(p *Patch) *decode.Field[[]decode.Entry[*EmbedderPatch]] { return &p.Embedders }, writeEmbedders),
		apply: func(*Settings, *Patch, *Env) {}, show: showEmbedders}, // applied by applyEmbedders, which may fail
	{Name: "searchCutoffMs", Path: "search-cutoff-ms", Verb: "PUT", Code: apierr.CodeInvalidSettingsSearchCutoffMs,
		slot:  slotOf(decode.Uint, func(p *Patch) *decode.Field[uint64] { return &p.SearchCutoffMs }, decode.WriteUint),
		apply: applyCutoff, show: showCutoff},
	{Name: "localizedAttributes", Path: "localized-attributes", Verb: "PUT", Code: apierr.CodeInvalidSettingsLocalizedAttributes,
		slot: slotOf(decode.List(localizedObject.As(func() LocalizedAttribute { return LocalizedAttribute{} })),
			func(p *Patch) *decode.Field[[]LocalizedAttribute] { return &p.LocalizedAttributes }, writeLocalized),
		apply: applyLocalized, show: showLocalized},
	{Name: "facetSearch", Path: "facet-search", Verb: "PUT", Code: apierr.CodeInvalidSettingsFacetSearch,
		slot:  slotOf(decode.Bool, func(p *Patch) *decode.Field[bool] { return &p.FacetSearch }, decode.WriteBool),
		apply: applyFacetSearch, show: func(dst []byte, s *Settings) []byte { return decode.WriteBool(dst, s.FacetSearch, true) }},
	{Name: "prefixSearch", Path: "prefix-search", Verb: "PUT", Code: apierr.CodeInvalidSettingsPrefixSearch,
		slot:  slotOf(decode.OneOf("indexingTime", "disabled"), func(p *Patch) *decode.Field[string] { return &p.PrefixSearch }, decode.WriteString),
		apply: applyPrefixSearch, show: func(dst []byte, s *Settings) []byte { return jsonvalue.AppendString(dst, s.PrefixSearch) }},
	{Name: "chat", Path: "chat", Verb: "PATCH", Code: apierr.CodeInvalidSettingsIndexChat,
		slot:  slotOf(chatObject.As(func() ChatPatch { return ChatPatch{} }), func(p *Patch) *decode.Field[ChatPatch] { return &p.Chat }, writeChat),
		apply: applyChat, show: showChat},
}

// patchObject is the body of PATCH /settings.
var patchObject = func() *decode.Object[Patch] {
	rows := make([]decode.Row[Patch], len(table))
	for i, s := range table {
		rows[i] = decode.Custom(s.Name, s.Code, s.slot.set)
	}
	return decode.NewObject(rows...)
}()

// Describe is the row of the table of settings in the same form.
func (s *Setting) Describe() decode.Described {
	return decode.DescribeBy(s.Name, s.Code, func(at *decode.Loc, v *jsonvalue.Value) *apierr.Error { return s.Decode(new(Patch), at, v) })
}
