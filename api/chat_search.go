package api

import "shoal/api/settings"

// NewChatSearch returns a search with the index's parameters for chats.
func NewChatSearch(s *settings.Settings) *SearchRequest {
	r, p := NewSearchRequest(), s.ChatSearch()
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
