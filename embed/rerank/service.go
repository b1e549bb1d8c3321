package rerank

import (
	"context"
	"errors"
	"strconv"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/embed/retry"
)

// The default service.
const (
	DefaultURL   = "https://api.cohere.ai/v1/rerank"
	DefaultModel = "rerank-english-v3.0"
)

// Limits of a reranked page. The search holds its place in the queue meanwhile.
const (
	// MaxHits and MaxBytes bound the hits of a page and their total size.
	MaxHits  = 1000
	MaxBytes = 4 << 20
	// callTime bounds one call, wholeTime all calls and pauses for one page.
	callTime  = 5 * time.Second
	wholeTime = 10 * time.Second
	// retries is how often a failed call is repeated, longestPause the longest pause before
	// a repetition.
	retries      = 10
	longestPause = time.Second
	// maxAnswer bounds the server's answer, in bytes.
	maxAnswer = 1 << 20
)

// Config configures a Service.
type Config struct {
	// Post sends body to url and returns the answer, of which it reads at most limit bytes.
	Post func(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (api.Reply, error)
	// Key is sent as a bearer token. URL and Model name the server and its model.
	Key, URL, Model string
	// Sleep replaces the clock in tests; see retry.Policy.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// Service reranks hits. Safe for concurrent use.
type Service struct {
	cfg     Config
	headers []decode.Entry[string]
	retry   retry.Policy
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{
		cfg:     c,
		headers: []decode.Entry[string]{{Name: "Authorization", Value: "Bearer " + c.Key}, {Name: "Content-Type", Value: "application/json"}},
		retry:   retry.Policy{Times: retries, Longest: longestPause, Sleep: c.Sleep},
	}
}

// Page is the page to rerank.
type Page struct {
	Hits []api.Hit
	// UserContext describes the user. Query is the search's text, or nil if the server is
	// not told.
	UserContext string
	Query       *string
	// Until is when the search should be over, zero for never. If the server has failed by
	// then, hits keep their order.
	Until time.Time
}

// Rerank returns the hits of a page in the server's order. Pinned hits keep their places.
// Hits that the server does not name come after those that it names. The result reuses the
// hits of the page, which must not be used any more. Errors: *apierr.Error, or that of ctx.
func (s *Service) Rerank(ctx context.Context, p Page) ([]api.Hit, error) {
	var free []int // places of hits that are not pinned
	size := 0
	for i := range p.Hits {
		size += len(p.Hits[i].Document)
		if !p.Hits[i].Pinned {
			free = append(free, i)
		}
	}
	if len(p.Hits) > MaxHits || size > MaxBytes {
		return nil, apierr.PageTooLargeToRerank(MaxHits, MaxBytes)
	}
	now := time.Now()
	if len(free) == 0 || !p.Until.IsZero() && !now.Before(p.Until) {
		return p.Hits, nil
	}
	until := now.Add(wholeTime)
	if !p.Until.IsZero() && p.Until.Before(until) {
		until = p.Until
	}
	order, err := s.ask(ctx, s.body(&p, free), until)
	if err != nil || order == nil {
		return p.Hits, err
	}
	return arrange(p.Hits, free, order), nil
}

// arrange puts the hits of the free places into the server's order.
func arrange(hits []api.Hit, free []int, order []uint64) []api.Hit {
	out := append([]api.Hit(nil), hits...)
	used := make([]bool, len(free))
	next := 0
	put := func(k int) {
		if !used[k] {
			used[k] = true
			out[free[next]] = hits[free[k]]
			next++
		}
	}
	for _, k := range order {
		if k < uint64(len(free)) {
			put(int(k))
		}
	}
	for k := range free {
		put(k)
	}
	return out
}

// body is the request to the server.
func (s *Service) body(p *Page, free []int) []byte {
	query := "User Context: " + p.UserContext
	if p.Query != nil {
		query += "\nQuery: " + *p.Query
	}
	b := jsonvalue.AppendString([]byte(`{"query":`), query)
	b = append(b, `,"documents":[`...)
	for n, i := range free {
		if n > 0 {
			b = append(b, ',')
		}
		b = jsonvalue.AppendString(b, string(p.Hits[i].Document))
	}
	b = jsonvalue.AppendString(append(b, `],"model":`...), s.cfg.Model)
	return append(b, '}')
}

// ask returns the server's order, or nil if there is none in time.
func (s *Service) ask(ctx context.Context, body []byte, until time.Time) ([]uint64, error) {
	pauses, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for attempt := 0; ; attempt++ {
		call, cancel := context.WithTimeout(ctx, callTime)
		order, fault := s.call(call, body)
		cancel()
		switch {
		case fault == nil:
			return order, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case pauses.Err() != nil:
			return nil, nil
		case !fault.again:
			return nil, fault.API()
		}
		if !s.retry.Wait(pauses, retry.Failure{Attempt: attempt, TooMany: fault.tooMany, After: fault.after}) {
			if attempt >= retries {
				return nil, fault.API()
			}
			return nil, nil
		}
	}
}

// call makes one call.
func (s *Service) call(ctx context.Context, body []byte) ([]uint64, *fault) {
	reply, err := s.cfg.Post(ctx, s.cfg.URL, s.headers, body, maxAnswer)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, unreachable("Request timeout: the server did not answer within " + callTime.String())
	case err != nil:
		return nil, unreachable("Network error: " + err.Error())
	case reply.Status/100 == 2:
		return places(reply.Body)
	}
	return nil, refusal(&reply)
}

// places reads the positions of documents from an answer.
func places(answer []byte) ([]uint64, *fault) {
	v, err := jsonvalue.Parse(answer)
	if err != nil {
		return nil, unreadable(err.Error())
	}
	results := v.Get("results")
	if results == nil || results.Kind() != jsonvalue.KindArray {
		return nil, unreadable("missing field `results`")
	}
	order := make([]uint64, 0, results.Len())
	for i := range results.Members() {
		index := results.Members()[i].Value.Get("index")
		if index == nil || !isPlace(index) {
			return nil, unreadable("result " + strconv.Itoa(i) + " has no `index`")
		}
		order = append(order, index.Uint())
	}
	return order, nil
}

func isPlace(v *jsonvalue.Value) bool {
	_, err := strconv.ParseUint(v.JSON(), 10, 32)
	return err == nil
}
