package api

// Setting is one row of the table of settings: its public names, how a patch of
// it is read, shown and applied. The routes, bodies, details and answers of
// settings all come from the table. Rows are immutable.
type Setting struct {
	Name string // in bodies and answers
	Path string // of its route, behind /settings/
	Verb string // of its update: PUT or PATCH
	Code Code   // of errors in its value

	slot patchSlot
	// apply lays the patch's given value over s.
	apply func(s *Settings, p *SettingsPatch, env *SettingsEnv)
	// show appends the value that clients see.
	show func(dst []byte, s *Settings) []byte
}

// patchSlot reaches the member of a SettingsPatch that belongs to a setting.
type patchSlot struct {
	set         func(p *SettingsPatch, at *Loc, v *Value) *Error
	reset       func(p *SettingsPatch)
	given       func(p *SettingsPatch) bool
	take        func(p, from *SettingsPatch)
	appendPatch func(dst []byte, p *SettingsPatch, masked bool) []byte
}

// SettingsEnv is what applying settings needs from elsewhere.
type SettingsEnv struct {
	// Normalize gives the form in which words are indexed; used for
	// disableOnWords.
	Normalize func(word string) string
	// StopWord gives the form in which a stop word is kept and shown.
	StopWord  func(word string) string
	Templates Templates
}

// SettingsTable lists the settings in public order. The slice is shared.
func SettingsTable() []*Setting { return settingsTable }

// Decode reads the setting's value (or null) from a body into p.
func (s *Setting) Decode(p *SettingsPatch, at *Loc, v *Value) *Error { return s.slot.set(p, at, v) }

// Reset makes p reset the setting.
func (s *Setting) Reset(p *SettingsPatch) { s.slot.reset(p) }

// AppendPublic appends the effective value as GET shows it, secrets masked.
func (s *Setting) AppendPublic(dst []byte, settings *Settings) []byte { return s.show(dst, settings) }

func (s *Setting) given(p *SettingsPatch) bool { return s.slot.given(p) }

func (s *Setting) take(p, from *SettingsPatch) { s.slot.take(p, from) }

func (s *Setting) appendPatch(dst []byte, p *SettingsPatch, masked bool) []byte {
	return s.slot.appendPatch(dst, p, masked)
}

// slotOf builds the accessors of a member; write appends a given value.
func slotOf[T any](dec Decoder[T], member func(*SettingsPatch) *Field[T], write func(dst []byte, t T, masked bool) []byte) patchSlot {
	return patchSlot{
		set: func(p *SettingsPatch, at *Loc, v *Value) *Error {
			if v.IsNull() {
				*member(p) = Null[T]()
				return nil
			}
			t, err := dec(at, v)
			if err == nil {
				*member(p) = Set(t)
			}
			return err
		},
		reset: func(p *SettingsPatch) { *member(p) = Null[T]() },
		given: func(p *SettingsPatch) bool { return member(p).Given() },
		take:  func(p, from *SettingsPatch) { *member(p) = *member(from) },
		appendPatch: func(dst []byte, p *SettingsPatch, masked bool) []byte {
			f := member(p)
			if !f.IsSet() {
				return append(dst, "null"...)
			}
			return write(dst, f.Value, masked)
		},
	}
}

