package settings

import (
	"strconv"
	"strings"

	"shoal/api/apierr"
)

// Apply lays patches over old in order and returns the new effective
// settings; old is not modified. Values that contradict each other are judged on
// the sum (spec write-api 17.3). The error is the asynchronous one, without the
// prefix that names the index (InIndex adds it).
func Apply(old *Settings, patches []*Patch, env Env) (*Settings, *apierr.Error) {
	if env.Normalize == nil {
		env.Normalize = strings.ToLower
	}
	if env.StopWord == nil {
		env.StopWord = strings.Clone
	}
	s := *old // members are replaced, never modified in place
	for _, p := range patches {
		for _, row := range table {
			if row.given(p) {
				row.apply(&s, p, &env)
			}
		}
		if err := applyEmbedders(&s, p); err != nil {
			return nil, err
		}
	}
	if t := s.TypoTolerance; t.OneTypo > t.TwoTypos {
		return nil, apierr.New(apierr.CodeInvalidSettingsTypoTolerance, minWordSizeText(uint64(t.OneTypo), uint64(t.TwoTypos)))
	}
	if err := checkChat(&s, patches, env.Templates); err != nil {
		return nil, err
	}
	return &s, nil
}

func minWordSizeText(one, two uint64) string {
	return "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: " +
		strconv.FormatUint(one, 10) + "` and twoTypos: " + strconv.FormatUint(two, 10) + "`."
}

// CheckSync is the validation of a patch that needs nothing but the patch, done
// before a task is made (spec write-api 13.3): experimental features, the mix of
// ranking rules, embedders with their templates.
func (p *Patch) CheckSync(f Features, t Templates) *apierr.Error {
	if p.ForeignKeys.IsSet() && !f.ForeignKeys {
		return apierr.FeatureNotEnabled("setting `foreignKeys` in the index settings", "foreign_keys", 873)
	}
	if p.Chat.IsSet() && !f.ChatCompletions {
		return apierr.FeatureNotEnabled("setting `chat` in the index settings", "chat completions", 835)
	}
	if err := p.checkEmbedderFeatures(f); err != nil {
		return err
	}
	if p.RankingRules.IsSet() {
		if err := mixedRankingRules(p.RankingRules.Value); err != nil {
			return err
		}
	}
	return p.checkEmbedders(t)
}

func applyDisplayed(s *Settings, p *Patch, _ *Env) {
	s.DisplayedAttributes = nil
	if p.DisplayedAttributes.IsSet() {
		s.DisplayedAttributes = withoutRepeats(p.DisplayedAttributes.Value)
	}
}

func applySearchable(s *Settings, p *Patch, _ *Env) {
	s.SearchableAttributes = nil
	if p.SearchableAttributes.IsSet() {
		s.SearchableAttributes = withoutRepeats(p.SearchableAttributes.Value)
	}
}

func applyFilterable(s *Settings, p *Patch, _ *Env) {
	s.Filterable = p.FilterableAttributes.Or(nil)
}

func applySortable(s *Settings, p *Patch, _ *Env) {
	s.Sortable = p.SortableAttributes.Or(nil)
}

func applyForeignKeys(s *Settings, p *Patch, _ *Env) {
	s.ForeignKeys = nil
	if p.ForeignKeys.IsSet() {
		s.ForeignKeys = p.ForeignKeys.Value.AppendJSON(nil)
	}
}

func applyRankingRules(s *Settings, p *Patch, _ *Env) {
	s.RankingRules = p.RankingRules.Or(DefaultRankingRules)
}

func applyStopWords(s *Settings, p *Patch, env *Env) {
	words := make([]string, 0, len(p.StopWords.Or(nil)))
	for _, w := range p.StopWords.Or(nil) {
		words = append(words, env.StopWord(w))
	}
	s.StopWords = sortedSet(words)
}

func applyNonSeparators(s *Settings, p *Patch, _ *Env) {
	s.NonSeparatorTokens = p.NonSeparatorTokens.Or(nil)
}

func applySeparators(s *Settings, p *Patch, _ *Env) {
	s.SeparatorTokens = p.SeparatorTokens.Or(nil)
}

func applyDictionary(s *Settings, p *Patch, _ *Env) {
	s.Dictionary = p.Dictionary.Or(nil)
}

