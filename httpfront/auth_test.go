package httpfront

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/httpfront/auth"
)

const master = "MASTER_KEY"

// keyUID returns the uid of a test key by its number.
func testUID(n int) string { return "00000000-0000-4000-8000-00000000000" + strconv.Itoa(n) }

func testKey(n int, actions, indexes string) *api.Key {
	return &api.Key{UID: testUID(n), Actions: strings.Fields(actions), Indexes: strings.Fields(indexes), CreatedAt: int64(n)}
}

// sign makes a tenant token.
func sign(alg, claims, secret string) string {
	b64 := base64.RawURLEncoding
	text := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"`+alg+`"}`)) + "." + b64.EncodeToString([]byte(claims))
	hashes := map[string]func() hash.Hash{"HS256": sha256.New, "HS384": sha512.New384, "HS512": sha512.New}
	h := hashes[alg]
	if h == nil {
		h = sha256.New
	}
	mac := hmac.New(h, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + b64.EncodeToString(mac.Sum(nil))
}

// TestKeyValues holds the vectors of spec tasks-auth-ops-api 6.2.
func TestKeyValues(t *testing.T) {
	a := auth.New(master, fakeKeys{&fake{}}, time.Now)
	for uid, want := range map[string]string{
		"00000000-0000-0000-0000-000000000000": "aeb94973e0b6e912d94165430bbe87dee91a7c4f891ce19050c3910ec96977e9",
		"11111111-1111-4111-8111-111111111111": "d0de5f0ac1c457e9d8999897a7a31dfec35d584db3716fc46774a19e10a71f13",
	} {
		if got := a.Value(uid); got != want {
			t.Errorf("%s: %s", uid, got)
		}
	}
}

// Each caller is told what its own key may do, and nothing of others.
func TestACallerIsToldWhatItsKeyMayDo(t *testing.T) {
	expired := testKey(4, "*", "*")
	expired.ExpiresAtNanos = time.Now().Add(-time.Second).UnixNano()
	f := &fake{keys: []*api.Key{testKey(1, "search", "movies b*"), testKey(2, "documents.* version", "*"), testKey(3, "*", "movies"), expired}}
	s := f.front(Config{MasterKey: master})
	value := func(n int) string { return s.admin.Auth.Value(testUID(n)) }
	tenant := sign("HS256", `{"searchRules":["bananas"],"apiKeyUid":"`+testUID(1)+`"}`, value(1))
	for _, c := range []struct {
		token, want string
		status      int
	}{
		{value(1), `{"actions":["search"],"indexes":["movies","b*"]}`, 200},
		{value(2), `{"actions":["documents.add","documents.get","documents.delete","version"],"indexes":["*"]}`, 200},
		{tenant, `{"actions":["search"],"indexes":["bananas"]}`, 200},
		{value(3), `"indexes":["movies"]}`, 200},
		{master, `{"actions":["*","search",`, 200},
		{value(4), "The provided API key is invalid.", 403},
		{"wrong", "The provided API key is invalid.", 403},
		{"", "The Authorization header is missing", 401},
	} {
		var headers []string
		if c.token != "" {
			headers = []string{"Authorization: Bearer " + c.token}
		}
		if w := call(t, s, "GET", "/cluster/rights", "", headers...); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("with %q: %d %s; want %d %s", c.token, w.Code, w.Body, c.status, c.want)
		}
	}
	open := (&fake{}).front(Config{})
	if w := call(t, open, "GET", "/cluster/rights", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"*","search"`) || strings.Contains(w.Body.String(), "keys.get") {
		t.Errorf("without a master key: %d %s; want everything but keys", w.Code, w.Body)
	}
}

