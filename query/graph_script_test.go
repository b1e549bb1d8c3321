package query

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/api/settings"
)

// TestQueryScript plays testdata/queries.txt: the text of a query in; its terms and
// the graph of the ways to read it out.
//
//	settings   the JSON of settings that follow
//	query      the text of a query, as typed (end=blank: it ends with a blank)
func TestQueryScript(t *testing.T) {
	lexis := NewLexis(settings.Default(), 0)
	datadriven.RunTest(t, "testdata/queries.txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "settings" {
			s := settings.Default()
			if err := json.Unmarshal([]byte(d.Input), s); err != nil {
				d.Fatalf(t, "%v", err)
			}
			lexis = NewLexis(s, 0)
			return ""
		}
		q := d.Input
		if d.HasArg("end") {
			q += " "
		}
		k := lexis.Parse(q, nil)
		var b strings.Builder
		fmt.Fprintf(&b, "terms %s\n", describe(k))
		for i := range k.Terms {
			for _, synonym := range k.Terms[i].Synonyms {
				fmt.Fprintf(&b, "  %s stands for %s\n", strings.Join(synonym, " "), k.Terms[i].Text)
			}
		}
		if len(k.Terms) > 0 {
			drawGraph(&b, NewGraph(k.Terms), k.Terms)
		}
		return b.String()
	})
}

// drawGraph writes the nodes, each with its successors.
func drawGraph(b *strings.Builder, g *Graph, terms []Term) {
	name := func(i uint16) string {
		switch t := &terms[g.Nodes[i].Term]; {
		case i == 0:
			return "start"
		case int(i) == 1 && len(g.Nodes[i].Succ) == 0:
			return "end"
		case t.IsPhrase():
			return fmt.Sprintf("%q", strings.Join(t.Phrase, " "))
		default:
			return t.Text
		}
	}
	for i := range g.Nodes {
		if len(g.Nodes[i].Succ) == 0 {
			continue
		}
		var next []string
		for _, n := range g.Nodes[i].Succ {
			next = append(next, name(n))
		}
		fmt.Fprintf(b, "  %s -> %s\n", name(uint16(i)), strings.Join(next, ", "))
	}
}
