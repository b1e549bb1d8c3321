package httpfront

import (
	"encoding/json"
	"strings"
	"testing"

	"shoal/api"
)

// The description is valid JSON, names every route, and describes tables of
// routes that exist.
func TestOpenAPI(t *testing.T) {
	w := send(newStore(t).front(api.Features{}), "GET", "/openapi.json", "")
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
	known, ids := map[string]bool{}, map[string]bool{}
	for _, r := range routes() {
		known[r.name()] = true
		operation, ok := doc.Paths[r.pattern][strings.ToLower(r.method)]
		if !ok || ids[operation.OperationID] {
			t.Errorf("%s: described %v as %q", r.name(), ok, operation.OperationID)
		}
		ids[operation.OperationID] = true
	}
	for key := range describedQueries {
		if !known[key] {
			t.Errorf("the query of %s is described, but there is no such route", key)
		}
	}
	for key := range describedBodies {
		if !known[key] {
			t.Errorf("the body of %s is described, but there is no such route", key)
		}
	}
	if list := doc.Components.Schemas["Error"].Properties["code"].Enum; len(list) < 289 {
		t.Errorf("%d codes", len(list))
	}
	if body := string(doc.Paths["/indexes/{index_uid}/settings/pagination"]["patch"].RequestBody); !strings.Contains(body, `"default":{"maxTotalHits":1000}`) {
		t.Errorf("pagination: %s", body)
	}
}