// TestDecisionTable is spec tasks-auth-ops-api 6.3, line by line.
func TestDecisionTable(t *testing.T) {
	expired := testKey(4, "*", "*")
	expired.ExpiresAtNanos = time.Now().Add(-time.Second).UnixNano()
	f := &fake{keys: []*api.Key{
		testKey(1, "search", "movies b*"), testKey(2, "documents.* tasks.get", "mov*"), testKey(3, "*", "movies"), expired,
		testKey(5, "*.get", "*"), testKey(6, "search", ""), testKey(7, "*", "*"),
	}}
	s := f.front(Config{MasterKey: master})
	value := func(n int) string { return "Bearer " + s.admin.Auth.Value(testUID(n)) }
	const (
		none  = "The Authorization header is missing. It must use the bearer authorization method."
		wrong = "The provided API key is invalid."
	)
	search, tasks, version := "POST /indexes/movies/search", "GET /tasks", "GET /version"
	for _, c := range []struct {
		request, authorization string
		status                 int
		message                string
	}{
		{search, "", 401, none},
		{search, "bearer " + master, 401, none},
		{search, "Basic " + master, 401, none},
		{search, master, 401, none},
		{search, "Bearer", 403, wrong},
		{search, "Bearer ", 403, wrong},
		{search, "Bearer a b", 403, wrong},
		{search, "Bearer " + master, 200, ""},
		{search, value(1), 200, ""},
		{search, strings.ToUpper(value(1)), 401, none},
		{search, "Bearer " + strings.ToUpper(s.admin.Auth.Value(testUID(1))), 200, ""},
		{search, value(2), 403, wrong},
		{search, value(4), 403, wrong},
		{search, value(6), 403, "The API key cannot acces the index `movies`, authorized indexes are []."},
		{"POST /indexes/other/search", value(1), 403, "The API key cannot acces the index `other`, authorized indexes are [\"b*\", \"movies\"]."},
		{"POST /indexes/other/search", value(2), 403, "The API key cannot acces the index `other`, authorized indexes are [\"mov*\"]."},
		{"POST /indexes/bananas/search", value(1), 200, ""},
		{tasks, value(2), 200, ""},
		{tasks, value(1), 403, wrong},
		{tasks, value(5), 200, ""},
		{version, value(3), 403, wrong},
		{version, value(5), 200, ""},
		{version, value(7), 200, ""},
		{"GET /keys", value(5), 403, wrong},
		{"GET /keys", value(7), 200, ""},
		{"GET /keys", "", 401, none},
		{"GET /health", "Bearer wrong", 200, ""},
		{"GET /nope", "Bearer wrong", 404, ""},
		{"POST /render-template", value(2), 403, wrong},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		body := ""
		if method == "POST" {
			body = "{}"
		}
		var headers []string
		if c.authorization != "" {
			headers = []string{"Authorization: " + c.authorization}
		}
		w := call(t, s, method, path, body, headers...)
		if w.Code != c.status || c.message != "" && !strings.Contains(w.Body.String(), string(jsonvalue.AppendString(nil, c.message))) {
			t.Errorf("%s with %q: %d %s; want %d %s", c.request, c.authorization, w.Code, w.Body, c.status, c.message)
		}
	}
}

func TestWithoutMasterKey(t *testing.T) {
	s := (&fake{}).front(Config{})
	for authorization, status := range map[string]int{"Bearer anything": 200, "": 200, "Basic x": 401, "Bearer": 403} {
		var headers []string
		if authorization != "" {
			headers = []string{"Authorization: " + authorization}
		}
		if w := call(t, s, "GET", "/version", "", headers...); w.Code != status {
			t.Errorf("%q: %d", authorization, w.Code)
		}
	}
	for _, authorization := range []string{"Bearer x", "-"} {
		expectError(t, call(t, s, "GET", "/keys", "", "Authorization: "+authorization), 401, apierr.CodeMissingMasterKey,
			"Meilisearch is running without a master key. To access this API endpoint, you must have set a master key at launch.")
	}
}