// wildcardSlot is the slot of displayedAttributes and searchableAttributes.
func wildcardSlot(member func(*SettingsPatch) *Field[[]string]) patchSlot {
	slot := slotOf(Strings, member, writeStrings)
	slot.set = func(p *SettingsPatch, at *Loc, v *Value) *Error {
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
	slot.appendPatch = func(dst []byte, p *SettingsPatch, _ bool) []byte {
		if f := member(p); f.IsSet() {
			return writeStrings(dst, f.Value, false)
		}
		return append(dst, `["*"]`...)
	}
	return slot
}

var settingsTable = []*Setting{
	{Name: "displayedAttributes", Path: "displayed-attributes", Verb: "PUT", Code: CodeInvalidSettingsDisplayedAttributes,
		slot:  wildcardSlot(func(p *SettingsPatch) *Field[[]string] { return &p.DisplayedAttributes }),
		apply: applyDisplayed, show: func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.DisplayedAttributes) }},
	{Name: "searchableAttributes", Path: "searchable-attributes", Verb: "PUT", Code: CodeInvalidSettingsSearchableAttributes,
		slot:  wildcardSlot(func(p *SettingsPatch) *Field[[]string] { return &p.SearchableAttributes }),
		apply: applySearchable, show: func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.SearchableAttributes) }},
	{Name: "filterableAttributes", Path: "filterable-attributes", Verb: "PUT", Code: CodeInvalidSettingsFilterableAttributes,
		slot:  slotOf(List(filterableRule), func(p *SettingsPatch) *Field[[]FilterableRule] { return &p.FilterableAttributes }, writeFilterable),
		apply: applyFilterable, show: func(dst []byte, s *Settings) []byte { return writeFilterable(dst, s.Filterable, true) }},
	{Name: "sortableAttributes", Path: "sortable-attributes", Verb: "PUT", Code: CodeInvalidSettingsSortableAttributes,
		slot:  slotOf(StringSet, func(p *SettingsPatch) *Field[[]string] { return &p.SortableAttributes }, writeStrings),
		apply: applySortable, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.Sortable, true) }},
	{Name: "foreignKeys", Path: "foreign-keys", Verb: "PUT", Code: CodeInvalidSettingsForeignKeys,
		slot:  slotOf(foreignKeys, func(p *SettingsPatch) *Field[Value] { return &p.ForeignKeys }, writeValue),
		apply: applyForeignKeys, show: func(dst []byte, s *Settings) []byte { return showRaw(dst, s.ForeignKeys, "[]") }},
	{Name: "rankingRules", Path: "ranking-rules", Verb: "PUT", Code: CodeInvalidSettingsRankingRules,
		slot:  slotOf(List(rankingRule), func(p *SettingsPatch) *Field[[]string] { return &p.RankingRules }, writeStrings),
		apply: applyRankingRules, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.RankingRules, true) }},
	{Name: "stopWords", Path: "stop-words", Verb: "PUT", Code: CodeInvalidSettingsStopWords,
		slot:  slotOf(StringSet, func(p *SettingsPatch) *Field[[]string] { return &p.StopWords }, writeStrings),
		apply: applyStopWords, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.StopWords, true) }},
	{Name: "nonSeparatorTokens", Path: "non-separator-tokens", Verb: "PUT", Code: CodeInvalidSettingsNonSeparatorTokens,
		slot:  slotOf(StringSet, func(p *SettingsPatch) *Field[[]string] { return &p.NonSeparatorTokens }, writeStrings),
		apply: applyNonSeparators, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.NonSeparatorTokens, true) }},
	{Name: "separatorTokens", Path: "separator-tokens", Verb: "PUT", Code: CodeInvalidSettingsSeparatorTokens,
		slot:  slotOf(StringSet, func(p *SettingsPatch) *Field[[]string] { return &p.SeparatorTokens }, writeStrings),
		apply: applySeparators, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.SeparatorTokens, true) }},
	{Name: "dictionary", Path: "dictionary", Verb: "PUT", Code: CodeInvalidSettingsDictionary,
		slot:  slotOf(StringSet, func(p *SettingsPatch) *Field[[]string] { return &p.Dictionary }, writeStrings),
		apply: applyDictionary, show: func(dst []byte, s *Settings) []byte { return writeStrings(dst, s.Dictionary, true) }},
	{Name: "synonyms", Path: "synonyms", Verb: "PUT", Code: CodeInvalidSettingsSynonyms,
		slot:  slotOf(synonymMap, func(p *SettingsPatch) *Field[[]Entry[[]string]] { return &p.Synonyms }, writeSynonyms),
		apply: applySynonyms, show: showSynonyms},
	{Name: "distinctAttribute", Path: "distinct-attribute", Verb: "PUT", Code: CodeInvalidSettingsDistinctAttribute,
		slot:  slotOf(String, func(p *SettingsPatch) *Field[string] { return &p.DistinctAttribute }, writeString),
		apply: applyDistinct, show: showDistinct},
	{Name: "proximityPrecision", Path: "proximity-precision", Verb: "PUT", Code: CodeInvalidSettingsProximityPrecision,
		slot:  slotOf(OneOf("byWord", "byAttribute"), func(p *SettingsPatch) *Field[string] { return &p.ProximityPrecision }, writeString),
		apply: applyProximity, show: func(dst []byte, s *Settings) []byte { return AppendString(dst, s.ProximityPrecision) }},
	{Name: "typoTolerance", Path: "typo-tolerance", Verb: "PATCH", Code: CodeInvalidSettingsTypoTolerance,
		slot: slotOf(typoObject.As(func() TypoPatch { return TypoPatch{} }),
			func(p *SettingsPatch) *Field[TypoPatch] { return &p.TypoTolerance }, writeTypo),
		apply: applyTypo, show: showTypo},
	{Name: "faceting", Path: "faceting", Verb: "PATCH", Code: CodeInvalidSettingsFaceting,
		slot: slotOf(facetingObject.As(func() FacetingPatch { return FacetingPatch{} }),
			func(p *SettingsPatch) *Field[FacetingPatch] { return &p.Faceting }, writeFaceting),
		apply: applyFaceting, show: showFaceting},
	{Name: "pagination", Path: "pagination", Verb: "PATCH", Code: CodeInvalidSettingsPagination,
		slot: slotOf(paginationObject.As(func() PaginationPatch { return PaginationPatch{} }),
			func(p *SettingsPatch) *Field[PaginationPatch] { return &p.Pagination }, writePagination),
		apply: applyPagination, show: showPagination},
	{Name: "embedders", Path: "embedders", Verb: "PATCH", Code: CodeInvalidSettingsEmbedders,
		slot:  slotOf(embedderMap, func(p *SettingsPatch) *Field[[]Entry[*EmbedderPatch]] { return &p.Embedders }, writeEmbedders),
		apply: func(*Settings, *SettingsPatch, *SettingsEnv) {}, show: showEmbedders}, // applied by applyEmbedders, which may fail
	{Name: "searchCutoffMs", Path: "search-cutoff-ms", Verb: "PUT", Code: CodeInvalidSettingsSearchCutoffMs,
		slot:  slotOf(Uint, func(p *SettingsPatch) *Field[uint64] { return &p.SearchCutoffMs }, writeUint),
		apply: applyCutoff, show: showCutoff},
	{Name: "localizedAttributes", Path: "localized-attributes", Verb: "PUT", Code: CodeInvalidSettingsLocalizedAttributes,
		slot: slotOf(List(localizedObject.As(func() LocalizedAttribute { return LocalizedAttribute{} })),
			func(p *SettingsPatch) *Field[[]LocalizedAttribute] { return &p.LocalizedAttributes }, writeLocalized),
		apply: applyLocalized, show: showLocalized},
	{Name: "facetSearch", Path: "facet-search", Verb: "PUT", Code: CodeInvalidSettingsFacetSearch,
		slot:  slotOf(Bool, func(p *SettingsPatch) *Field[bool] { return &p.FacetSearch }, writeBool),
		apply: applyFacetSearch, show: func(dst []byte, s *Settings) []byte { return writeBool(dst, s.FacetSearch, true) }},
	{Name: "prefixSearch", Path: "prefix-search", Verb: "PUT", Code: CodeInvalidSettingsPrefixSearch,
		slot:  slotOf(OneOf("indexingTime", "disabled"), func(p *SettingsPatch) *Field[string] { return &p.PrefixSearch }, writeString),
		apply: applyPrefixSearch, show: func(dst []byte, s *Settings) []byte { return AppendString(dst, s.PrefixSearch) }},
	{Name: "chat", Path: "chat", Verb: "PATCH", Code: CodeInvalidSettingsIndexChat,
		slot:  slotOf(chatObject.As(func() ChatPatch { return ChatPatch{} }), func(p *SettingsPatch) *Field[ChatPatch] { return &p.Chat }, writeChat),
		apply: applyChat, show: showChat},
}

// settingsObject is the body of PATCH /settings.
var settingsObject = func() *Object[SettingsPatch] {
	rows := make([]Row[SettingsPatch], len(settingsTable))
	for i, s := range settingsTable {
		rows[i] = Custom(s.Name, s.Code, s.slot.set)
	}
	return NewObject(rows...)
}()

// Describe is the row of the table of settings in the same form.
func (s *Setting) Describe() Described {
	return probe(s.Name, s.Code, func(at *Loc, v *Value) *Error { return s.Decode(new(SettingsPatch), at, v) })
}
