package routing

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shoal/wire"
)

// answerAfter lets a search run that works until its context ends, turning after each of
// the parts before, and tells how long it took.
func answerAfter(t *testing.T, parts ...time.Duration) (took time.Duration, status int, body string) {
	s := rig(Config{}, "")
	row, _ := s.paths.find("/indexes/movies/search")
	row.route("POST").Serve = func(x *Exchange) error {
		if err := x.Admit(); err != nil {
			return err
		}
		for _, part := range parts {
			time.Sleep(part) // of the clock of the test
			if err := x.Turn(); err != nil {
				return err
			}
		}
		<-x.Context().Done()
		return wire.ErrUnavailable // what a node says whose stream was cut
	}
	begun := time.Now()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/indexes/movies/search", nil))
	return time.Since(begun), w.Code, w.Body.String()
}

// Filters and facets are never cut short, so a search key could keep a core busy for hours
// with a single search.
func TestASearchEndsAfterItsTime(t *testing.T) {
	for _, parts := range [][]time.Duration{nil, {50 * time.Second}, {50 * time.Second, 40 * time.Second}} {
		want := searchTime
		for _, part := range parts {
			want += part
		}
		synctest.Test(t, func(t *testing.T) {
			took, status, body := answerAfter(t, parts...)
			if took != want || status != http.StatusBadRequest || !strings.Contains(body, "search_too_long") || !strings.Contains(body, "after 60 s.") {
				t.Errorf("parts of %v: after %v %d %s; after %v, search_too_long", parts, took, status, body, want)
			}
		})
	}
}

// A large answer is sent in pieces, and holds no place in the queue meanwhile.
func TestTheTimeOfASearchStopsWhileItsClientReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := rig(Config{}, "")
		row, _ := s.paths.find("/indexes/movies/search")
		row.route("POST").Serve = func(x *Exchange) error {
			if err := x.Admit(); err != nil {
				return err
			}
			f, err := x.Flow()
			if err != nil {
				return err
			}
			for range 3 {
				if err := f.Send([]byte("a piece ")); err != nil {
					return err
				}
				time.Sleep(2 * searchTime) // of the clock of the test
				if err := f.Resume(); err != nil {
					return err
				}
				time.Sleep(searchTime / 2)
			}
			return f.End()
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/indexes/movies/search", nil))
		if got := w.Body.String(); w.Code != http.StatusOK || got != strings.Repeat("a piece ", 3) {
			t.Errorf("%d %q", w.Code, got)
		}
	})
}
