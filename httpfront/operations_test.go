package httpfront

import (
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
)

// commandLineUUID is the uid of the webhook that the command line defines.
const commandLineUUID = "00000000-0000-0000-0000-000000000000"

func TestFeaturesRoute(t *testing.T) {
	s := (&fake{}).front(Config{})
	off := `{"metrics":false,"logsRoute":false,"editDocumentsByFunction":false,"containsFilter":false,"dynamicSearchRules":false,"network":false,"getTaskDocumentsRoute":false,"taskQueueCompactionRoute":false,"compositeEmbedders":false,"chatCompletions":false,"multimodal":false,"foreignKeys":false,"disableDocumentsFetchQueue":false,"legacySearch":false,"renderRoute":false}`
	expect(t, call(t, s, "GET", "/experimental-features", ""), 200, off)
	expect(t, call(t, s, "PATCH", "/experimental-features", `{"network":true,"metrics":null}`), 200, strings.Replace(off, `"network":false`, `"network":true`, 1))
	expectError(t, call(t, s, "PATCH", "/experimental-features", `{"metrics":42}`), 400, apierr.CodeBadRequest, "Invalid value type at `.metrics`: expected a boolean, but found a positive integer: `42`")
}

func TestNetworkRoute(t *testing.T) {
	f := &fake{features: settings.Features{Network: true}, network: api.Network{Version: commandLineUUID, Shards: map[string]api.NetworkShard{}}}
	s := f.front(Config{})
	expect(t, call(t, s, "GET", "/network", ""), 200, `{"self":null,"remotes":{},"shards":{},"leader":null,"version":"`+commandLineUUID+`"}`)
	for body, want := range map[string][2]string{
		`{"remotes":{"X":{}}}`:                 {"missing_network_url", "Missing field `.remotes.X.url`"},
		`{"remotes":{"X":{"url":"u"}}}`:        {"invalid_network_url", "Invalid `.remotes.X.url` (`u`): relative URL without a base"},
		`{"remotes":{"X":{"url":null}}}`:       {"invalid_network_url", "Field `.remotes.X.url` cannot be set to `null`"},
		`{"leader":"x"}`:                       {"requires_enterprise_edition", "Meilisearch Enterprise Edition is required to set `network.leader`"},
		`{"previousRemotes":{}}`:               {"unexpected_network_previous_remotes", "Unexpected `previousRemotes` in network call.\n  - Note: `previousRemote` is reserved for internal use."},
		`{"self":7}`:                           {"invalid_network_self", "Invalid value type at `.self`: expected a string, but found a positive integer: `7`"},
		`{"remotes":{"X":{"searchApiKey":7}}}`: {"invalid_network_search_api_key", "Invalid value type at `.remotes.X.searchApiKey`: expected a string, but found a positive integer: `7`"},
		`{"x":1}`:                              {"bad_request", "Unknown field `x`: expected one of `remotes`, `shards`, `previousShards`, `self`, `leader`, `previousRemotes`"},
	} {
		code, _ := apierr.CodeByName(want[0])
		expectError(t, call(t, s, "PATCH", "/network", body), code.Status, code, want[1])
	}
	f.features.Network = false
	expectError(t, call(t, s, "PATCH", "/network", `{"self":"x"}`), 400, apierr.CodeFeatureNotEnabled, "Using the /network route requires enabling the `network` experimental feature. See https://github.com/orgs/meilisearch/discussions/805")
}

func TestWebhookRoutes(t *testing.T) {
	s := (&fake{}).front(Config{})
	expect(t, call(t, s, "GET", "/webhooks", ""), 200, `{"results":[{"uuid":"`+commandLineUUID+`","isEditable":false,"url":"http://x/","headers":{"Authorization":"Bearer abcdeXXXXXX..."}}]}`)
	for body, want := range map[string][2]string{
		`{"url":"x"}`:                               {"invalid_webhook_url", "Invalid URL `x`: relative URL without a base"},
		`{"url":"http://x:65536/"}`:                 {"invalid_webhook_url", "Invalid URL `http://x:65536/`: invalid port number"},
		`{"url":"http://a","headers":{"x y":"z"}}`:  {"invalid_webhook_headers", "Invalid header name `x y`: invalid HTTP header name"},
		`{"url":"http://a","headers":{"x":"a\nb"}}`: {"invalid_webhook_headers", "Invalid header value `x`: failed to parse header value"},
		`{"uuid":"x"}`:                              {"immutable_webhook_uuid", "Immutable field `uuid`: expected one of `url`, `headers`"},
	} {
		code, _ := apierr.CodeByName(want[0])
		expectError(t, call(t, s, "POST", "/webhooks", body), code.Status, code, want[1])
	}
	expectError(t, call(t, s, "GET", "/webhooks/99999999-1111-4111-8111-111111111111", ""), 404, apierr.CodeWebhookNotFound, "Webhook `99999999-1111-4111-8111-111111111111` not found.")
	for _, body := range []string{`{}`, `{"url":null}`, `{"url":"","headers":{"x y":"z"}}`} {
		if w := call(t, s, "POST", "/webhooks", body); codeOf(w) != "invalid_webhook_url" || !strings.Contains(w.Body.String(), "The URL for the webhook `") {
			t.Errorf("%s: %s", body, w.Body)
		}
	}
	// A webhook that does not exist is an error before a wrong body is, and nobody may
	// change the one of the command line.
	for _, method := range []string{"PATCH", "DELETE"} {
		expectError(t, call(t, s, method, "/webhooks/"+commandLineUUID, `{"url":null}`), 400, apierr.CodeImmutableWebhook,
			"Webhook `"+commandLineUUID+"` is immutable. The webhook defined from the command line cannot be modified using the API.")
	}
	expectError(t, call(t, s, "PATCH", "/webhooks/99999999-1111-4111-8111-111111111111", `{"url":null}`), 404, apierr.CodeWebhookNotFound, "Webhook `99999999-1111-4111-8111-111111111111` not found.")
	if w := call(t, s, "GET", "/webhooks/x", ""); !strings.Contains(w.Body.String(), "Invalid UUID: invalid character: found `x` at 0") {
		t.Errorf("%s", w.Body)
	}
}

