package ctl

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestSlowLogSendsWhatWasNamed(t *testing.T) {
	yes := true
	for _, c := range []struct {
		command            SlowLog
		method, body, says string
	}{
		{SlowLog{}, "GET", "", "b     912 ms  POST /indexes/{index_uid}/search  films  rank 900 ms, plan 2 ms"},
		{SlowLog{Threshold: 250 * time.Millisecond}, "PATCH", `{"thresholdMs":250}`, "without what they search for"},
		{SlowLog{Off: true, ShowQuery: &yes}, "PATCH", `{"showQuery":true,"thresholdMs":null}`, ""},
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			if r.URL.Path == "/cluster/slow-requests" {
				_, _ = io.WriteString(w, `{"results":[{"node":"b","at":0,"route":"POST /indexes/{index_uid}/search","indexUid":"films","took":912.4,"steps":[{"name":"plan","took":2},{"name":"rank","took":900}]}]}`)
				return
			}
			got = r.Method + " " + r.URL.Path + " " + string(b)
			_, _ = io.WriteString(w, `{"thresholdMs":250,"showQuery":false}`)
		}))
		c.command.URL = server.URL
		var out bytes.Buffer
		if err := c.command.Run(t.Context(), &out); err != nil {
			t.Error(err)
		}
		server.Close()
		if want := c.method + " /cluster/slow-log " + c.body; got != want || !strings.Contains(out.String(), c.says) {
			t.Errorf("sent %s, want %s; said %s", got, want, out.String())
		}
	}
	if err := (&SlowLog{Threshold: time.Microsecond}).Run(t.Context(), io.Discard); err == nil {
		t.Error("a threshold below a millisecond is accepted")
	}
}
