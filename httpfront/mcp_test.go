package httpfront

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
)

// modelServer is a server with tools; key 1 may search all indexes, key 2 read tasks.
func modelServer() (*fake, *Server) {
	f := &fake{features: settings.Features{MCPRoute: true}, keys: []*api.Key{testKey(1, "search", "*"), testKey(2, "tasks.get", "*")}}
	return f, f.front(Config{MasterKey: master}, func(p *Ports) { p.DocumentPorts = (&fakeStore{}).ports() })
}

// say sends a message and returns its answer.
func say(t *testing.T, s *Server, key, message string) (answer struct {
	Result struct {
		ProtocolVersion string
		Tools           []struct {
			Name        string
			InputSchema struct {
				Properties map[string]any
				Required   []string
			}
		}
		Content []struct{ Text string }
		IsError bool
	}
	Error struct {
		Code    int
		Message string
	}
}) {
	t.Helper()
	w := call(t, s, "POST", "/mcp", message, "Authorization: Bearer "+key)
	if w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		t.Fatalf("%s: %d %s", message, w.Code, w.Body)
	}
	return answer
}

func toolNames(t *testing.T, s *Server, key string) (names []string) {
	t.Helper()
	for _, tool := range say(t, s, key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestAKeySeesTheToolsThatItMayUse(t *testing.T) {
	_, s := modelServer()
	if got := toolNames(t, s, master); len(got) != 18 {
		t.Errorf("the master key sees %v", got)
	}
	if got := toolNames(t, s, s.admin.Auth.Value(testUID(1))); !slices.Equal(got, []string{"search", "multi-search", "facet-search"}) {
		t.Errorf("a key for searches sees %v", got)
	}
	if got := toolNames(t, s, s.admin.Auth.Value(testUID(2))); !slices.Equal(got, []string{"get-tasks", "get-task"}) {
		t.Errorf("a key for tasks sees %v", got)
	}
	got := say(t, s, s.admin.Auth.Value(testUID(2)), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"indexUid":"movies"}}}`)
	if got.Error.Code != -32602 || got.Error.Message != "There is no tool `search` for this key." {
		t.Errorf("another key's tool: %+v", got)
	}
	expectError(t, call(t, s, "POST", "/mcp", `{}`), 401, apierr.CodeMissingAuthorizationHeader, "The Authorization header is missing. It must use the bearer authorization method.")
	expectError(t, call(t, s, "POST", "/mcp", `{}`, "Authorization: Bearer x"), 403, apierr.CodeInvalidAPIKey, "The provided API key is invalid.")
}

func TestToolsAreTheRoutesOfTheAPI(t *testing.T) {
	f, s := modelServer()
	for _, tool := range say(t, s, master, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Result.Tools {
		if tool.Name == "search" && (tool.InputSchema.Properties["filter"] == nil || !slices.Equal(tool.InputSchema.Required, []string{"indexUid"})) {
			t.Errorf("search takes %+v", tool.InputSchema)
		}
	}
	got := say(t, s, master, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"search","arguments":{"indexUid":"movies","q":"x","limit":3}}}`)
	if got.Result.IsError || len(got.Result.Content) != 1 || !strings.HasPrefix(got.Result.Content[0].Text, `{"hits":[{"id":1,`) || f.searched.Limit != 3 || *f.searched.Q != "x" {
		t.Errorf("%+v", got)
	}
	// If a route refuses a call, the model gets its error.
	got = say(t, s, master, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"indexUid":"movies","limit":"three"}}}`)
	if !got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, "invalid_search_limit") {
		t.Errorf("%+v", got)
	}
	for _, arguments := range []string{`{}`, `{"indexUid":".."}`} {
		got = say(t, s, master, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-settings","arguments":`+arguments+`}}`)
		if !got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, "Missing field `indexUid`") {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	got = say(t, s, master, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-index","arguments":{"indexUid":"../keys"}}}`)
	if !got.Result.IsError {
		t.Errorf("a path that leads elsewhere: %+v", got)
	}
}

func TestMessagesAreThoseOfTheProtocol(t *testing.T) {
	_, s := modelServer()
	for asked, want := range map[string]string{"2025-03-26": "2025-03-26", "1999-01-01": "2025-11-25"} {
		if got := say(t, s, master, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+asked+`"}}`); got.Result.ProtocolVersion != want {
			t.Errorf("%s: %+v", asked, got)
		}
	}
	key := "Authorization: Bearer " + master
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                                     `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","method":"none"}`:                                   `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"There is no method ` + "`none`" + `."}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"note"}]`: `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
		`[]`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A request has 1 to 100 messages."}}`,
		`7`:  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message is an object with a ` + "`method`" + `."}}`,
	} {
		expect(t, call(t, s, "POST", "/mcp", message, key), 200, want)
	}
	expect(t, call(t, s, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, key), 202, "")
	expect(t, call(t, s, "GET", "/mcp", "", key, "Mcp-Protocol-Version: 2025-06-18"), 405, "")
	expectError(t, call(t, (&fake{}).front(Config{}), "POST", "/mcp", `{}`), 400, apierr.CodeFeatureNotEnabled,
		"Using the /mcp route requires enabling the `mcp route` experimental feature.")
}

