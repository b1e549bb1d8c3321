package explain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/api"
	"shoal/cluster-test/solo"
	"shoal/coordinator/schedule"
)

// TestExplanations plays testdata/explain: what each ranking rule says of a query,
// its buckets, and the details and scores of the hits, over one shard and over
// three, which must say the same.
//
//	index      settings in the first line, then documents
//	search     the body of a search
func TestExplanations(t *testing.T) {
	nodes := []*solo.Node{solo.Open(t, 1), solo.Open(t, 3)}
	for _, n := range nodes {
		n.Schedule(schedule.Jobs{})
	}
	indexes := 0
	datadriven.Walk(t, "testdata/explain", func(t *testing.T, path string) {
		uid := ""
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "index":
				settings, documents, _ := strings.Cut(d.Input, "\n")
				uid = fmt.Sprintf("i%d", indexes)
				indexes++
				for _, n := range nodes {
					n.Settings(uid, settings)
					n.Upload(uid, documents)
					n.Idle()
					for _, task := range n.Tasks() {
						if task.Error != nil {
							d.Fatalf(t, "%s", task.Error.Message)
						}
					}
				}
				return fmt.Sprintf("%d documents\n", len(nodes[0].Content(uid)))
			case "search":
				one := explained(t, nodes[0], uid, d.Input)
				if three := explained(t, nodes[1], uid, d.Input); three != one {
					t.Errorf("%s: over three shards:\n%s\nover one:\n%s", d.Pos, three, one)
				}
				return one
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

// explained is the text of a search without the line that names the index.
func explained(t *testing.T, n *solo.Node, uid, body string) string {
	t.Helper()
	r := api.NewSearchRequest()
	if err := json.Unmarshal([]byte(body), r); err != nil {
		return err.Error() + "\n"
	}
	r.ShowRankingScore, r.ShowRankingScoreDetails = true, true
	e, err := n.Search().Explain(t.Context(), uid, r)
	if err != nil {
		return err.Error() + "\n"
	}
	text, err := Text(uid, "", e)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(text, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%d hits of about %d\n", len(e.Answer.Hits), e.Answer.Pagination.Total)
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" { // an empty line would end the answer
			b.WriteString(line)
		}
	}
	return b.String()
}