func TestLogRoutes(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	for body, want := range map[string][2]string{
		`{"profileMemory":true}`: {"invalid_settings_typo_tolerance", "Invalid value: `profile_memory` can only be used while profiling code and is not compatible with the Human mode."},
		`{"mode":"fmt"}`:         {"bad_request", "Unknown value `fmt` at `.mode`: expected one of `human`, `json`, `profile`"},
		`{"target":"=="}`:        {"bad_request", "Invalid value at `.target`: invalid filter directive: too many '=' in filter directive, expected 0 or 1"},
		`{}`:                     {"feature_not_enabled", "Modifying logs through the `/logs/*` routes requires enabling the `logs route` experimental feature. See https://github.com/orgs/meilisearch/discussions/721"},
	} {
		code, _ := apierr.CodeByName(want[0])
		expectError(t, call(t, s, "POST", "/logs/stream", body), 400, code, want[1])
	}
	f.features.LogsRoute = true
	w := call(t, s, "POST", "/logs/stream", "{}")
	if w.Code != 200 || w.Body.String() != "line\n" || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("stream: %d %q %v", w.Code, w.Body, w.Header())
	}
	if w := call(t, s, "POST", "/logs/stderr", `{"target":"info"}`); w.Code != 204 || w.Body.Len() != 0 {
		t.Errorf("stderr: %d %q", w.Code, w.Body)
	}
}

func TestMetricsRoute(t *testing.T) {
	f := &fake{features: settings.Features{Metrics: true}, keys: []*api.Key{testKey(1, "metrics.get", "a"), testKey(2, "metrics.get", "*")}}
	ours := prometheus.NewRegistry()
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "shoal_test", ConstLabels: prometheus.Labels{"node": "a"}})
	gauge.Set(4)
	ours.MustRegister(gauge)
	s := f.front(Config{MasterKey: master, Families: ours})
	if w := call(t, s, "GET", "/metrics", "", "Authorization: Bearer "+s.admin.Auth.Value(testUID(1))); w.Code != 403 {
		t.Errorf("scoped key: %d", w.Code)
	}
	w := call(t, s, "GET", "/metrics", "", "Authorization: Bearer "+s.admin.Auth.Value(testUID(2)))
	got := w.Body.String()
	for _, line := range []string{
		`meilisearch_http_requests_total{method="GET",path="/metrics",status="403"} 1`,
		`meilisearch_db_size_bytes 2048`, `meilisearch_index_docs_count{index="movies"} 1`, `meilisearch_search_queue_size 1000`,
		`meilisearch_task_queue_size_until_stop_registering 8.5899345`, "# TYPE meilisearch_is_indexing gauge", "process_start_time_seconds",
		`meilisearch_batch_running_progress_trace{batch_uid="3",step_name="indexing"} 0.5`,
		`meilisearch_last_finished_batches_progress_trace_ms{batch_uid="2",step_name="processing tasks"} 12`,
		`meilisearch_last_indexed_documents_count{batch_uid="1",index="movies"} 7`, `meilisearch_last_indexed_documents_duration_ms{batch_uid="1",index="movies"} 9`,
		"meilisearch_personalized_search_requests 0", `shoal_test{node="a"} 4`,
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
	if runtime.GOOS == "linux" && !strings.Contains(got, "# TYPE process_threads gauge") {
		t.Errorf("no process_threads in\n%s", got)
	}
	if w.Header().Get("Content-Type") != "text/plain; version=0.0.4" {
		t.Errorf("%v", w.Header())
	}
}

func TestClosedFeatures(t *testing.T) {
	s := (&fake{}).front(Config{})
	expectError(t, call(t, s, "GET", "/chats", ""), 400, apierr.CodeFeatureNotEnabled, "listing the chats requires enabling the `chat completions` experimental feature. See https://github.com/orgs/meilisearch/discussions/835")
	expectError(t, call(t, s, "POST", "/dynamic-search-rules", "{}"), 400, apierr.CodeFeatureNotEnabled, "Calling the `POST /dynamic-search-rules` route requires enabling the `dynamic search rules` experimental feature. See https://github.com/orgs/meilisearch/discussions/884")
	expectError(t, call(t, s, "POST", "/render-template", `{"template":{"kind":"inlineDocumentTemplate","inline":"x"}}`), 400, apierr.CodeFeatureNotEnabled, "calling the /render-template route requires enabling the `render_route` experimental feature. See https://github.com/orgs/meilisearch/discussions/888")
}

func TestRenderTemplateBody(t *testing.T) {
	s := (&fake{}).front(Config{})
	expectError(t, call(t, s, "POST", "/render-template", "{}"), 400, apierr.CodeBadRequest, "Missing field `template`")
}

func TestPrivateNetworks(t *testing.T) {
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for address, ok := range map[string]bool{
		"93.184.216.34:80": true, "127.0.0.1:80": false, "10.0.0.1:80": false, "10.1.2.3:80": true, "[::1]:80": false,
		"[::ffff:127.0.0.1]:80": false, "169.254.169.254:80": false, "100.64.0.1:80": false, "0.0.0.0:80": false, "[2606:4700::1]:80": true,
	} {
		if err := checkAddress(address, allowed); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := NewOutbound([]string{"nonsense"}); err == nil {
		t.Error("nonsense accepted")
	}
}
