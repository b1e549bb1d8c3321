package parity

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

const masterKey = "the master key of the chat"

// librarian is a language model of our own: it searches once, then answers with
// what the search returned.
type librarian struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newLibrarian(t *testing.T) *librarian {
	l := &librarian{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		l.mu.Lock()
		l.asked = append(l.asked, string(body))
		l.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(delta, reason string) {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, reason)
		}
		var asked struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Error(err)
		}
		if last := asked.Messages[len(asked.Messages)-1]; last.Role == "tool" {
			answer, err := json.Marshal("I found " + last.Content)
			if err != nil {
				t.Error(err)
			}
			event(`{"content":`+string(answer)+`}`, "null")
			event(`{}`, `"stop"`)
		} else {
			// The index and the filter are what the user said.
			event(`{"tool_calls":[{"index":0,"id":"s1","type":"function","function":{"name":"_meiliSearchInIndex","arguments":`+strings.Join(asQuoted(last.Content), "")+`}}]}`, "null")
			event(`{}`, `"tool_calls"`)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(l.Close)
	return l
}

func asQuoted(s string) []string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text always encodes
	}
	return []string{string(quoted)}
}

// chat asks for a completion; what the user says are the arguments of the search.
func chat(t *testing.T, n *clustertest.Node, key, arguments string) string {
	t.Helper()
	node := &clustertest.Node{HTTP: n.HTTP, Key: key}
	body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":%s}],"tools":[{"type":"function","function":{"name":"_meiliSearchSources"}}]}`, asQuoted(arguments)[0])
	a, err := node.Ask(t.Context(), "POST", "/chats/desk/chat/completions", clustertest.Text(body))
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != 200 || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	return string(a.Body)
}

func do(t *testing.T, n *clustertest.Node, method, path, body string) []byte {
	t.Helper()
	a, err := n.Ask(t.Context(), method, path, clustertest.Text(body))
	if err != nil || a.Status >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, path, a.Status, a.Body, err)
	}
	if uid, made := taskOf(a.Body); made {
		if _, err := n.Wait(t.Context(), uid); err != nil {
			t.Fatal(err)
		}
	}
	return a.Body
}

func TestAChatSearchesWhatItsKeyMaySee(t *testing.T) {
	model := newLibrarian(t)
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_MASTER_KEY="+masterKey, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.1")
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/experimental-features", `{"chatCompletions":true}`)
	do(t, n, "POST", "/indexes/films/documents", `[{"id":1,"title":"Heat","genre":"Crime","note":"seen"},{"id":2,"title":"Ran","genre":"Drama"}]`)
	do(t, n, "POST", "/indexes/secrets/documents", `[{"id":1,"title":"Heat pump"}]`)
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["genre"],"displayedAttributes":["id","title","genre"],"chat":{"description":"all films","documentTemplate":"{{doc.title}} is a {{doc.genre}}","searchParameters":{"limit":1}}}`)
	do(t, n, "PATCH", "/chats/desk/settings", `{"source":"vLlm","baseUrl":"`+model.URL+`/v1"}`)
	var key struct{ Key string }
	if err := json.Unmarshal(do(t, n, "POST", "/keys", `{"actions":["chatCompletions","search"],"indexes":["films"],"expiresAt":null}`), &key); err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Nodes {
		got := chat(t, n, key.Key, `{"index_uid":"films","q":"heat","filter":"genre = Crime"}`)
		for _, want := range []string{`"name":"_meiliSearchSources","arguments":"{\"call_id\":\"s1\",\"sources\":[{\"id\":1,\"title\":\"Heat\",\"genre\":\"Crime\"}]}"`, `"content":"I found Heat is a Crime"`, "data: [DONE]\n\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", n.Name, want, got)
			}
		}
		if strings.Contains(got, "Ran") {
			t.Errorf("%s: more than one source: %s", n.Name, got)
		}
	}
	first := model.asked[0]
	if !strings.Contains(first, `"enum":["films"]`) || strings.Contains(first, "secrets") || !strings.Contains(first, `- films: all films`) || !strings.Contains(first, `genre: Crime, Drama.`) {
		t.Errorf("the model was told %s", first)
	}
	got := chat(t, n, key.Key, `{"index_uid":"secrets","q":"heat","filter":""}`)
	if !strings.Contains(got, `"type":"response_error","code":"invalid_api_key"`) || strings.Contains(got, "pump") {
		t.Errorf("an index of others: %s", got)
	}
	got = chat(t, n, key.Key, `{"index_uid":"films","q":"heat","filter":"genre ="}`)
	if strings.Contains(got, `"type":"error"`) || !strings.Contains(got, "I found Was expecting") {
		t.Errorf("a filter that does not read: %s", got)
	}
	do(t, n, "PATCH", "/chats/desk/settings", `{"baseUrl":"http://127.0.0.2:9/v1"}`)
	got = chat(t, n, key.Key, "x")
	if !strings.Contains(got, `"type":"transport_error"`) || !strings.Contains(got, "private network that is not allowed") {
		t.Errorf("an address that is not allowed: %s", got)
	}
}
