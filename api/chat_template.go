package api

// ChatTemplate is the template that renders documents for chats (setting
// chat.documentTemplate).
func (s *Settings) ChatTemplate() string { return storedChat(s.Chat).DocumentTemplate.Value }

// ChatTextBytes is how long the text of one document may be.
func (s *Settings) ChatTextBytes() int {
	return int(min(storedChat(s.Chat).TemplateMaxBytes.Value, 1<<20))
}

// ChatDescription tells a model what is in the index.
func (s *Settings) ChatDescription() string { return storedChat(s.Chat).Description.Value }

// ChatSearch is a search with the parameters that the index has for chats.
func (s *Settings) ChatSearch() *SearchRequest {
	r, p := NewSearchRequest(), storedChat(s.Chat).SearchParameters.Value
	if p.Hybrid.IsSet() {
		hybrid := p.Hybrid.Value
		r.Hybrid = &hybrid
	}
	if p.Limit.IsSet() {
		r.Limit = p.Limit.Value
	}
	if p.Sort.IsSet() {
		r.Sort = p.Sort.Value
	}
	if p.Distinct.IsSet() {
		distinct := p.Distinct.Value
		r.Distinct = &distinct
	}
	if p.MatchingStrategy.IsSet() {
		r.MatchingStrategy = MatchingStrategy(p.MatchingStrategy.Value)
	}
	if p.AttributesToSearchOn.IsSet() {
		r.AttributesToSearchOn = p.AttributesToSearchOn.Value
	}
	if p.RankingScoreThreshold.IsSet() {
		threshold := p.RankingScoreThreshold.Value
		r.RankingScoreThreshold = &threshold
	}
	return r
}