func applySynonyms(s *Settings, p *Patch, _ *Env) {
	s.Synonyms = nil
	if list := p.Synonyms.Or(nil); len(list) > 0 {
		s.Synonyms = make(map[string][]string, len(list))
		for _, e := range list {
			s.Synonyms[e.Name] = e.Value
		}
	}
}

func applyDistinct(s *Settings, p *Patch, _ *Env) {
	s.DistinctAttribute = nil
	if p.DistinctAttribute.IsSet() {
		name := p.DistinctAttribute.Value
		s.DistinctAttribute = &name
	}
}

func applyProximity(s *Settings, p *Patch, _ *Env) {
	s.ProximityPrecision = p.ProximityPrecision.Or("byWord")
}

func applyTypo(s *Settings, p *Patch, env *Env) {
	t, fresh := s.TypoTolerance, Default().TypoTolerance
	if p.TypoTolerance.IsNull() {
		s.TypoTolerance = fresh
		return
	}
	c := &p.TypoTolerance.Value
	if c.Enabled.Given() {
		t.Enabled = c.Enabled.Or(fresh.Enabled)
	}
	if c.MinWordSize.IsNull() {
		t.OneTypo, t.TwoTypos = fresh.OneTypo, fresh.TwoTypos
	}
	if size := c.MinWordSize.Value; size.OneTypo.Given() {
		t.OneTypo = int(size.OneTypo.Or(uint64(fresh.OneTypo)))
	}
	if size := c.MinWordSize.Value; size.TwoTypos.Given() {
		t.TwoTypos = int(size.TwoTypos.Or(uint64(fresh.TwoTypos)))
	}
	if c.DisableOnWords.Given() {
		words := make([]string, 0, len(c.DisableOnWords.Value))
		for _, w := range c.DisableOnWords.Value {
			words = append(words, env.Normalize(w))
		}
		t.DisableOnWords = sortedSet(words)
	}
	if c.DisableOnAttributes.Given() {
		t.DisableOnAttributes = c.DisableOnAttributes.Or(nil)
	}
	if c.DisableOnNumbers.Given() {
		t.DisableOnNumbers = c.DisableOnNumbers.Or(fresh.DisableOnNumbers)
	}
	s.TypoTolerance = t
}

func applyFaceting(s *Settings, p *Patch, _ *Env) {
	fresh := Default()
	reset := p.Faceting.IsNull()
	c := &p.Faceting.Value
	if reset || c.MaxValuesPerFacet.Given() {
		s.MaxValuesPerFacet = clampInt(c.MaxValuesPerFacet.Or(uint64(fresh.MaxValuesPerFacet)))
	}
	if reset || c.SortFacetValuesBy.Given() {
		order := fresh.SortFacetValuesBy
		for _, e := range c.SortFacetValuesBy.Or(nil) {
			order[e.Name] = e.Value
		}
		s.SortFacetValuesBy = order
	}
}

func applyPagination(s *Settings, p *Patch, _ *Env) {
	c := &p.Pagination.Value
	if p.Pagination.IsNull() || c.MaxTotalHits.Given() {
		s.MaxTotalHits = clampInt(c.MaxTotalHits.Or(uint64(Default().MaxTotalHits)))
	}
}

func applyCutoff(s *Settings, p *Patch, _ *Env) {
	s.SearchCutoffMs = nil
	if p.SearchCutoffMs.IsSet() {
		ms := p.SearchCutoffMs.Value
		s.SearchCutoffMs = &ms
	}
}

func applyLocalized(s *Settings, p *Patch, _ *Env) {
	s.LocalizedAttributes = nil
	if !p.LocalizedAttributes.IsSet() {
		return
	}
	s.LocalizedAttributes = make([]LocalizedAttribute, 0, len(p.LocalizedAttributes.Value))
	for _, rule := range p.LocalizedAttributes.Value {
		codes := make([]string, len(rule.Locales))
		for i, code := range rule.Locales {
			codes[i] = Locale639_3(code)
		}
		s.LocalizedAttributes = append(s.LocalizedAttributes, LocalizedAttribute{AttributePatterns: rule.AttributePatterns, Locales: codes})
	}
}

func applyFacetSearch(s *Settings, p *Patch, _ *Env) {
	s.FacetSearch = p.FacetSearch.Or(true)
}

func applyPrefixSearch(s *Settings, p *Patch, _ *Env) {
	s.PrefixSearch = p.PrefixSearch.Or("indexingTime")
}
