package ctl

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

func TestStatusShowsZonesOnceNodesNameThem(t *testing.T) {
	const told = `{"leader":"a","clusterId":"c-1","state":{"level":"warning","says":"serving; if zone east dies, writes stop (it has 2 of 3 votes)"},"nodes":[` +
		`{"id":"1","name":"a","http":"h:1","zone":"east","votes":true,"alive":true,"lag":0},` +
		`{"id":"2","name":"b","http":"h:2","zone":"west","votes":true,"alive":true,"lag":0},` +
		`{"id":"3","name":"c","http":"h:3","zone":"","alive":true,"lag":0}],` +
		`"zones":[{"name":"east","nodes":2,"alive":1,"votes":2,"onlyHere":3},{"name":"west","nodes":1,"alive":1,"votes":1,"onlyHere":0}],"indexes":[]}`
	var asked []string
	url := answering(t, http.StatusOK, told, &asked)
	var out bytes.Buffer
	if err := (&ShowStatus{Remote: Remote{URL: url}}).Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	const want = `
NODE  ROLE    STATE  LAG  COPIES  IN SYNC  ZONE  HTTP  ID
a     leader  alive  0    0       0        east  h:1   1
b     voter   alive  0    0       0        west  h:2   2
c     member  alive  0    0       0        -     h:3   3

ZONE  NODES  ALIVE  VOTES  INDEXES ONLY HERE
east  2      1      2      3
west  1      1      1      0
`
	if got := out.String(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
