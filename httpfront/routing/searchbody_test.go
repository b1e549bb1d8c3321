package routing

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

func TestBodiesOfWaitingSearchesShareABudget(t *testing.T) {
	s := rig(Config{}, "")
	search := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/indexes/movies/search", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	if s.room.left != waitingBodies {
		t.Errorf("%d bytes are taken before anything came in", waitingBodies-s.room.left)
	}
	body := `{"q":"` + strings.Repeat("a", 1<<20) + `"}`
	s.room.left = 1 << 20
	if w := search(body); w.Code != http.StatusServiceUnavailable || w.Body.String() != string(errBodiesWaiting.AppendJSON(nil)) {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
	if s.room.left != 1<<20 {
		t.Errorf("%d bytes are lost", 1<<20-s.room.left)
	}
	s.room.left = 2 << 20
	for _, sent := range []string{body, `{"q":"small"}`, `{"q":`} {
		search(sent)
	}
	if s.room.left != 2<<20 {
		t.Errorf("%d bytes are lost", 2<<20-s.room.left)
	}
	for _, sent := range []string{body, `{"q":"small"}`} {
		if w := search(sent); w.Code != http.StatusOK || w.Body.String() != sent {
			t.Errorf("%d %.200s", w.Code, w.Body)
		}
	}
	if running, _, _ := s.queue.Figures(); running != 0 {
		t.Errorf("%d searches still run", running)
	}
}

func TestARequestWithoutAKeyIsRefusedBeforeItsBody(t *testing.T) {
	s := rig(Config{}, "a master key of the tests")
	r := httptest.NewRequest("POST", "/indexes/movies/search", iotest.ErrReader(errors.New("the body is read")))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || w.Header().Get("Connection") != "close" {
		t.Errorf("%d, connection %q: %s", w.Code, w.Header().Get("Connection"), w.Body)
	}
}
