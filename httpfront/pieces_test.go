package httpfront

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shoal/api"
)

// endless is a search whose answers have more hits than they hold: sets of two each.
type endless struct {
	*fake
	sets   int
	broken bool
	closed int
}

// restOf are the hits of one answer of endless.
type restOf struct {
	search *endless
	set    int
	open   bool
}

func (r *restOf) Next(context.Context) ([]api.Hit, error) {
	if r.set == r.search.sets {
		if r.search.broken {
			return nil, errors.New("the node is gone")
		}
		return nil, nil
	}
	r.set++
	return []api.Hit{numberedHit(2 * r.set), numberedHit(2*r.set + 1)}, nil
}

func (r *restOf) Close() {
	if r.open {
		r.open = false
		r.search.closed++
	}
}

func numberedHit(n int) api.Hit {
	return api.Hit{Document: fmt.Appendf(nil, `{"id":%d,"t":%q}`, n, strings.Repeat("lantern ", 1<<16))}
}

func (e *endless) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	found, err := e.fake.Search(ctx, uid, r)
	found.Hits, found.More = []api.Hit{numberedHit(0), numberedHit(1)}, &restOf{search: e, open: true}
	return found, err
}

func (e *endless) SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error) {
	for i := range queries {
		found, err := e.Search(ctx, queries[i].IndexUID, &queries[i].SearchRequest)
		if err != nil {
			return nil, i, err
		}
		answers = append(answers, found)
	}
	return answers, 0, nil
}

func (e *endless) Federated(context.Context, *api.FederatedRequest) (*api.FederatedResponse, error) {
	return &api.FederatedResponse{Hits: []api.Hit{numberedHit(0), numberedHit(1)}, More: &restOf{search: e, open: true}, Metadata: make([]api.QueryMetadata, 2)}, nil
}

func (e *endless) Similar(context.Context, string, *api.SimilarRequest) (*api.SimilarResponse, error) {
	return &api.SimilarResponse{Hits: []api.Hit{numberedHit(0), numberedHit(1)}, More: &restOf{search: e, open: true}, ID: "1"}, nil
}

// Hits that do not fit into the memory of an answer are sent as they come, and the answer
// is the same JSON as in one piece.
func TestALargeAnswerIsSentInPieces(t *testing.T) {
	for _, c := range []struct {
		path, body string
		parts      int
	}{
		{"/indexes/movies/search", `{}`, 1},
		{"/indexes/movies/similar", `{"id":1,"embedder":"e"}`, 1},
		{"/multi-search", `{"queries":[{"indexUid":"movies"},{"indexUid":"films"}]}`, 2},
		{"/multi-search", `{"federation":{},"queries":[{"indexUid":"movies"}]}`, 1},
	} {
		for _, coding := range []string{"", "gzip"} {
			t.Run(c.path+coding, func(t *testing.T) {
				f := &fake{}
				e := &endless{fake: f, sets: 4}
				s := httptest.NewServer(f.front(Config{}, func(p *Ports) { p.Search = e }))
				defer s.Close()
				answer, err := post(s.URL+c.path, c.body, coding)
				if err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(answer, `{"id":`); n != 10*c.parts {
					t.Errorf("%d hits", n)
				}
				if !json.Valid([]byte(answer)) || !strings.Contains(answer, `"processingTimeMs"`) {
					t.Errorf("%d bytes, end %q", len(answer), answer[max(0, len(answer)-200):])
				}
				if e.closed != c.parts {
					t.Errorf("%d of %d searches were closed", e.closed, c.parts)
				}
			})
		}
	}
}

// If the rest of an answer is lost, the client must not take it for complete.
func TestAnAnswerThatBreaksOffIsAFailedTransfer(t *testing.T) {
	f := &fake{}
	e := &endless{fake: f, sets: 4, broken: true}
	s := httptest.NewServer(f.front(Config{}, func(p *Ports) { p.Search = e }))
	defer s.Close()
	for _, coding := range []string{"", "gzip"} {
		if answer, err := post(s.URL+"/indexes/movies/search", `{}`, coding); err == nil {
			t.Errorf("%q: %d bytes and no error", coding, len(answer))
		}
	}
	if e.closed != 2 {
		t.Errorf("%d searches were closed", e.closed)
	}
	// Places of large answers are given back.
	e.broken = false
	for range 17 { // more than there are for all
		if _, err := post(s.URL+"/indexes/movies/search", `{}`, ""); err != nil {
			t.Fatal(err)
		}
	}
}

func post(url, body, coding string) (string, error) {
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Encoding", coding)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	in := io.Reader(res.Body)
	if res.Header.Get("Content-Encoding") == "gzip" {
		if in, err = gzip.NewReader(in); err != nil {
			return "", err
		}
	}
	b, err := io.ReadAll(in)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d %s", res.StatusCode, b)
	}
	return string(b), err
}
