package ctl

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A node with an old copy of its data had the same version by another delta, and nothing
// was compared with it.
func TestVerifyTellsOfTwoHistories(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	copyOf := func(version int, delta, sum string) string {
		return fmt.Sprintf(`{"index":"films","indexId":1,"shard":0,"version":%d,"delta":%q,"keys":9,"sum":%q}`, version, delta, sum)
	}
	for _, c := range []struct {
		name, a, b string
		code       int
		says       string
	}{
		{"the same", copyOf(7, "d7", "s"), copyOf(7, "d7", "s"), 0, "everything is as it was written"},
		{"one is behind", copyOf(7, "d7", "s"), copyOf(6, "d6", "r"), 0, "everything is as it was written"},
		{"other content", copyOf(7, "d7", "s"), copyOf(7, "d7", "r"), 1, "DIFFERS shard 0 of films at version 7: a has 9 keys"},
		{"two histories", copyOf(7, "d7", "s"), copyOf(7, "e7", "s"), 1, "DIVERGED shard 0 of films at version 7: a has it by delta d7, b by delta e7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				copied := map[string]string{"a": c.a, "b": c.b}
				if node := r.URL.Query().Get("node"); node != "" {
					fmt.Fprintf(w, `{"node":%q,"copies":[%s]}`, node, copied[node])
					return
				}
				fmt.Fprint(w, healthy)
			}))
			defer s.Close()
			var out strings.Builder
			err := (&Remote{URL: s.URL}).Verify(t.Context(), "", &out)
			var status *Status
			if errors.As(err, &status) != (c.code != 0) || status != nil && status.Code != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("%v, and it says\n%s", err, out.String())
			}
		})
	}
}
