package ctl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A running leader with three copies was removed within 49 ms, without a question.
func TestANodeThatIsAliveIsRemovedOnlyAfterAQuestion(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, c := range []struct {
		name, node, answer string
		yes, alive, gone   bool
		says               []string
	}{
		{"no answer", "a", "", false, true, false, []string{"a is alive. It leads", "It votes: 1 of 2 votes are left", "holds 1 copies (2.0 KiB of documents)", "Of 1 shards one copy would be left", "shoal decommission a"}},
		{"another answer", "a", "yes\n", false, true, false, []string{"Type the name of the node"}},
		{"its name", "a", "a\n", false, true, true, []string{"a is no member any more."}},
		{"given by id", "1", "a\n", false, true, true, []string{"a is no member any more."}},
		{"--yes", "a", "", true, true, true, []string{"a is no member any more."}},
		{"a dead node", "b", "", false, false, true, []string{"b is no member any more."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			removed := ""
			answer := strings.Replace(healthy, `"id":"1","name":"a","alive":true`, `"id":"1","name":"a","alive":true,"votes":true`, 1)
			if !c.alive {
				answer = strings.Replace(answer, `"name":"b","alive":true`, `"name":"b","alive":false`, 1)
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					removed = r.URL.Path
				}
				_, _ = io.WriteString(w, answer)
			}))
			defer s.Close()
			var out strings.Builder
			err := (&Remove{Remote: Remote{URL: s.URL}, Node: c.node, Yes: c.yes, in: strings.NewReader(c.answer)}).Run(t.Context(), &out)
			if gone := removed != ""; gone != c.gone || (err == nil) != c.gone {
				t.Errorf("removed %q, %v", removed, err)
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not say %q but %q", want, out.String())
				}
			}
		})
	}
}
