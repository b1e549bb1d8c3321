package ctl

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const shownStatus = `{"leader":"a","term":3,"clusterId":"c-1","applied":9,"state":{"level":"warning","says":"serving; c does not answer; 1 shard misses copies"},"votes":{"held":2,"kept":2,"says":"2 nodes vote: a write needs both"},"nodes":[` +
	`{"id":"1","name":"a","http":"h:1","voter":true,"votes":true,"alive":true,"replicas":2,"inSync":1,"lag":0},` +
	`{"id":"2","name":"b","http":"h:2","voter":true,"votes":true,"alive":true,"draining":true,"lag":7},` +
	`{"id":"3","name":"c","http":"h:3","voter":true,"votes":true,"alive":false,"lag":null}],"indexes":[{"uid":"films","version":4,"documents":5,"plan":"one shard would do","replicaReason":"on every node: 12 MiB, less than a tenth of the smallest disk (100 GiB)","shards":[` +
	`{"number":0,"documents":5,"replicas":[{"name":"a","state":"inSync","alive":true},{"name":"b","state":"copying","alive":true},{"name":"c","state":"inSync","alive":false}]}]}],` +
	`"decisions":[{"at":"2026-01-02T03:04:05Z","reason":"films/0: a replica on b, 1 of 2 are there"},{"at":"2026-01-02T03:05:05Z","reason":"films/0: node c is away"}],"waits":["films waits for c"]}`

// answering gives the same answer to every request, and records the requests.
func answering(t *testing.T, status int, answer string, asked *[]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, r.Method+" "+r.URL.Path+" "+string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestStatusOfAClusterInTables(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	var asked []string
	url := answering(t, http.StatusOK, shownStatus, &asked)
	var out bytes.Buffer
	if err := (&ShowStatus{Remote: Remote{URL: url}}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimLeft(`
cluster c-1, leader a: serving; c does not answer; 1 shard misses copies
2 nodes vote: a write needs both

NODE  ROLE    STATE     LAG  COPIES  IN SYNC  HTTP  ID
a     leader  alive     0    2       1        h:1   1
b     voter   draining  7    0       0        h:2   2
c     -       dead      ?    0       0        h:3   3

INDEX  SHARD  DOCUMENTS  VERSION  COPIES                        WHY SO MANY
films  0      5          4        a, b (catching up), c (dead)  on every node: 12 MiB, less than a tenth of the smallest disk (100 GiB)

films: one shard would do

films waits for c

Recent decisions:
  2026-01-02 03:05:05  films/0: node c is away
  2026-01-02 03:04:05  films/0: a replica on b, 1 of 2 are there
`, "\n")
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// Programs that read the output get everything that the cluster says, even what this
// program does not know.
func TestStatusAsJSONIsWhatTheClusterSays(t *testing.T) {
	var asked []string
	url := answering(t, http.StatusOK, `{"leader":"a","later":1}`, &asked)
	var out bytes.Buffer
	if err := (&ShowStatus{Remote: Remote{URL: url}, JSON: true}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"leader\": \"a\",\n  \"later\": 1\n}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestExplainPrintsTheText(t *testing.T) {
	var asked []string
	url := answering(t, http.StatusOK, `{"text":"1 hit\n"}`, &asked)
	var out bytes.Buffer
	if err := (&Explain{Remote: Remote{URL: url}, Index: "films", Query: "q", Limit: 2}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "1 hit\n" || len(asked) != 1 || asked[0] != `POST /cluster/explain {"indexUid":"films","limit":2,"q":"q"}` {
		t.Errorf("printed %q after %q", out.String(), asked)
	}
}

// Users who check a cluster want a quick answer, so each node is asked only once.
func TestStatusAsksEachNodeOnce(t *testing.T) {
	var first, second []string
	away := answering(t, http.StatusServiceUnavailable, `{"message":"no leader","code":"unavailable"}`, &first)
	there := answering(t, http.StatusOK, shownStatus, &second)
	if err := (&ShowStatus{Remote: Remote{URL: away + "," + there}}).Run(t.Context(), io.Discard); err != nil || len(first) != 1 || len(second) != 1 {
		t.Errorf("asked %d and %d times: %v", len(first), len(second), err)
	}
	err := (&ShowStatus{Remote: Remote{URL: away}}).Run(t.Context(), io.Discard)
	if err == nil || err.Error() != "no leader" || len(first) != 2 {
		t.Errorf("asked %d times: %v", len(first), err)
	}
}
