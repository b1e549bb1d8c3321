package httpfront

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/httpfront/routing"
	"shoal/wire"
)

func TestPathsAndMethods(t *testing.T) {
	s := (&fake{}).front(Config{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/health", 200, ""},
		{"GET", "//health//", 200, ""},
		{"GET", "/Health", 404, ""},
		{"GET", "/he%61lth", 200, ""},
		{"PUT", "/indexes/movies/%73earch", 405, "GET, POST"},
		{"GET", "/he%2561lth", 404, ""},
		{"HEAD", "/health", 405, "GET"},
		{"OPTIONS", "/health", 405, "GET"},
		{"GET", "/", 200, ""},
		{"GET", "/nope", 404, ""},
		{"GET", "/health#part", 200, ""},
		{"GET", "/health?#/a?b=%zz", 200, ""},
		{"GET", "/health%23part", 404, ""},
		{"POST", "/indexes/movies/nope", 404, ""},
		{"DELETE", "/multi-search", 405, "POST"},
		{"PUT", "/indexes/movies/search", 405, "GET, POST"},
		{"GET", "/tasks/cancel", 405, "POST"},
		{"PATCH", "/keys", 405, "GET, POST"},
		{"GET", "/tasks/stream", 400, ""},
	} {
		w := call(t, s, c.method, c.path, "")
		if w.Code != c.status || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, allow %q; want %d, %q", c.method, c.path, w.Code, w.Header().Get("Allow"), c.status, c.allow)
		}
		if got := w.Header().Get("Vary"); got != "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" {
			t.Errorf("%s %s: vary %q", c.method, c.path, got)
		}
		if c.status == 404 || c.status == 405 {
			if w.Body.Len() != 0 || w.Header().Get("Content-Length") != "0" || w.Header().Get("Content-Type") != "" {
				t.Errorf("%s %s: an empty answer was expected: %v %q", c.method, c.path, w.Header(), w.Body)
			}
		}
	}
}

func TestCORS(t *testing.T) {
	s := (&fake{}).front(Config{MasterKey: "masterKeymasterKey"})
	w := call(t, s, "OPTIONS", "/no/such/path", "", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: x-a")
	h := w.Header()
	if w.Code != 200 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Headers") != "x-a" || h.Get("Access-Control-Max-Age") != "86400" {
		t.Errorf("preflight: %d %v", w.Code, h)
	}
	w = call(t, s, "OPTIONS", "/health", "", "Access-Control-Request-Method: G T")
	if w.Code != 400 || w.Body.String() != "Requested method is not allowed" || w.Header().Get("Vary") != "" {
		t.Errorf("bad preflight: %d %q %v", w.Code, w.Body, w.Header())
	}
	w = call(t, s, "GET", "/health", "", "Origin: http://a")
	if w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("origin: %v", w.Header())
	}
	if w = call(t, s, "GET", "/health", ""); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("no origin: %v", w.Header())
	}
}

func TestEncodedAnswers(t *testing.T) {
	s := (&fake{}).front(Config{})
	const want = `{"status":"available"}`
	for name, open := range map[string]func(io.Reader) io.Reader{
		"gzip":    func(r io.Reader) io.Reader { z, _ := gzip.NewReader(r); return z },
		"deflate": func(r io.Reader) io.Reader { z, _ := zlib.NewReader(r); return z },
		"br":      func(r io.Reader) io.Reader { return brotli.NewReader(r) },
	} {
		for range 2 { // the second use takes a pooled writer
			w := call(t, s, "GET", "/health", "", "Accept-Encoding: "+name)
			got, err := io.ReadAll(open(w.Body))
			if err != nil || string(got) != want || w.Header().Get("Content-Encoding") != name {
				t.Errorf("%s: %q %v %v", name, got, err, w.Header())
			}
			if v := w.Header().Values("Vary"); len(v) != 2 || v[1] != "accept-encoding" {
				t.Errorf("%s: vary %v", name, v)
			}
		}
	}
	w := call(t, s, "GET", "/health", "", "Accept-Encoding: identity;q=0")
	if w.Code != 406 || w.Body.String() != "br, gzip, deflate" || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("not acceptable: %d %q %v", w.Code, w.Body, w.Header())
	}
}

