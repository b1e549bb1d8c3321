package ctl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// With a bucket it said that the snapshot is in the folder of each node, and without one it
// is on the leader only.
func TestSnapshotSaysWhereTheSnapshotIs(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for place, says := range map[string]string{"s3://backups/shoal": "The snapshot is in s3://backups/shoal.", "": "in the --snapshot-dir of the node that led (a leads now)"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := `{"uid":1,"taskUid":1,"status":"succeeded"}`
			if r.URL.Path == "/cluster/status" {
				answer = `{"leader":"a","snapshots":"` + place + `","nodes":[],"indexes":[]}`
			}
			_, _ = io.WriteString(w, answer)
		}))
		var out strings.Builder
		if err := (&Snapshot{Remote: Remote{URL: s.URL}}).Run(t.Context(), &out); err != nil || !strings.Contains(out.String(), says) {
			t.Errorf("snapshots in %q: %v, it says %q, want %q", place, err, out.String(), says)
		}
		s.Close()
	}
}
