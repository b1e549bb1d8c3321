package httpfront

import (
	"strings"
	"testing"

	"shoal/httpfront/admin"
	"shoal/httpfront/routing"
)

// Refusals that need more than a wrong kind of value, by their code.
func TestRefusals(t *testing.T) {
	const index, key = "/indexes/p", "/keys/p"
	for _, c := range []struct{ method, target, body, code string }{
		{"PATCH", key, `{"uid":"x"}`, "immutable_api_key_uid"},
		{"PATCH", key, `{"actions":[]}`, "immutable_api_key_actions"},
		{"PATCH", key, `{"indexes":[]}`, "immutable_api_key_indexes"},
		{"PATCH", key, `{"expiresAt":null}`, "immutable_api_key_expires_at"},
		{"PATCH", key, `{"createdAt":null}`, "immutable_api_key_created_at"},
		{"PATCH", key, `{"updatedAt":null}`, "immutable_api_key_updated_at"},
		{"POST", "/keys", `{"actions":[],"expiresAt":null}`, "missing_api_key_indexes"},
		{"PATCH", index, `{"updatedAt":"x"}`, "immutable_index_updated_at"},
		{"PATCH", "/webhooks/" + admin.NilUUID, `{"isEditable":true}`, "immutable_webhook_is_editable"},
		{"GET", "/webhooks/zz", "", "invalid_webhook_uuid"},
		{"POST", index + "/documents/edit", `{"function":"doc","context":7}`, "invalid_document_edition_context"},
		{"POST", "/multi-search", `{"federation":{},"queries":[{"indexUid":"p","personalize":{"userContext":"x"}}]}`, "invalid_multi_search_query_personalization"},
		{"POST", "/render-template", `{"template":{"kind":"inlineDocumentTemplate","inline":"{{ broken"}}`, "template_parsing_error"},
		{"GET", "/tasks?afterEnqueuedAt=x", "", "invalid_task_after_enqueued_at"},
		{"GET", "/tasks?beforeEnqueuedAt=x", "", "invalid_task_before_enqueued_at"},
		{"GET", "/tasks?afterStartedAt=x", "", "invalid_task_after_started_at"},
		{"GET", "/tasks?beforeStartedAt=x", "", "invalid_task_before_started_at"},
		{"GET", "/tasks?afterFinishedAt=x", "", "invalid_task_after_finished_at"},
		{"GET", "/tasks?beforeFinishedAt=x", "", "invalid_task_before_finished_at"},
	} {
		s := everything("*")
		r := &routing.Route{Method: c.method, Pattern: c.target}
		target, query, _ := strings.Cut(r.Pattern, "?")
		r.Pattern = target
		if w := ask(r, s, query, c.body, master); codeOf(w) != c.code {
			t.Errorf("%s %s %s: %d %s, want %s", c.method, c.target, c.body, w.Code, w.Body, c.code)
		}
	}
}