func TestBodies(t *testing.T) {
	s := (&fake{}).front(Config{Routing: routing.Config{PayloadLimit: 100}})
	packed := func(pack func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		w := pack(&b)
		if _, err := w.Write([]byte(`{"q":"x"}`)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	gz := packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	zl := packed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	br := packed(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	big := `{"q":"` + strings.Repeat("x", 200) + `"}`
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	if _, err := zip.Write([]byte(big)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body, headers string
		status        int
		code, message string
	}{
		{gz, "Content-Encoding: gzip", 200, "", ""},
		{zl, "Content-Encoding: deflate", 200, "", ""},
		{br, "Content-Encoding: br", 200, "", ""},
		{`{"q":"x"}`, "Content-Encoding: zstd", 200, "", ""},
		{`{"q":"x"}`, "Content-Type: application/vnd.api+json; charset=utf-8", 200, "", ""},
		{`{"q":"x"}`, "Content-Type: text/json", 200, "", ""},
		{br, "Content-Encoding: gzip", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidInput, error: \"invalid gzip header\" })"},
		{gz[:9], "Content-Encoding: gzip", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidInput, error: \"corrupt gzip stream does not have a matching checksum\" })"},
		{gz[:len(gz)-9], "Content-Encoding: gzip", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidInput, error: \"corrupt gzip stream does not have a matching checksum\" })"},
		{gz + gz, "Content-Encoding: gzip", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Error { kind: WriteZero, message: \"failed to write whole buffer\" })"},
		{zl + "x", "Content-Encoding: deflate", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Error { kind: WriteZero, message: \"failed to write whole buffer\" })"},
		{zl[:len(zl)-5], "Content-Encoding: deflate", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidInput, error: \"corrupt deflate stream\" })"},
		{gz, "Content-Encoding: deflate", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidInput, error: \"corrupt deflate stream\" })"},
		{gz, "Content-Encoding: br", 400, "bad_request", "Error that occur during reading payload: payload reached EOF before completing: Some(Custom { kind: InvalidData, error: \"Invalid Data\" })"},
		{"{}", "Content-Type: -", 415, "missing_content_type", "A Content-Type header is missing. Accepted values for the Content-Type header are: `application/json`"},
		{"{}", "Content-Type: text/plain", 415, "invalid_content_type", "The Content-Type `text/plain` is invalid. Accepted values for the Content-Type header are: `application/json`"},
		{"{}", "Content-Type: application/j\xe9son", 415, "invalid_content_type", "The Content-Type `unknown` is invalid. Accepted values for the Content-Type header are: `application/json`"},
		{"{}", "Content-Type: ", 415, "invalid_content_type", "The Content-Type `` is invalid. Accepted values for the Content-Type header are: `application/json`"},
		{"", "Content-Type: application/json", 400, "missing_payload", "A json payload is missing."},
		{"not json", "", 400, "malformed_payload", "The json payload provided is malformed. `expected ident at line 1 column 2`."},
		{big, "", 413, "payload_too_large", "JSON payload (208 bytes) is larger than allowed (limit: 100 bytes)."},
		{bomb.String(), "Content-Encoding: gzip", 413, "payload_too_large", "JSON payload has exceeded limit (100 bytes)."},
		{"3", "", 400, "bad_request", "Invalid value type: expected an object, but found a positive integer: `3`"},
	} {
		w := call(t, s, "POST", "/indexes/movies/search", c.body, c.headers)
		if c.code == "" {
			if w.Code != c.status {
				t.Errorf("%s: %d %s", c.headers, w.Code, w.Body)
			}
			continue
		}
		code, _ := apierr.CodeByName(c.code)
		expectError(t, w, c.status, code, c.message)
	}
	for _, encoding := range []string{"deflate", "br"} { // nothing is no damage
		w := call(t, s, "POST", "/indexes/movies/search", "", "Content-Encoding: "+encoding, "Content-Type: application/json")
		if w.Code != 400 || !strings.Contains(w.Body.String(), "missing_payload") {
			t.Errorf("%s without a body: %d %s", encoding, w.Code, w.Body)
		}
	}
}

func TestExactLimitPasses(t *testing.T) {
	body := `{"q":"xy"}`
	s := (&fake{}).front(Config{Routing: routing.Config{PayloadLimit: int64(len(body))}})
	if w := call(t, s, "POST", "/indexes/movies/search", body); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	chunked := httptest.NewRequest("POST", "/indexes/movies/search", io.MultiReader(strings.NewReader(body), strings.NewReader(" ")))
	chunked.ContentLength = -1
	chunked.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, chunked)
	expectError(t, w, 413, apierr.CodePayloadTooLarge, "JSON payload has exceeded limit (10 bytes).")
}

func TestPanicIsAnInternalError(t *testing.T) {
	s := (&fake{}).front(Config{})
	w := call(t, s, "POST", "/indexes/panics/search", "{}")
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"code":"internal"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// While one node read a dump in, the other nodes showed half of it and accepted writes.
func TestNothingIsServedWhileADumpIsReadIn(t *testing.T) {
	s := (&fake{importing: true}).front(Config{MasterKey: master})
	for _, r := range table() {
		if len(r.Actions) == 0 || r.Partial {
			continue
		}
		w := ask(&r, s, "", "", master)
		if w.Code != 503 || w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), "is being read into the cluster") {
			t.Errorf("%s: %d %s", r.Name(), w.Code, w.Body)
		}
	}
	for _, open := range []string{"/", "/version", "/openapi.json"} {
		if w := call(t, s, "GET", open, "", "Authorization: Bearer "+master); w.Code != 200 {
			t.Errorf("%s: %d %s", open, w.Code, w.Body)
		}
	}
}

func TestStaleNode(t *testing.T) {
	f := &fake{stale: 9}
	s := f.front(Config{Routing: routing.Config{MaxStaleness: time.Minute}})
	w := call(t, s, "POST", "/indexes/movies/search", "{}")
	if w.Code != 200 || w.Header().Get("Shoal-Stale") != "9" {
		t.Errorf("search: %d %v", w.Code, w.Header())
	}
	for _, c := range [][2]string{{"GET", "/tasks"}, {"PATCH", "/experimental-features"}, {"POST", "/keys"}} {
		if w := call(t, s, c[0], c[1], ""); w.Code != 503 && c[1] != "/keys" || w.Code == 503 && w.Header().Get("Retry-After") != "10" {
			t.Errorf("%v: %d %v", c, w.Code, w.Header())
		}
	}
	f.stale = 61
	if w := call(t, s, "POST", "/indexes/movies/search", "{}"); w.Code != 503 {
		t.Errorf("too stale: %d", w.Code)
	}
	if w := call(t, s, "GET", "/health", ""); w.Code != 200 {
		t.Errorf("health: %d", w.Code)
	}
}

// A node that waited to be let into its cluster, or had joined a moment ago, answered
// searches of every index with 404 index_not_found.
func TestANodeWithoutTheStateOfItsClusterAnswersNothing(t *testing.T) {
	f := &fake{stale: 1, outside: "it waits outside"}
	s := f.front(Config{MasterKey: master, Routing: routing.Config{MaxStaleness: time.Minute}})
	for _, r := range table() {
		if len(r.Actions) == 0 {
			continue
		}
		w := ask(&r, s, "", "", master)
		if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "it waits outside") {
			t.Errorf("%s: %d %s", r.Name(), w.Code, w.Body)
		}
	}
	f.outside = ""
	if w := call(t, s, "POST", "/indexes/movies/search", "{}", "Authorization: Bearer "+master); w.Code != 200 {
		t.Errorf("let in: %d %s", w.Code, w.Body)
	}
}

// A key that was created while the node was cut off got 403 there, and nothing in the
// answer said that its data was old.
func TestANodeWithOldKeysAnswers503ForUnknownOnes(t *testing.T) {
	const old = 9
	f := &fake{stale: old, keys: []*api.Key{testKey(1, "search", "movies"), testKey(2, "search", "*")}}
	f.keys[1].ExpiresAtNanos = 1
	s := f.front(Config{MasterKey: master, Routing: routing.Config{MaxStaleness: time.Minute}})
	known, over, later := s.admin.Auth.Value(f.keys[0].UID), s.admin.Auth.Value(f.keys[1].UID), testKey(3, "search", "*")
	made := s.admin.Auth.Value(later.UID)
	tenant := sign("HS256", `{"searchRules":["*"],"apiKeyUid":"`+later.UID+`"}`, made)
	for name, c := range map[string]struct {
		token, method, path, body string
		status                    int
		stale                     bool
	}{
		"a known key":                     {known, "POST", "/indexes/movies/search", "{}", 200, true},
		"a key that is not known":         {made, "POST", "/indexes/movies/search", "{}", 503, true},
		"a token of it":                   {tenant, "POST", "/indexes/movies/search", "{}", 503, true},
		"a key that is over":              {over, "POST", "/indexes/movies/search", "{}", 503, true},
		"another index":                   {known, "POST", "/indexes/books/search", "{}", 503, true},
		"another index in a multi-search": {known, "POST", "/multi-search", `{"queries":[{"indexUid":"books"}]}`, 503, true},
		"an index that is not known":      {master, "GET", "/indexes/later/stats", "", 404, true},
		"no key":                          {"", "POST", "/indexes/movies/search", "{}", 401, true},
		"a write with a key not known":    {made, "POST", "/indexes/movies/documents", "[]", 503, false},
		"a write with a known key":        {master, "POST", "/indexes/movies/documents", "[]", 503, false},
		"a write without a key":           {"", "POST", "/indexes/movies/documents", "[]", 401, false},
	} {
		header := "Authorization: Bearer " + c.token
		if c.token == "" {
			header = "Authorization: -"
		}
		w := call(t, s, c.method, c.path, c.body, header)
		if stale := w.Header().Get("Shoal-Stale") == strconv.Itoa(old); w.Code != c.status || stale != c.stale {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), w.Body)
		}
		if w.Code == 503 && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no time to retry after", name)
		}
	}
	f.stale = 61
	if w := call(t, s, "POST", "/indexes/movies/search", "{}", "Authorization: Bearer "+made); w.Code != 503 || w.Header().Get("Shoal-Stale") != "" {
		t.Errorf("too old: %d %v", w.Code, w.Header())
	}
	f.stale = 0
	if w := call(t, s, "POST", "/indexes/movies/search", "{}", "Authorization: Bearer "+made); w.Code != 403 {
		t.Errorf("in contact: %d %s", w.Code, w.Body)
	}
}

