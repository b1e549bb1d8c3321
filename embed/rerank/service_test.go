package rerank

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
)

// server is a service of our own, and what it was sent.
type server struct {
	replies []api.Reply // one a call, the last one again and again
	err     error
	bodies  []string
	pauses  []time.Duration
}

func (s *server) service() *Service {
	return New(Config{
		Key: "secret", URL: "http://rerank", Model: "m",
		Post: func(_ context.Context, url string, headers []decode.Entry[string], body []byte, _ int64) (api.Reply, error) {
			s.bodies = append(s.bodies, url+" "+headers[0].Value+" "+string(body))
			if s.err != nil {
				return api.Reply{}, s.err
			}
			reply := s.replies[0]
			if len(s.replies) > 1 {
				s.replies = s.replies[1:]
			}
			return reply, nil
		},
		Sleep: func(_ context.Context, d time.Duration) bool {
			s.pauses = append(s.pauses, d)
			return true
		},
	})
}

func ok(body string) []api.Reply { return []api.Reply{{Status: 200, Body: []byte(body)}} }

func page(pinned ...int) Page {
	p := Page{UserContext: "likes cats"}
	for i := range 4 {
		p.Hits = append(p.Hits, api.Hit{Document: []byte(`{"id":` + strconv.Itoa(i) + `}`)})
	}
	for _, i := range pinned {
		p.Hits[i].Pinned = true
	}
	return p
}

func ids(hits []api.Hit) string {
	var out []string
	for i := range hits {
		out = append(out, strings.Trim(string(hits[i].Document), `{}"id:`))
	}
	return strings.Join(out, " ")
}

func TestHitsComeInTheOrderOfTheServerAndNoneIsLost(t *testing.T) {
	for _, c := range []struct {
		answer string
		pinned []int
		want   string
	}{
		{`{"results":[{"index":3,"relevance_score":0.9},{"index":1},{"index":0},{"index":2}]}`, nil, "3 1 0 2"},
		{`{"results":[{"index":2}]}`, nil, "2 0 1 3"},
		{`{"results":[]}`, nil, "0 1 2 3"},
		{`{"results":[{"index":2},{"index":2},{"index":9},{"index":4294967295}]}`, nil, "2 0 1 3"},
		{`{"results":[{"index":2},{"index":1},{"index":0}]}`, []int{0}, "0 3 2 1"},
		{`{"results":[{"index":1},{"index":0}]}`, []int{1, 2}, "3 1 2 0"},
	} {
		s := &server{replies: ok(c.answer)}
		hits, err := s.service().Rerank(t.Context(), page(c.pinned...))
		if err != nil || ids(hits) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.answer, ids(hits), c.want, err)
		}
	}
}

