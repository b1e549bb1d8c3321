package search

import (
	"context"

	"shoal/api"
	"shoal/api/apierr"
)

// AnswerRoom is the number of bytes of hits that an answer holds. The rest is rendered while
// the answer is sent, in portions of that size. At least one document is rendered at a time.
const AnswerRoom = 4 << 20

// Bounds on the answers to one request with several queries, in bytes.
const (
	manyRoom = 16 << 20
	// manyOpen bounds the answers with hits that are not rendered yet, because each keeps its
	// sessions.
	manyOpen = 64
	// leastRoom is the least number of bytes worth rendering for.
	leastRoom = 64 << 10
)

// Pages are the hits of an answer, rendered in portions of bounded size. For one goroutine.
type Pages struct {
	count, at int
	// step is the number of hits to try next.
	step   int
	render Render
	close  func()
}

// Render renders the hits from index from to index to in about room bytes, at least one. full
// tells that some of them did not fit and are missing.
type Render func(ctx context.Context, from, to, room int) (hits []api.Hit, full bool, err error)

// NewPages returns the pages of count hits. Close calls close once.
func NewPages(count int, render Render, close func()) *Pages {
	return &Pages{count: count, step: count, render: render, close: close}
}

// Close implements api.MoreHits.
func (p *Pages) Close() {
	if p.close != nil {
		p.close()
		p.close = nil
	}
}

// Next implements api.MoreHits.
func (p *Pages) Next(ctx context.Context) ([]api.Hit, error) { return p.Fill(ctx, AnswerRoom) }

// Fill returns the next hits, as many as fit into room bytes; none when room is less than
// leastRoom.
func (p *Pages) Fill(ctx context.Context, room int) ([]api.Hit, error) {
	if p.at == p.count || room < leastRoom {
		return nil, nil
	}
	for n := min(p.step, p.count-p.at); ; {
		hits, full, err := p.render(ctx, p.at, p.at+n, room)
		if err != nil {
			return nil, err
		}
		if !full || n == 1 {
			p.at += n
			p.pace(n, sizeOf(hits), room)
			return hits, nil
		}
		// Those that fit are not the first ones of the list, but their number tells how many to
		// try.
		n = max(1, min(n-1, rendered(hits)*3/4))
	}
}

// pace chooses the next step after n hits took size bytes.
func (p *Pages) pace(n, size, room int) {
	p.step = max(1, min(4*n+16, n*(room/4*3)/max(size, 1)))
}

// More returns the pages as the rest of an answer, nil when nothing is left.
func (p *Pages) More() api.MoreHits {
	if p.at == p.count {
		return nil
	}
	return p
}

func sizeOf(hits []api.Hit) (bytes int) {
	for i := range hits {
		h := &hits[i]
		bytes += len(h.Document) + len(h.Formatted) + len(h.MatchesPosition) + len(h.RankingScoreDetails) + sizeOf(h.Group)
	}
	return bytes
}

func rendered(hits []api.Hit) (n int) {
	for i := range hits {
		if hits[i].Document != nil {
			n++
		}
	}
	return n
}

// Tally bounds the answers of one request together. The zero value is ready.
type Tally struct{ bytes, open int }

// Room is the number of bytes of hits that the next answer may hold.
func (t *Tally) Room() int { return min(AnswerRoom, manyRoom-t.bytes) }

// Add counts an answer. It fails when too many answers are incomplete.
func (t *Tally) Add(answer *api.SearchResponse) error {
	t.bytes += sizeOf(answer.Hits)
	if f := answer.Facets; f != nil {
		for i := range f.Distribution {
			for j := range f.Distribution[i].Values {
				t.bytes += len(f.Distribution[i].Values[j].Value) + 24
			}
		}
	}
	if answer.More == nil && t.bytes <= 2*manyRoom {
		return nil
	}
	if t.open++; t.open > manyOpen {
		return apierr.AnswerTooLarge()
	}
	return nil
}
