package httpfront

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"shoal/api/decode"
)

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"120", "", 2 * time.Minute},
		{" 7 ", "", 7 * time.Second},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "", 30 * time.Second},
		// Its clock is an hour behind ours.
		{"Sun, 01 Mar 2026 11:00:30 GMT", "Sun, 01 Mar 2026 11:00:00 GMT", 30 * time.Second},
		{"Sun, 01 Mar 2026 11:00:30 GMT", "", 0},
		{"-1", "", 0},
		{"soon", "", 0},
		{"99999999999999999999", "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.after)
		h.Set("Date", c.date)
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%q at %q is %v, want %v", c.after, c.date, got, c.want)
		}
	}
}

func TestAnAnswerTellsWhenToAskAgain(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer s.Close()
	out, err := NewOutbound([]string{"any"})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if reply, err := out.Ask(t.Context(), s.URL, nil, nil, 10); err != nil || reply.Status != 429 || reply.RetryAfter != 9*time.Second {
		t.Errorf("%+v %v", reply, err)
	}
}

// A webhook with the header Host reached a gateway under the host of its URL.
func TestHeadersOfAWebhookOverrideTheHost(t *testing.T) {
	var host string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { host = r.Host }))
	defer s.Close()
	out, err := NewOutbound([]string{"any"})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	headers := []decode.Entry[string]{{Name: "host", Value: "hooks.example"}}
	if _, _, err := out.Post(t.Context(), s.URL, headers, nil, 0); err != nil || host != "hooks.example" {
		t.Errorf("%q %v", host, err)
	}
}
