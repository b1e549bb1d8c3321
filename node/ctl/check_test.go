package ctl

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const healthy = `{"leader":"a","state":{"level":"ok","says":"serving"},"votes":{"held":2,"kept":2,"says":"2 nodes vote: a write needs both"},
	"nodes":[{"id":"1","name":"a","alive":true,"replicas":1,"lag":0},{"id":"2","name":"b","alive":true,"replicas":1,"lag":5}],
	"indexes":[{"uid":"films","shards":[{"number":0,"bytes":2048,"replicas":[{"node":"1","state":"inSync","alive":true},{"node":"2","state":"inSync","alive":true}]}]}]}`

func TestCheckCallsStatesByTheirName(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		code           int
		says           string
	}{
		{"fine", "", "", 0, "OK - serving, a leads, 2 nodes vote: a write needs both | nodes=2 away=0 indexes=1 shards=1 votes=2"},
		{"a warning", `"level":"ok","says":"serving"`, `"level":"warning","says":"serving; b does not answer"`, 1, "WARNING - serving; b does not answer | nodes=2"},
		{"critical", `"level":"ok","says":"serving"`, `"level":"critical","says":"writes are refused: 1 of 3 voters answer"`, 2, "CRITICAL - writes are refused: 1 of 3 voters answer | nodes=2"},
		{"behind", `"lag":5`, `"lag":5000`, 1, "WARNING - b is 5000 entries behind"},
		{"a program that does not tell", `"state":{"level":"ok","says":"serving"},`, ``, 3, "UNKNOWN - "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s state
			if err := json.Unmarshal([]byte(strings.ReplaceAll(healthy, c.from, c.to)), &s); c.from != "" && err != nil {
				t.Fatal(err)
			} else if c.from == "" {
				if err := json.Unmarshal([]byte(healthy), &s); err != nil {
					t.Fatal(err)
				}
			}
			code, text := (&Check{MaxLag: 1000}).judge(&s)
			if code != c.code || !strings.HasPrefix(text, c.says) {
				t.Errorf("%d %q, want %d %q", code, text, c.code, c.says)
			}
		})
	}
}

func TestCheckOfAClusterThatDoesNotAnswerIsUnknown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var status *Status
	err := (&Check{Remote: Remote{URL: "http://127.0.0.1:1"}, Timeout: 200 * time.Millisecond}).Run(t.Context(), nil)
	if !errors.As(err, &status) || status.Code != 3 {
		t.Errorf("it returns %v, want status 3", err)
	}
}

func TestDecommissionWaitsForTheLastCopy(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	asked, drained := 0, false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			drained = r.URL.Path == "/cluster/nodes/2/drain"
			fmt.Fprint(w, "{}")
			return
		}
		if asked++; asked > 3 {
			fmt.Fprint(w, strings.Replace(healthy, `"name":"b","alive":true,"replicas":1`, `"name":"b","alive":true,"replicas":0`, 1))
			return
		}
		fmt.Fprint(w, healthy)
	}))
	defer s.Close()
	var out strings.Builder
	d := &Decommission{Remote: Remote{URL: s.URL}, Node: "b", Wait: true, Timeout: time.Minute, every: time.Millisecond}
	if err := d.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if !drained || asked != 4 {
		t.Errorf("drained %v, asked %d times, want true and 4", drained, asked)
	}
	for _, want := range []string{"b is draining: 1 copies, about 2.0 KiB", "1 copies left", "b holds no copy any more"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q but %q", want, out.String())
		}
	}
	var usage Usage
	if err := (&Decommission{Remote: Remote{URL: s.URL}, Node: "x"}).Run(t.Context(), &out); !errors.As(err, &usage) {
		t.Errorf("an unknown node: %v, want a mistake of usage", err)
	}
}

func TestContextsNameClusters(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out strings.Builder
	for _, s := range []*setContext{{Name: "home", URL: "http://a:1", APIKey: "secret-key"}, {Name: "work", URL: "http://b:1,http://c:1"}} {
		if err := s.Run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&useContext{Name: "home"}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := (&listContexts{}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "secret-key") || !strings.Contains(out.String(), "home") || !strings.Contains(out.String(), "work") {
		t.Errorf("the list is\n%s", out.String())
	}
	c, err := (&Remote{}).open()
	if err != nil || c.nodes[0] != "http://a:1" || c.key != "secret-key" {
		t.Errorf("the current context leads to %+v, %v", c, err)
	}
	if c, err := (&Remote{Context: "work", APIKey: "mine"}).open(); err != nil || len(c.nodes) != 2 || c.key != "mine" {
		t.Errorf("a named context leads to %+v, %v", c, err)
	}
	var usage Usage
	if _, err := (&Remote{Context: "nowhere"}).open(); !errors.As(err, &usage) {
		t.Errorf("an unknown context: %v, want a mistake of usage", err)
	}
}