// returning is a node that reaches the leader again, and has other keys, the second time
// that it is asked.
type returning struct {
	*fake
	asked int
	keys  []*api.Key
}

func (r *returning) Lease() (bool, int) {
	r.asked++
	if r.asked > 1 {
		r.fake.keys = r.keys
		return true, 0
	}
	return false, 3
}

// The caller was authorized before the wait, and the write was accepted afterwards.
func TestAKeyThatWasRevokedDuringTheWaitForALeaderIsRefused(t *testing.T) {
	key := testKey(1, "*", "*")
	f := &fake{keys: []*api.Key{key}}
	s := f.front(Config{MasterKey: master, Routing: routing.Config{MaxStaleness: time.Minute, LeaseWait: time.Minute}}, func(p *Ports) { p.Lease = &returning{fake: f} })
	if w := call(t, s, "GET", "/tasks", "", "Authorization: Bearer "+s.admin.Auth.Value(key.UID)); w.Code != 403 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// brokenSearch cannot reach some shard.
type brokenSearch struct {
	*fake
	err error
}

func (b brokenSearch) Search(context.Context, string, *api.SearchRequest) (*api.SearchResponse, error) {
	return nil, b.err
}

// Temporary conditions of the cluster become 503 with the time after which to retry.
func TestConditions(t *testing.T) {
	front := func(err error) *Server {
		f := &fake{}
		return f.front(Config{}, func(p *Ports) { p.Search = brokenSearch{f, err} })
	}
	for err, code := range map[error]apierr.Code{
		wire.ErrUnavailable: apierr.CodeShardUnavailable, fmt.Errorf("shard 3: %w", wire.ErrGone): apierr.CodeShardUnavailable,
		wire.ErrNoLeader: apierr.CodeNoLeader, wire.ErrNotLeader: apierr.CodeNoLeader,
	} {
		w := call(t, front(err), "POST", "/indexes/movies/search", "{}")
		if w.Code != 503 || codeOf(w) != code.Name || w.Header().Get("Retry-After") != "10" {
			t.Errorf("%v: %d %s %v", err, w.Code, w.Body, w.Header())
		}
	}
	if w := call(t, front(errors.New("a fault of ours")), "POST", "/indexes/movies/search", "{}"); w.Code != 500 || codeOf(w) != "internal" || w.Header().Get("Retry-After") != "" {
		t.Errorf("fault: %d %s", w.Code, w.Body)
	}
}

func TestServeAndShutdown(t *testing.T) {
	s := (&fake{}).front(Config{})
	server := httptest.NewUnstartedServer(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(server.Listener) }()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	resp, err := client.Get("http://" + server.Listener.Addr().String() + "/health")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != `{"status":"available"}` || resp.ContentLength != int64(len(body)) {
		t.Errorf("%q %v", body, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestGatheredAnswers reads answers of all sizes around the buffer's over one
// connection each, also when the client asks for the next one at once.
func TestGatheredAnswers(t *testing.T) {
	f := &fake{}
	s := f.front(Config{})
	server := httptest.NewUnstartedServer(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(server.Listener) }()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 1}}
	url := "http://" + server.Listener.Addr().String() + "/indexes/movies/search"
	for size := range 40 {
		text := strings.Repeat("x", 3500+size*50)
		for _, q := range []string{text, "short", strings.Repeat(text, 20)} {
			resp, err := client.Post(url, "application/json", strings.NewReader(`{"q":"`+q+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || int64(len(body)) != resp.ContentLength || !bytes.Contains(body, []byte(`"query":"`+q+`"`)) {
				t.Fatalf("size %d: %d bytes of %d: %v", len(q), len(body), resp.ContentLength, err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestVersionAndFallbacks(t *testing.T) {
	s := (&fake{}).front(Config{CommitSHA: "abc", CommitDate: "2026-07-23T14:39:41.000000000Z"})
	expect(t, call(t, s, "GET", "/version", ""), 200, `{"commitSha":"abc","commitDate":"2026-07-23T14:39:41.000000000Z","pkgVersion":"1.50.0"}`)
	expect(t, call(t, s, "GET", "/stats?sizeFormat=human", ""), 200,
		`{"databaseSize":"2 KiB","usedDatabaseSize":"1 KiB","lastUpdate":null,"indexes":{"movies":{"numberOfDocuments":1,"rawDocumentDbSize":"12 B","avgDocumentSize":"12 B","isIndexing":false,"numberOfEmbeddings":0,"numberOfEmbeddedDocuments":0,"fieldDistribution":{"id":1}}}}`)
	expectError(t, call(t, s, "GET", "/indexes/x/stats", ""), 404, apierr.CodeIndexNotFound, "Index `x` not found.")
	newer := (&fake{}).front(Config{Version: api.Version157})
	expect(t, call(t, newer, "GET", "/stats", ""), 200,
		`{"databaseSize":2048,"usedDatabaseSize":1024,"lastUpdate":null,"indexes":{"movies":{"numberOfDocuments":1,"indexSize":64,"usedIndexSize":64,"rawDocumentDbSize":12,"avgDocumentSize":12,"isIndexing":false,"numberOfEmbeddings":0,"numberOfEmbeddedDocuments":0,"fieldDistribution":{"id":1}}}}`)
	expectError(t, call(t, s, "GET", "/metrics", ""), 400, apierr.CodeFeatureNotEnabled,
		"Getting metrics requires enabling the `metrics` experimental feature. See https://github.com/meilisearch/product/discussions/625")
}
