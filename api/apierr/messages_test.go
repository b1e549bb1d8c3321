package apierr

import (
	"strings"
	"testing"
)

// Messages whose texts clients see word by word, with code and status (spec
// write-api 15, search-api 17, tasks-auth-ops 4.8 and 10.11).
func TestMessages(t *testing.T) {
	const uuid = "11111111-1111-4111-8111-111111111111"
	for _, c := range []struct {
		err    *Error
		code   string
		status int
		text   string
	}{
		{IndexAlreadyExists("a"), "index_already_exists", 409, "Index `a` already exists."},
		{PrimaryKeyAlreadyExists("id"), "index_primary_key_already_exists", 400, "Index already has a primary key: `id`."},
		{PrimaryKeyManyCandidates(2, "aid", "bid"), "index_primary_key_multiple_candidates_found", 400,
			"The primary key inference failed as the engine found 2 fields ending with `id` in their names: 'aid' and 'bid'. Please specify the primary key manually using the `primaryKey` query parameter."},
		{TooManyFields(), "max_fields_limit_exceeded", 400, "A document cannot contain more than 65,535 fields."},
		{EditionCompilation("x"), "edit_documents_by_function_error", 400, "Document edition runtime error encountered while compiling the function: x"},
		{EditionRuntime("x"), "edit_documents_by_function_error", 400, "Document edition runtime error encountered while running the function: x"},
		{EditionNotObject(), "edit_documents_by_function_error", 400, "Document editions must keep documents as objects"},
		{EditionPrimaryKey(), "edit_documents_by_function_error", 400, "Document editions cannot modify a document's primary key"},
		{FacetSearchDisabled(), "facet_search_disabled", 400, "The facet search is disabled for this index"},
		{MediaAndVector(), "invalid_search_media_and_vector", 400, "Invalid request: both `media` and `vector` parameters are present."},
		{MissingHybrid(), "missing_search_hybrid", 400, "Invalid request: missing `hybrid` parameter when `vector` or `media` are present."},
		{VectorDimensions(3, 2), "invalid_vector_dimensions", 400, "Invalid vector dimensions: expected: `3`, found: `2`."},
		{ImmutableWebhook(uuid), "immutable_webhook", 400, "Webhook `" + uuid + "` is immutable. The webhook defined from the command line cannot be modified using the API."},
		{TooManyWebhooks(), "invalid_webhooks", 400,
			"Defining too many webhooks would crush the server. Please limit the number of webhooks to 20. You may use a third-party proxy server to dispatch events to more than 20 endpoints."},
		{TooManyWebhookHeaders(uuid), "invalid_webhook_headers", 400,
			"Too many headers for the webhook `" + uuid + "`. Please limit the number of headers to 200. Hint: To remove an already defined header set its value to `null`"},
		{TooManySearchRequests(1000), "too_many_search_requests", 503, "Too many search requests running at the same time: 1000. Retry after 10s."},
		{TaskStoreFull(), "no_space_left_on_device", 422,
			"Meilisearch cannot receive write operations because the limit of the task database has been reached. Please delete tasks to continue performing write operations."},
	} {
		if c.err.Code.Name != c.code || c.err.Code.Status != c.status || c.err.Message != c.text {
			t.Errorf("got  %s %d %s\nwant %s %d %s", c.err.Code.Name, c.err.Code.Status, c.err.Message, c.code, c.status, c.text)
		}
	}
}

// Every error has the four members in the order of the reference, and a link made
// of its code.
func TestErrorBody(t *testing.T) {
	for _, name := range CodeNames() {
		code, _ := CodeByName(name)
		want := `{"message":"m \"q\"","code":"` + name + `","type":"` + code.Type + `","link":"https://docs.meilisearch.com/errors#` + name + `"}`
		if got := string(New(code, `m "q"`).AppendJSON(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if code.Status < 400 || !strings.Contains(" invalid_request internal auth system ", " "+code.Type+" ") {
			t.Errorf("%s: %d %s", name, code.Status, code.Type)
		}
	}
}
