package httpfront

import (
	"encoding/json"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/httpfront/openapi"
)

// The description is valid JSON, names every route, and describes tables of
// routes that exist.
func TestOpenAPI(t *testing.T) {
	w := send(newStore(t).front(settings.Features{}), "GET", "/openapi.json", "")
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			RequestBody json.RawMessage
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 || doc.OpenAPI == "" {
		t.Fatal(w.Code, err)
	}
	ids := map[string]bool{}
	for _, r := range table() {
		operation, ok := doc.Paths[r.Pattern][strings.ToLower(r.Method)]
		if !ok || ids[operation.OperationID] {
			t.Errorf("%s: described %v as %q", r.Name(), ok, operation.OperationID)
		}
		ids[operation.OperationID] = true
		hasBody := operation.RequestBody != nil
		if wants := r.Method != "GET" && r.Method != "DELETE" && !r.NoBody; hasBody != wants {
			t.Errorf("%s: a body is described: %v, want %v", r.Name(), hasBody, wants)
		}
	}
	if list := doc.Components.Schemas["Error"].Properties["code"].Enum; len(list) < 289 {
		t.Errorf("%d codes", len(list))
	}
	if body := string(doc.Paths["/indexes/{index_uid}/settings/pagination"]["patch"].RequestBody); !strings.Contains(body, `"default":{"maxTotalHits":1000}`) {
		t.Errorf("pagination: %s", body)
	}
}

// Nested members are described too.
func TestOpenAPINests(t *testing.T) {
	text := string(openapi.Describe(table()))
	for _, want := range []string{
		`"hybrid":{"type":["null","object"],"properties":{"semanticRatio":{"type":"number"},"embedder":{"type":"string"}},"additionalProperties":false}`,
		`"queries":{"type":"array","items":{"type":"object","properties":{"indexUid":{"type":"string"},`,
		`"matchingStrategy":{"type":"string","enum":["last","all","frequency"]}`,
		`{"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":0}}`,
		`"minWordSizeForTypos":{"type":["null","object"],"properties":{"oneTypo":{"type":["null","integer"],"minimum":0}`,
		`"embedders":{"type":["null","object"],"additionalProperties":{"type":["null","object"],"properties":{"source":`,
		`"application/x-ndjson":`, `"/cluster/nodes/{node}/drain":`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text[:min(len(text), 2000)])
		}
	}
}
