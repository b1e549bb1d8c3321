package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"shoal/api"
)

// noted is a Meter that writes down each call.
type noted struct{ strings.Builder }

func (n *noted) Round(workspace, model string, took time.Duration, used Use) {
	fmt.Fprintf(n, "round %s %s %v %v\n", workspace, model, used, took > 0)
}
func (n *noted) Searched(tool string) { fmt.Fprintf(n, "searched %s\n", tool) }
func (n *noted) Ended(workspace string, took time.Duration, failed bool) {
	fmt.Fprintf(n, "ended %s failed %v %v\n", workspace, failed, took > 0)
}

func TestAMeterGetsTheUsageOfAConversation(t *testing.T) {
	for want, rounds := range map[string][]round{
		"round desk gpt-4o-mini {0 0 0} true\nsearched internal\nround desk gpt-4o-mini {5 4 9} true\nended desk failed false true\n": {
			says(searches(`{"index_uid":"films","q":"heist","filter":""}`)...),
			says(delta(answer, "null"), delta(`{}`, `"stop"`), `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":4,"total_tokens":9}}`),
		},
		"ended desk failed true true\n": {answers(500, "text/plain", "no")},
	} {
		m, meter := newModel(t, rounds...), &noted{}
		run, err := New(workspace(api.ChatOpenAI, m.URL), out{}, Limits{}, meter).Begin(t.Context(), "desk", request(t, ""), &desk{})
		if err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), func([]byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if meter.String() != want {
			t.Errorf("%s", meter.String())
		}
	}
}