func TestTheServerIsToldWhatTheReferenceTells(t *testing.T) {
	s := &server{replies: ok(`{"results":[]}`)}
	q := `a "cat"`
	p := page(1, 2, 3)
	p.Query = &q
	if _, err := s.service().Rerank(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.Query = nil
	if _, err := s.service().Rerank(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`http://rerank Bearer secret {"query":"User Context: likes cats\nQuery: a \"cat\"","documents":["{\"id\":0}"],"model":"m"}`,
		`http://rerank Bearer secret {"query":"User Context: likes cats","documents":["{\"id\":0}"],"model":"m"}`,
	} {
		if s.bodies[i] != want {
			t.Errorf("it was sent %s\nwant %s", s.bodies[i], want)
		}
	}
}

func TestFailuresOfTheServerAreToldAsByTheReference(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		calls  int
		code   apierr.Code
		want   string
	}{
		{400, "no", 1, apierr.CodeRemoteBadRequest, "Bad request: no"},
		{401, "no", 1, apierr.CodeRemoteInvalidAPIKey, "Unauthorized: invalid API key"},
		{404, "no", 1, apierr.CodeRemoteBadResponse, "Cohere API error: Status 404: no"},
		{429, "no", 11, apierr.CodeTooManySearchRequests, "Rate limited: too many requests"},
		{503, "no", 11, apierr.CodeRemoteRemoteError, "Internal server error: Status 503: no"},
		{302, "no", 11, apierr.CodeRemoteBadResponse, "Cohere API error: Unexpected status 302: no"},
		{200, `{"data":[]}`, 11, apierr.CodeRemoteBadResponse, "Failed to parse response: Failed to parse response: missing field `results`"},
		{200, `{"results":[{"index":-1}]}`, 11, apierr.CodeRemoteBadResponse, "Failed to parse response: Failed to parse response: result 0 has no `index`"},
		{200, `{"results":[{"index":"1"}]}`, 11, apierr.CodeRemoteBadResponse, "Failed to parse response: Failed to parse response: result 0 has no `index`"},
		{200, `{"results":[7]}`, 11, apierr.CodeRemoteBadResponse, "Failed to parse response: Failed to parse response: result 0 has no `index`"},
	} {
		s := &server{replies: []api.Reply{{Status: c.status, Body: []byte(c.body)}}}
		_, err := s.service().Rerank(t.Context(), page())
		var known *apierr.Error
		if !errors.As(err, &known) || known.Code.Name != c.code.Name || known.Message != "Personalization service: "+c.want || len(s.bodies) != c.calls {
			t.Errorf("%d %s: %v after %d calls", c.status, c.body, err, len(s.bodies))
		}
	}
	s := &server{err: errors.New("refused")}
	if _, err := s.service().Rerank(t.Context(), page()); err == nil || err.Error() != "Personalization service: Network error: Network error: refused" {
		t.Errorf("a server that cannot be reached: %v", err)
	}
}

func TestAServerThatFailsForAWhileIsAskedAgain(t *testing.T) {
	s := &server{replies: append([]api.Reply{{Status: 429, RetryAfter: time.Second}, {Status: 500}}, ok(`{"results":[{"index":1}]}`)...)}
	hits, err := s.service().Rerank(t.Context(), page())
	if err != nil || ids(hits) != "1 0 2 3" || len(s.pauses) != 2 || s.pauses[0] != time.Second {
		t.Errorf("%s %v after %v", ids(hits), err, s.pauses)
	}
}

// Ending a search in time matters more than the order of its hits.
func TestHitsKeepTheirOrderWhenTheTimeIsUp(t *testing.T) {
	s := &server{replies: []api.Reply{{Status: 500}}}
	late := page()
	late.Until = time.Now().Add(-time.Second)
	if hits, err := s.service().Rerank(t.Context(), late); err != nil || ids(hits) != "0 1 2 3" || len(s.bodies) > 0 {
		t.Errorf("%s %v after %d calls", ids(hits), err, len(s.bodies))
	}
	soon := page()
	soon.Until = time.Now().Add(time.Minute)
	s.replies = []api.Reply{{Status: 503, RetryAfter: time.Hour}}
	if hits, err := s.service().Rerank(t.Context(), soon); err != nil || ids(hits) != "0 1 2 3" || len(s.bodies) != 1 {
		t.Errorf("%s %v after %d calls", ids(hits), err, len(s.bodies))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.service().Rerank(gone, page()); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left: %v", err)
	}
}

func TestAPageThatIsTooLargeIsRefused(t *testing.T) {
	s := &server{replies: ok(`{"results":[]}`)}
	many := Page{Hits: make([]api.Hit, MaxHits+1)}
	large := page()
	large.Hits[0].Document = make([]byte, MaxBytes+1)
	for _, p := range []Page{many, large} {
		var known *apierr.Error
		if _, err := s.service().Rerank(t.Context(), p); !errors.As(err, &known) || known.Code.Name != apierr.CodePayloadTooLarge.Name || len(s.bodies) > 0 {
			t.Errorf("%v after %d calls", err, len(s.bodies))
		}
	}
	if _, err := s.service().Rerank(t.Context(), Page{Hits: make([]api.Hit, MaxHits)}); err != nil {
		t.Errorf("a page of %d hits: %v", MaxHits, err)
	}
}