func TestTenantTokens(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "movies b*"), testKey(2, "documents.get", "*")}}
	s := f.front(Config{MasterKey: master})
	secret := s.admin.Auth.Value(testUID(1))
	uid := `"apiKeyUid":"` + testUID(1) + `"`
	const wrong = "The provided API key is invalid."
	past := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for name, c := range map[string]struct {
		token, path, message string
	}{
		"array":              {sign("HS256", `{"searchRules":["movies"],`+uid+`}`, secret), "/indexes/movies/search", ""},
		"384":                {sign("HS384", `{"searchRules":{"*":null},`+uid+`}`, secret), "/indexes/movies/search", ""},
		"512":                {sign("HS512", `{"searchRules":{"mov*":{}},"exp":null,`+uid+`}`, secret), "/indexes/movies/search", ""},
		"rule forbids":       {sign("HS256", `{"searchRules":["b*","a"],`+uid+`}`, secret), "/indexes/movies/search", "The provided tenant token cannot acces the index `movies`, allowed indexes are [\"a\", \"b*\"]."},
		"parent forbids":     {sign("HS256", `{"searchRules":["*"],`+uid+`}`, secret), "/indexes/other/search", "The API key used to generate this tenant token cannot acces the index `other`."},
		"other route":        {sign("HS256", `{"searchRules":["*"],`+uid+`}`, secret), "/indexes/movies/documents/1", wrong},
		"signature":          {sign("HS256", `{"searchRules":["*"],`+uid+`}`, secret+"x"), "/indexes/movies/search", "Could not decode tenant token, InvalidSignature."},
		"master signs":       {sign("HS256", `{"searchRules":["*"],`+uid+`}`, master), "/indexes/movies/search", "Could not decode tenant token, InvalidSignature."},
		"algorithm":          {sign("RS256", `{"searchRules":["*"],`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, InvalidAlgorithm."},
		"audience":           {sign("HS256", `{"searchRules":["*"],"aud":"x",`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, InvalidAudience."},
		"unknown parent":     {sign("HS256", `{"searchRules":["*"],"apiKeyUid":"`+testUID(9)+`"}`, s.admin.Auth.Value(testUID(9))), "/indexes/movies/search", wrong},
		"parent lacks right": {sign("HS256", `{"searchRules":["*"],"apiKeyUid":"`+testUID(2)+`"}`, s.admin.Auth.Value(testUID(2))), "/indexes/movies/search", wrong},
		"no uid":             {sign("HS256", `{"searchRules":["*"]}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: missing field `apiKeyUid` at line 1 column 21."},
		"float exp":          {sign("HS256", `{"searchRules":["*"],"exp":1.5,`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: invalid type: floating point `1.5`, expected i64 at line 1 column 30."},
		"text exp":           {sign("HS256", "{\n"+`"exp":"a\"b"`+`,"searchRules":3}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: invalid type: string \"a\\\"b\", expected i64 at line 2 column 12."},
		"list exp":           {sign("HS256", `{"exp":[1],`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: invalid type: sequence, expected i64 at line 1 column 7."},
		"huge exp":           {sign("HS256", `{"exp":9223372036854775808,`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: invalid value: integer `9223372036854775808`, expected i64 at line 1 column 26."},
		"rules first":        {sign("HS256", `{"searchRules":3 ,`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: data did not match any variant of untagged enum SearchRules at line 1 column 17."},
		"rules last":         {sign("HS256", `{"exp":1,"searchRules":{"a":[]}}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: data did not match any variant of untagged enum SearchRules at line 1 column 32."},
		"rule in a list":     {sign("HS256", `{"searchRules":{"movies":[null]},`+uid+`}`, secret), "/indexes/movies/search", ""},
		"number uid":         {sign("HS256", `{"searchRules":["*"],"apiKeyUid":3}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: invalid type: integer `3`, expected a formatted UUID string at line 1 column 34."},
		"wrong uid":          {sign("HS256", `{"searchRules":["*"],"apiKeyUid":"x"}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: UUID parsing failed: invalid character: found `x` at 0 at line 1 column 36."},
		"twice":              {sign("HS256", `{"searchRules":["*"],"searchRules":["*"],`+uid+`}`, secret), "/indexes/movies/search", "Could not decode tenant token, JSON error: duplicate field `searchRules` at line 1 column 34."},
		"audience of 3":      {sign("HS256", `{"searchRules":["*"],"aud":3,`+uid+`}`, secret), "/indexes/movies/search", ""},
		"two parts":          {"a.b", "/indexes/movies/search", wrong},
		"expired":            {sign("HS256", `{"searchRules":["*"],"exp":`+past+`,`+uid+`}`, secret), "/indexes/movies/search", "Tenant token expired. Was valid up to `" + past + "` and we're now `"},
	} {
		method := "POST"
		if strings.Contains(c.path, "/documents/") {
			continue // those routes belong to another table
		}
		w := call(t, s, method, c.path, "{}", "Authorization: Bearer "+c.token)
		switch {
		case c.message == "" && w.Code != 200:
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		case c.message != "":
			start := strings.TrimSuffix(string(jsonvalue.AppendString(nil, c.message)), `"`)
			if w.Code != 403 || !strings.Contains(w.Body.String(), start) {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
	}
	w := call(t, s, "GET", "/tasks", "", "Authorization: Bearer "+sign("HS256", `{"searchRules":["*"],`+uid+`}`, secret))
	expectError(t, w, 403, apierr.CodeInvalidAPIKey, wrong)
}

func TestTenantFilters(t *testing.T) {
	f := &fake{keys: []*api.Key{testKey(1, "search", "*")}}
	s := f.front(Config{MasterKey: master})
	token := sign("HS256", `{"apiKeyUid":"`+testUID(1)+`","searchRules":{"*":{"filter":"s = 1"},"mov*":{"filter":["p = 1",["q = 2"]]},"movies":{"filter":"e = 1","other":1},"free":null}}`, s.admin.Auth.Value(testUID(1)))
	for _, c := range []struct{ index, body, want string }{
		{"movies", `{}`, `"e = 1"`},
		{"movies", `{"filter":"u = 1 OR u = 2"}`, `["u = 1 OR u = 2","e = 1"]`},
		{"movers", `{"filter":["a = 1"]}`, `["a = 1","p = 1",["q = 2"]]`},
		{"movers", `{"filter":[]}`, `["p = 1",["q = 2"]]`},
		{"other", `{"filter":7}`, `[7,"s = 1"]`},
		{"free", `{"filter":"a = 1"}`, `"a = 1"`},
		{"free", `{}`, ``},
	} {
		if w := call(t, s, "POST", "/indexes/"+c.index+"/search", c.body, "Authorization: Bearer "+token); w.Code != 200 {
			t.Fatalf("%v: %d %s", c, w.Code, w.Body)
		}
		if got := string(f.searched.Filter); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
	w := call(t, s, "POST", "/multi-search", `{"queries":[{"indexUid":"movies"},{"indexUid":"other","filter":"a = 1"}]}`, "Authorization: Bearer "+token)
	if w.Code != 200 || string(f.many[0].Filter) != `"e = 1"` || string(f.many[1].Filter) != `["a = 1","s = 1"]` {
		t.Errorf("multi-search: %d %s %s %s", w.Code, w.Body, f.many[0].Filter, f.many[1].Filter)
	}
}

func TestKeyRoutes(t *testing.T) {
	f := &fake{}
	s := f.front(Config{MasterKey: master})
	ask := func(method, path, body string) (int, string) {
		w := call(t, s, method, path, body, "Authorization: Bearer "+master)
		return w.Code, w.Body.String()
	}
	uid := "22222222-2222-4222-8222-222222222222"
	value := s.admin.Auth.Value(uid)
	want := `{"name":null,"description":"d","key":"` + value + `","uid":"` + uid + `","actions":["search"],"indexes":["a*"],"expiresAt":"2090-01-01T00:00:00+02:00","createdAt":"1970-01-01T00:00:01Z","updatedAt":"1970-01-01T00:00:01Z"}`
	code, got := ask("POST", "/keys", `{"description":"d","uid":"22222222222242228222222222222222","actions":["search"],"indexes":["a*"],"expiresAt":"2090-01-01 00:00:00+02:00"}`)
	if code != 201 || got != want {
		t.Fatalf("created: %d %s\nwant %s", code, got, want)
	}
	for _, name := range []string{uid, strings.ToUpper(uid), "{" + uid + "}", "urn:uuid:" + uid, value, strings.ToUpper(value)} {
		if code, got := ask("GET", "/keys/"+name, ""); code != 200 || got != want {
			t.Errorf("%s: %d %s", name, code, got)
		}
	}
	if code, got := ask("GET", "/keys?limit=1", ""); code != 200 || got != `{"results":[`+want+`],"offset":0,"limit":1,"total":1}` {
		t.Errorf("list: %d %s", code, got)
	}
	if code, got := ask("GET", "/keys?offset=18446744073709551615&limit=18446744073709551615", ""); code != 200 || !strings.Contains(got, `"results":[]`) {
		t.Errorf("far list: %d %s", code, got)
	}
	if code, got := ask("PATCH", "/keys/"+value, `{"name":"n"}`); code != 200 || !strings.HasPrefix(got, `{"name":"n","description":"d"`) {
		t.Errorf("renamed: %d %s", code, got)
	}
	if code, got := ask("DELETE", "/keys/"+value, ""); code != 204 || got != "" {
		t.Errorf("deleted: %d %s", code, got)
	}
	if code, got := ask("DELETE", "/keys/"+uid, ""); code != 404 || got != refusal(apierr.CodeAPIKeyNotFound, "API key `"+uid+"` not found.") {
		t.Errorf("deleted twice: %d %s", code, got)
	}
}

func TestKeyRefusals(t *testing.T) {
	s := (&fake{keys: []*api.Key{testKey(1, "*", "*")}}).front(Config{MasterKey: master})
	rest := `"actions":["search"],"indexes":["a"],"expiresAt":null`
	future := "is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n"
	for _, c := range []struct {
		method, body, code, message string
	}{
		{"POST", `{"actions":["search"],"indexes":["a"]}`, "missing_api_key_expires_at", "Missing field `expiresAt`"},
		{"POST", `{}`, "missing_api_key_actions", "Missing field `actions`"},
		{"POST", `{"actions":["serch"]}`, "invalid_api_key_actions", "Unknown value `serch` at `.actions[0]`: did you mean `search`? expected one of `" + strings.Join(api.Actions, "`, `") + "`"},
		{"POST", `{"indexes":["x y"]}`, "invalid_api_key_indexes", "Invalid value at `.indexes[0]`: `x y` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*)."},
		{"POST", `{"indexes":["a b*"]}`, "invalid_api_key_indexes", "Invalid value at `.indexes[0]`: `a b` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*)."},
		{"POST", `{"uid":null}`, "invalid_api_key_uid", "Invalid value type at `.uid`: expected a string, but found null"},
		{"POST", `{"expiresAt":"2010-11-13T00:00:00Z"}`, "invalid_api_key_expires_at", "Invalid value at `.expiresAt`: `2010-11-13T00:00:00Z` " + future},
		{"POST", `{"expiresAt":"soon"}`, "invalid_api_key_expires_at", "Invalid value at `.expiresAt`: `soon` " + future},
		{"POST", `{"uid":"doggo"}`, "invalid_api_key_uid", "Invalid value at `.uid`: invalid character: found `o` at 1"},
		{"POST", `{"uid":"aaaaabbbbbccc"}`, "invalid_api_key_uid", "Invalid value at `.uid`: invalid length: found 13"},
		{"POST", `{"uid":"` + testUID(1) + `",` + rest + `}`, "api_key_already_exists", "`uid` field value `" + testUID(1) + "` is already an existing API key."},
		{"POST", `{"actions":["search","version"],"indexes":["a"],"expiresAt":null}`, "index_scoped_api_key_with_global_action", "cannot create index-scoped API key with global action `\"version\"`\n  - Hint: remove action `\"version\"` from the action list, or remove `indexes` to make the key global"},
		{"POST", `{"doggo":1}`, "bad_request", "Unknown field `doggo`: expected one of `description`, `name`, `uid`, `actions`, `indexes`, `expiresAt`"},
		{"PATCH", `{"actions":"doggo"}`, "immutable_api_key_actions", "Immutable field `actions`: expected one of `description`, `name`"},
		{"PATCH", `{"key":"doggo"}`, "bad_request", "Unknown field `key`: expected one of `description`, `name`"},
		{"PATCH", `{"name":["doggo"]}`, "invalid_api_key_name", "Invalid value type at `.name`: expected a string, but found an array: `[\"doggo\"]`"},
		{"PATCH", `{}`, "api_key_not_found", "API key `doggo` not found."},
	} {
		path := "/keys"
		if c.method == "PATCH" {
			path = "/keys/doggo"
		}
		w := call(t, s, c.method, path, c.body, "Authorization: Bearer "+master)
		code, _ := apierr.CodeByName(c.code)
		expectError(t, w, code.Status, code, c.message)
	}
}

// A key that expired in the year 9999, as applications write for "never", was refused.
func TestAKeyMayExpireBeyondTheRangeOfNanoseconds(t *testing.T) {
	s := (&fake{}).front(Config{MasterKey: master})
	for given, shown := range map[string]string{
		"9999-12-31":                "9999-12-31T00:00:00Z",
		"2262-04-12 00:00:00":       "2262-04-12T00:00:00Z",
		"9999-12-31T23:59:59-01:00": "9999-12-31T23:59:59-01:00",
	} {
		body := `{"actions":["search"],"indexes":["*"],"expiresAt":"` + given + `"}`
		w := call(t, s, "POST", "/keys", body, "Authorization: Bearer "+master)
		if w.Code != 201 || !strings.Contains(w.Body.String(), `"expiresAt":"`+shown+`"`) {
			t.Errorf("%s: %d %s", given, w.Code, w.Body)
			continue
		}
		value := strings.Split(w.Body.String(), `"key":"`)[1][:64]
		if w := call(t, s, "POST", "/indexes/movies/search", `{}`, "Authorization: Bearer "+value); w.Code == 403 {
			t.Errorf("%s: the key has expired: %s", given, w.Body)
		}
	}
}