// metadata is what a request of the version without a handshake says of its client.
func metadata(version string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}}`
}

func TestARequestWithoutAHandshakeNamesItsVersionAndHasItsStatus(t *testing.T) {
	_, s := modelServer()
	const version = "2026-07-28"
	for _, c := range []struct{ method, name, params, header, want string }{
		{"server/discover", "", metadata(version), version, `200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":60000,"cacheScope":"private","supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"capabilities":`},
		{"tools/list", "", metadata(version), version, `200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":60000,"cacheScope":"private","tools":[{"name":"search",`},
		{"tools/call", "search", metadata(version) + `,"name":"search","arguments":{"indexUid":"movies"}`, version, `200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[`},
		{"tools/call", "=?base64?c2VhcmNo?=", metadata(version) + `,"name":"search","arguments":{"indexUid":"movies"}`, version, `200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[`},
		{"tools/call", "none", metadata(version) + `,"name":"none"`, version, `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"tools/call", "get-index", metadata(version) + `,"name":"search"`, version, `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"The header ` + "`Mcp-Name`"},
		{"ping", "", metadata(version), version, `404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"initialize", "", metadata(version), version, `404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"tools/list", "", metadata(version), "2025-11-25", `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"The header ` + "`Mcp-Protocol-Version`"},
		{"tools/list", "", metadata(version), "-", `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,`},
		{"tools/list", "", "", version, `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"tools/list", "", metadata("2027-01-01"), "2027-01-01", `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"This server does not speak version ` + "`2027-01-01`" + ` of the protocol.","data":{"supported":["2024-11-05",`},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":{` + c.params + `}}`
		w := call(t, s, "POST", "/mcp", body, "Authorization: Bearer "+master, "Mcp-Protocol-Version: "+c.header, "Mcp-Method: "+c.method, "Mcp-Name: "+c.name)
		if got := strconv.Itoa(w.Code) + " " + w.Body.String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, header %s, name %s: %.300s, want %s", body, c.header, c.name, got, c.want)
		}
	}
	key := "Authorization: Bearer " + master
	if w := call(t, s, "POST", "/mcp", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, key, "Mcp-Protocol-Version: "+version); w.Code != 400 {
		t.Errorf("a list of messages: %d %s", w.Code, w.Body)
	}
	expect(t, call(t, s, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, key, "Mcp-Protocol-Version: "+version), 202, "")
	// The handshake offers the newest of the versions that have one.
	if got := say(t, s, master, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}}`); got.Result.ProtocolVersion != "2025-11-25" {
		t.Errorf("a handshake: %+v", got)
	}
}

// sender returns a function that sends requests with the master key.
func sender(t *testing.T, address string) func(method, target, body string) *http.Response {
	return func(method, target, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, address+target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+master)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
}

// nextEvent reads the data of the next event.
func nextEvent(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatal("the stream has ended")
	return ""
}

func TestASessionAnswersByItsStreamAndBelongsToItsKey(t *testing.T) {
	_, s := modelServer()
	web := httptest.NewServer(s)
	defer web.Close()
	send := sender(t, web.URL)
	stream := send("GET", "/mcp", "")
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	endpoint := nextEvent(t, lines)
	if !strings.HasPrefix(endpoint, "/mcp?sessionId=") {
		t.Fatal(endpoint)
	}
	res := send("POST", endpoint, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	_ = res.Body.Close()
	if got := nextEvent(t, lines); res.StatusCode != 202 || got != `{"jsonrpc":"2.0","id":3,"result":{}}` {
		t.Errorf("%d, then %s", res.StatusCode, got)
	}
	if w := call(t, s, "POST", endpoint, `{}`, "Authorization: Bearer "+s.admin.Auth.Value(testUID(1))); w.Code != 404 {
		t.Errorf("another key in the session: %d", w.Code)
	}
	s.mcp.Close()
	if lines.Scan(); lines.Scan() {
		t.Errorf("after the end: %s", lines.Text())
	}
}

func TestASessionWhoseClientDoesNotReadTakesNoMoreCalls(t *testing.T) {
	_, s := modelServer()
	web := httptest.NewServer(s)
	defer web.Close()
	send := sender(t, web.URL)
	stream := send("GET", "/mcp", "")
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	lines.Buffer(nil, 1<<20)
	endpoint := nextEvent(t, lines)
	accepted := 0
	for ; accepted < 5000; accepted++ { // the buffers of the connection fill first
		res := send("POST", endpoint, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		_ = res.Body.Close()
		if res.StatusCode == 503 && res.Header.Get("Retry-After") != "" {
			break
		}
		if res.StatusCode != 202 {
			t.Fatalf("call %d: %d", accepted, res.StatusCode)
		}
	}
	if accepted == 5000 {
		t.Fatal("5,000 answers wait for a client that does not read")
	}
	// Calls that were accepted are answered when the client reads again.
	for i := range accepted {
		if got := nextEvent(t, lines); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`) {
			t.Fatalf("answer %d: %.200s", i, got)
		}
	}
}

func TestMessagesAndAnswersOfModelsAreBounded(t *testing.T) {
	f, s := modelServer()
	key := "Authorization: Bearer " + master
	if w := call(t, s, "POST", "/mcp", `{"x":"`+strings.Repeat("a", 4<<20)+`"}`, key); w.Code != 413 {
		t.Errorf("a message of 4 MiB: %d", w.Code)
	}
	f.wide = 1 << 20
	got := say(t, s, master, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"indexUid":"movies"}}}`)
	if !got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, "payload_too_large") {
		t.Errorf("an answer of 1 MiB: %.200s", got.Result.Content[0].Text)
	}
}
