package dump

import (
	"encoding/json"
	"testing"

	"shoal/coordinator/pinning"
	"shoal/coordinator/task"
	"shoal/wire"
)

// referenceRules are rules as the reference 1.50 dumps them.
var referenceRules = []string{
	`{"uid":"r1","lastUpdatedAt":"2026-11-28T14:54:03.079532416Z","precedence":2,"active":true,"conditions":{"filter":{"values":{"a":["x","y"],"b":1},"nbConstraints":3}},"actions":[{"selector":{"indexUid":"d1","id":"7"},"action":{"type":"pin","position":1}}]}`,
	`{"uid":"r2","description":"two","lastUpdatedAt":"2026-11-28T14:54:02Z","active":false,"conditions":{"time":{"start":"2020-01-01T00:00:00+02:00"},"query":{"words":"Hello"}},"actions":[]}`,
}

// The search rules of a dump of the reference were lost.
func TestRulesOfTheReferenceAreImportedAndDumpedAsTheyWere(t *testing.T) {
	c := &contents{documentRules: new(pinning.Store)}
	for _, line := range referenceRules {
		if err := c.rule([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.rule([]byte(`{"uid":"r3","lastUpdatedAt":"2026-11-28T14:54:02Z","active":true,"conditions":{},"actions":[{"boost":1}]}`)); err != nil || c.strangeRules != 1 {
		t.Errorf("%d %v", c.strangeRules, err)
	}
	store := new(pinning.Store)
	if err := json.Unmarshal(must(c.restoredRules()), store); err != nil || store.Len() != 2 {
		t.Fatalf("%d rules, %v", store.Len(), err)
	}
	for i, r := range store.Rules() {
		if got := string(must(json.Marshal(must(writeRule(r))))); got != referenceRules[i] {
			t.Errorf("%s, want\n%s", got, referenceRules[i])
		}
	}
}

// The reference could not read a dump with a task that had changed a search rule: "unknown
// variant `uid`, expected `createOrUpdate` or `deletion`".
func TestTasksOfRulesAreDumpedInTheFormOfTheReference(t *testing.T) {
	for body, want := range map[string]string{
		`{"uid":"a"}`: `{"dsrUpdate":{"deletion":"a"}}`,
		`{"uid":"a","update":{"active":true,"actions":[]}}`:                                                       `{"dsrUpdate":{"createOrUpdate":{"rule_id":"a","update":{"active":true,"actions":[]}}}}`,
		`{"uid":"a","update":{"actions":{"pin":[{"id":"1","position":2}],"scale":[{"weight":2.0,"ids":["3"]}]}}}`: `{"dsrUpdate":{"createOrUpdate":{"rule_id":"a","update":{"actions":[{"selector":{"id":"1"},"action":{"type":"pin","position":2}}]},"shoalUpdate":{"actions":{"pin":[{"id":"1","position":2}],"scale":[{"weight":2.0,"ids":["3"]}]}}}}}`,
	} {
		kept := task.NewRulesUpdate(json.RawMessage(body), []byte(`{"updatedRules":1}`), nil)
		kept.EnqueuedAt = 1e9
		l := must((&taskWriter{dump: wire.NoBatch}).line(kept))
		if string(l.Type) != want {
			t.Errorf("%s is dumped as\n%s, want\n%s", body, l.Type, want)
		}
		read := must(readTaskLine(must(json.Marshal(l))))
		if string(read.Body) != body || read.Status != wire.Enqueued {
			t.Errorf("%s is read as %s, %v", body, read.Body, read.Error)
		}
	}
}

func TestBatchesOfRulesAreDumpedInTheFormOfTheReference(t *testing.T) {
	for details, want := range map[string]string{
		`{"updatedRules":1,"rule":{"actions":{"pin":[],"scale":[]}}}`: `{"updatedRules":1,"rule":{"actions":[]}}`,
		`{"rule":{"actions":[]},"updatedRules":1}`:                    `{"rule":{"actions":[]},"updatedRules":1}`,
		`{"receivedDocuments":1}`:                                     `{"receivedDocuments":1}`,
	} {
		if got := writeBatch(&wire.Batch{Details: json.RawMessage(details)}).Details; string(got) != want {
			t.Errorf("%s is dumped as %s, want %s", details, got, want)
		}
	}
}
