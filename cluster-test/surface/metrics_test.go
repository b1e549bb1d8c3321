package surface

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// metrics compares the families of /metrics with testdata/metrics.txt: dashboards
// and alarms name them. Families of the libraries for consensus and gossip come and
// go with what happens and are left out.
func (tr *tour) metrics() {
	tr.t.Helper()
	found := map[string]bool{}
	for range tr.cluster.Nodes {
		for line := range strings.Lines(string(tr.send(&request{method: "GET", path: "/metrics"}))) {
			if help, ok := strings.CutPrefix(strings.TrimSpace(line), "# HELP "); ok {
				if name, says, _ := strings.Cut(help, " "); says == name || says == "" {
					tr.t.Errorf("the help of %s says nothing", name)
				}
			}
			family, ok := strings.CutPrefix(line, "# TYPE ")
			ours := strings.HasPrefix(family, "meilisearch_") || strings.HasPrefix(family, "shoal_")
			if ok && ours && !strings.HasPrefix(family, "shoal_raft_") && !strings.HasPrefix(family, "shoal_memberlist_") {
				found[family] = true
			}
		}
	}
	datadriven.RunTest(tr.t, "testdata/metrics.txt", func(*testing.T, *datadriven.TestData) string {
		return strings.Join(slices.Sorted(maps.Keys(found)), "")
	})
}
