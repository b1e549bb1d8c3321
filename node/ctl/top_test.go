package ctl

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// With two of three nodes dead, top printed an error after four seconds, and no node.
func TestTopShowsTheNodesWithoutALeader(t *testing.T) {
	for name, told := range map[string]string{
		"the state tells that there is none": strings.Replace(shownStatus, `"leader":"a"`, `"leader":""`, 1),
		"it goes after the state was read":   shownStatus,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/cluster/status" {
				_, _ = io.WriteString(w, told)
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"message":"no leader","code":"no_leader"}`)
		}))
		var out bytes.Buffer
		err := (&Top{Remote: Remote{URL: s.URL}, Every: 1e9, Once: true}).Run(t.Context(), &out)
		s.Close()
		const want = `serving; c does not answer; 1 shard misses copies
nobody leads, 1 indexes; the queue is not known without a leader

NODE  STATE     COPIES  IN SYNC  LAG  DOCUMENTS
a     up        2       1        0    0 B
b     draining  0       0        7    0 B
c     dead      0       0        ?    0 B

`
		if err != nil || out.String() != want {
			t.Errorf("%s: %v, got\n%s", name, err, out.String())
		}
	}
}
