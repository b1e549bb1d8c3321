package httpfront

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"shoal/api/apierr"
)

// TestASearchBodyIsParsedBeforeItIsAdmitted: with a full queue not even a wrong body
// is looked at.
func TestASearchBodyIsParsedBeforeItIsAdmitted(t *testing.T) {
	none := 0
	s := (&fake{}).front(Config{SearchesRunning: 1, SearchQueueSize: &none})
	p, err := s.queue.enter(context.Background(), client{host: "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	const broken = `{"q":`
	full := apierr.TooManySearchRequests(0).Message
	for _, path := range []string{"/indexes/movies/search", "/indexes/movies/facet-search", "/indexes/movies/similar", "/multi-search"} {
		expectError(t, call(t, s, "POST", path, broken), 503, apierr.CodeTooManySearchRequests, full)
	}
	for _, path := range []string{"/indexes/movies/search?limit=x", "/indexes/movies/similar?limit=x"} {
		expectError(t, call(t, s, "GET", path, ""), 503, apierr.CodeTooManySearchRequests, full)
	}
	p.leave()
	for _, path := range []string{"/indexes/movies/search", "/indexes/movies/facet-search", "/indexes/movies/similar", "/multi-search"} {
		if w := call(t, s, "POST", path, broken); w.Code != 400 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if running, _, _ := s.queue.figures(); running != 0 {
		t.Errorf("%d searches still run", running)
	}
	if s.room.left != waitingBodies {
		t.Errorf("%d bytes of bodies are lost", waitingBodies-s.room.left)
	}
}

func TestBodiesOfSearchesThatWaitShareTheirRoom(t *testing.T) {
	s := (&fake{}).front(Config{})
	body := `{"q":"` + strings.Repeat("a", 1<<20) + `"}`
	s.room.left = 1 << 20
	expectError(t, call(t, s, "POST", "/indexes/movies/search", body), 503, apierr.CodeTooManySearchRequests, errBodiesWaiting.Message)
	if s.room.left != 1<<20 {
		t.Errorf("%d bytes are lost", 1<<20-s.room.left)
	}
	s.room.left = 2 << 20
	if w := call(t, s, "POST", "/indexes/movies/search", body); w.Code != 200 {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
	if w := call(t, s, "POST", "/indexes/movies/search", `{"q":"small"}`); w.Code != 200 {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}

func TestAMultiSearchHasAtMost1000Queries(t *testing.T) {
	s := (&fake{}).front(Config{})
	queries := func(n int) string {
		return `{"queries":[` + strings.TrimSuffix(strings.Repeat(`{"indexUid":"movies"},`, n), ",") + `]}`
	}
	expectError(t, call(t, s, "POST", "/multi-search", queries(maxQueries+1)), 413, apierr.CodePayloadTooLarge,
		fmt.Sprintf("A multi-search has at most %d queries, but found %d: send them in several requests.", maxQueries, maxQueries+1))
	if w := call(t, s, "POST", "/multi-search", queries(maxQueries)); w.Code != 200 {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}
