package parity

import (
	"os"
	"regexp"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// examples are the requests that curl makes in the shell blocks of a page.
func examples(t *testing.T, path string) (list []step) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	command := regexp.MustCompile(`(?s)curl (?:-X (\w+) )?'http://localhost:7700([^']*)'((?:[^']|'[^']*')*?)(?:\n|$)`)
	data := regexp.MustCompile(`(?s)--data '([^']*)'`)
	for _, b := range blocks {
		text := strings.ReplaceAll(b[1], "\\\n", " ")
		if strings.Count(text, "curl ") != len(command.FindAllString(text, -1)) {
			t.Fatalf("%s has a command that is not understood:\n%s", path, text)
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			s := step{method: m[1], path: m[2]}
			if s.method == "" {
				s.method = "GET"
			}
			if d := data.FindStringSubmatch(m[3]); d != nil {
				s.body = d[1]
			}
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatalf("%s has no examples", path)
	}
	return list
}

// Readers copy what the page shows. What each addition answers, the scripts say.
func TestTheExamplesOfTheAdditionsRun(t *testing.T) {
	service := newReranker(t)
	c := rig.New(t, 1, rig.Shards(2), "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.1",
		"SHOAL_EXPERIMENTAL_PERSONALIZATION_API_KEY=service key", "SHOAL_PERSONALIZATION_URL="+service.URL)
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/experimental-features", `{"dynamicSearchRules":true}`)
	for _, index := range []string{"films", "movies", "shirts"} {
		do(t, n, "POST", "/indexes/"+index+"/documents", `[{"id":1,"title":"super hero heat","genre":"comedy","stock":1,"brand":"own","release_date":1,"variants":{"color":"red","size":42}}]`)
		do(t, n, "PATCH", "/indexes/"+index+"/settings", `{"sortableAttributes":["genre","release_date"],"filterableAttributes":["stock","brand","genre"]}`)
	}
	for _, e := range examples(t, "../../docs/additions.md") {
		a, err := n.Ask(t.Context(), e.method, e.path, clustertest.Text(e.body))
		if err != nil || a.Status >= 300 {
			t.Fatalf("%s %s %s: %+v %v", e.method, e.path, e.body, a, err)
		}
		t.Logf("%s %s %s\n%d %s", e.method, e.path, e.body, a.Status, a.Body) // with -v a transcript
		if uid, made := taskOf(a.Body); made {
			if _, err := n.Wait(t.Context(), uid); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(e.path, "search") && !strings.Contains(string(a.Body), `"title":"super hero heat"`) {
			t.Errorf("%s %s finds %s", e.path, e.body, a.Body)
		}
	}
}
