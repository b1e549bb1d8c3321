package httpfront

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Searches as people type are given up when the next letter comes. Each counted as a failed
// request, so that "shoal check" warned of a node without a fault.
func TestARequestThatItsClientGaveUpIsNoFailure(t *testing.T) {
	s := (&fake{}).front(Config{})
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		r := httptest.NewRequest("POST", "/indexes/movies/search", strings.NewReader("{}")).WithContext(ctx)
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	if o := s.Metrics.Outcomes(time.Now()); o.Requests != 10 || o.Failed != 0 {
		t.Errorf("%d of %d requests count as failed", o.Failed, o.Requests)
	}
	// A fault that a client was told of counts.
	if w := call(t, s, "POST", "/indexes/panics/search", "{}"); w.Code != 500 {
		t.Errorf("a fault: %d", w.Code)
	}
	if o := s.Metrics.Outcomes(time.Now()); o.Failed != 1 {
		t.Errorf("%d requests count as failed, not the one with a fault", o.Failed)
	}
}
