package httpfront

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// The tests of this file walk the tables of routes, parameters, bodies and
// settings, so that a new row is exercised without being named here.

// fakeCluster implements the routes under /cluster.
type fakeCluster struct{}

func (fakeCluster) Status(context.Context) (json.RawMessage, error) { return []byte(`{}`), nil }
func (fakeCluster) State(context.Context) (json.RawMessage, error)  { return []byte(`{}`), nil }

func (fakeCluster) UpdateIndex(context.Context, string, *uint64, *uint64) (json.RawMessage, error) {
	return []byte(`{}`), nil
}

func (fakeCluster) Drain(context.Context, string, bool) (json.RawMessage, error) {
	return []byte(`{}`), nil
}

func (fakeCluster) RemoveNode(context.Context, string, bool) (json.RawMessage, error) {
	return []byte(`{}`), nil
}

func (fakeCluster) Explain(context.Context, string, string, uint64) (string, error) { return "", nil }

// everything is a server with all ports and features, guarded by a master key;
// key 1 may do what actions says, on all indexes.
func everything(actions string) *Server {
	f := &fake{keys: []*api.Key{testKey(1, actions, "*")}}
	on := reflect.ValueOf(&f.features).Elem()
	for i := range on.NumField() {
		on.Field(i).SetBool(true)
	}
	return f.front(Config{MasterKey: master}, func(p *Ports) {
		p.DocumentPorts = (&fakeStore{settings: map[string]*settings.Settings{"p": settings.Default()}}).ports()
		p.Rules, p.Chats, p.Cluster = &fakeRules{rule: api.NewSearchRule("p")}, fakeChats{}, fakeCluster{}
	})
}

// Exceptions, each with its reason.
var (
	// wildcardOnly: a key for the family of actions does not open the route, as in
	// the reference (spec tasks-auth-ops-api 8.1).
	wildcardOnly = map[string]bool{"POST /indexes/{index_uid}/documents/edit": true}
	// bodyFirst are bodies that pass on routes that read the body before the query.
	bodyFirst = map[string]string{
		"POST /indexes/{index_uid}/documents/delete": `{"filter":"a = 1"}`,
		"POST /indexes/{index_uid}/documents/edit":   `{"function":"doc"}`,
	}
	// anyKey are routes for every key that is good for one of the tools that they offer, or
	// for anything at all.
	anyKey = map[string]bool{"POST /mcp": true, "GET /mcp": true, "GET /cluster/rights": true}
	// lenient bodies may have members that nobody knows (spec search-api 12).
	lenient = map[string]bool{"POST /indexes/{index_uid}/facet-search": true}
)

// filled is a path of the pattern, every parameter "p".
func filled(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = "p"
		}
	}
	return strings.Join(segments, "/")
}

// ask sends a request for a route; token is the bearer token, "" sends none.
func ask(r *routing.Route, s *Server, query, body, token string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(r.Method, filled(r.Pattern)+"?"+query, strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, leaving(req))
	return w
}

// leaving is a request whose client has left, for routes whose answer would be endless.
func leaving(r *http.Request) *http.Request {
	if !strings.Contains(r.URL.Path, "mcp") {
		return r
	}
	ctx, leave := context.WithCancel(r.Context())
	leave()
	return r.WithContext(ctx)
}

// codeOf is the code of an error answer, "" of another one.
func codeOf(w *httptest.ResponseRecorder) string {
	var e struct{ Code, Message string }
	if w.Code < 400 || json.Unmarshal(w.Body.Bytes(), &e) != nil {
		return ""
	}
	return e.Code
}

// Every route wants a key, refuses one without its action, and works with it.
func TestEveryRouteChecksItsKey(t *testing.T) {
	for _, r := range table() {
		body := ""
		if r.Method != "GET" && r.Method != "DELETE" {
			body = "{}"
		}
		if anyKey[r.Name()] {
			if got := codeOf(ask(&r, everything("*"), "", body, "")); got != "missing_authorization_header" {
				t.Errorf("%s without a key: %s", r.Name(), got)
			}
			continue
		}
		if len(r.Actions) == 0 {
			if w := ask(&r, everything(""), "", body, ""); w.Code != 200 {
				t.Errorf("%s is open, but answers %d %s", r.Name(), w.Code, w.Body)
			}
			continue
		}
		if got := codeOf(ask(&r, everything("*"), "", body, "")); got != "missing_authorization_header" {
			t.Errorf("%s without a key: %s", r.Name(), got)
		}
		other := "version"
		if r.Actions[0] == "version" {
			other = "stats.get"
		}
		s := everything(other)
		if got := codeOf(ask(&r, s, "", body, s.admin.Auth.Value(testUID(1)))); got != "invalid_api_key" {
			t.Errorf("%s with a key for %s: %s", r.Name(), other, got)
		}
		s = everything(strings.Join(r.Actions, " "))
		if wildcardOnly[r.Name()] {
			s = everything("*")
		}
		w := ask(&r, s, "", body, s.admin.Auth.Value(testUID(1)))
		if code := codeOf(w); w.Code >= 500 || w.Code == 401 || code == "invalid_api_key" {
			t.Errorf("%s with a key for %v: %d %s", r.Name(), r.Actions, w.Code, w.Body)
		}
		if w := ask(&r, everything(""), "", body, master); w.Code >= 500 || w.Code == 401 || w.Code == 403 {
			t.Errorf("%s with the master key: %d %s", r.Name(), w.Code, w.Body)
		}
	}
}

// Every path refuses the methods that the table does not have for it.
func TestEveryPathRefusesOtherMethods(t *testing.T) {
	s, methods := everything("*"), map[string][]string{}
	for _, r := range table() {
		methods[r.Pattern] = append(methods[r.Pattern], r.Method)
	}
	for pattern, has := range methods {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
			w := ask(&routing.Route{Method: method, Pattern: pattern}, s, "", "", master)
			allowed := strings.Contains(" "+strings.Join(has, " ")+" ", " "+method+" ")
			if (w.Code == http.StatusMethodNotAllowed) == allowed {
				t.Errorf("%s %s: %d, the table has %v", method, pattern, w.Code, has)
			}
			if !allowed && w.Header().Get("Allow") != strings.Join(has, ", ") {
				t.Errorf("%s %s: allow %q, the table has %v", method, pattern, w.Header().Get("Allow"), has)
			}
		}
	}
}

// Every parameter is known where the table has it, is refused elsewhere, and a
// wrong value of it has the code of its row.
func TestEveryParameter(t *testing.T) {
	for _, r := range table() {
		table := r.Query
		if table == nil {
			continue
		}
		s, body := everything("*"), "{}"
		if other := bodyFirst[r.Name()]; other != "" {
			body = other
		}
		if got := codeOf(ask(&r, s, "noSuchParameter=1", body, master)); got != "bad_request" {
			t.Errorf("%s?noSuchParameter: %s", r.Name(), got)
		}
		for _, d := range table.DescribeQuery() {
			good, bad := "a", ""
			switch {
			case d.Words != nil:
				good, bad = d.Words[0], "\x00"
			case d.Kinds[0] == jsonvalue.KindPositive:
				good, bad = "1", "x"
			case d.Kinds[0] == jsonvalue.KindBool:
				good, bad = "true", "x"
			}
			if w := ask(&r, s, d.Name+"="+good, body, master); strings.Contains(w.Body.String(), "Unknown parameter") {
				t.Errorf("%s?%s: %s", r.Name(), d.Name, w.Body)
			}
			if bad == "" {
				continue
			}
			want := d.Code.Name
			if want == "" {
				want = "bad_request"
			}
			if w := ask(&r, s, d.Name+"="+url.QueryEscape(bad), body, master); codeOf(w) != want {
				t.Errorf("%s?%s=%s: %d %s, want %s", r.Name(), d.Name, bad, w.Code, w.Body, want)
			}
		}
	}
}

// Every member of every body is refused with the code of its row when it is of a
// kind that the table does not accept; unknown members are refused too.
func TestEveryMember(t *testing.T) {
	for _, r := range table() {
		if table := r.Body; table != nil {
			checkMembers(t, everything("*"), &r, table.Describe())
		}
	}
	var current []decode.Described
	server := everything("*")
	for _, s := range settings.Table() {
		current = append(current, s.Describe())
		one := routing.Route{Method: s.Verb, Pattern: "/indexes/{index_uid}/settings/" + s.Path}
		checkValue(t, server, &one, "", s.Describe(), func(text string) string { return text })
	}
	checkMembers(t, server, &routing.Route{Method: "PATCH", Pattern: "/indexes/{index_uid}/settings"}, current)
}

func checkMembers(t *testing.T, s *Server, r *routing.Route, list []decode.Described) {
	t.Helper()
	if got := codeOf(ask(r, s, "", `{"noSuchMember":1}`, master)); got != "bad_request" && !lenient[r.Name()] {
		t.Errorf("%s {noSuchMember}: %s", r.Name(), got)
	}
	for _, d := range list {
		checkValue(t, s, r, "."+d.Name, d, func(text string) string { return `{"` + d.Name + `":` + text + `}` })
	}
}

// checkValue sends a value of each kind in the place into which body puts it.
func checkValue(t *testing.T, s *Server, r *routing.Route, place string, d decode.Described, body func(string) string) {
	t.Helper()
	accepted := map[jsonvalue.Kind]bool{}
	for _, k := range d.Kinds {
		accepted[k] = true
	}
	want := d.Code.Name
	if want == "" {
		want = "bad_request"
	}
	texts := map[jsonvalue.Kind]string{
		jsonvalue.KindNull: "null", jsonvalue.KindBool: "true", jsonvalue.KindPositive: "1", jsonvalue.KindNegative: "-1", jsonvalue.KindFloat: "0.5",
		jsonvalue.KindString: `"\u0000"`, jsonvalue.KindArray: "[]", jsonvalue.KindObject: "{}",
	}
	for kind, text := range texts {
		w := ask(r, s, "", body(text), master)
		wrongType := strings.Contains(w.Body.String(), "Invalid value type") && strings.Contains(w.Body.String(), place)
		switch {
		case w.Code >= 500 && w.Code != http.StatusNotImplemented:
			t.Errorf("%s %s: %d %s", r.Name(), body(text), w.Code, w.Body)
		case !accepted[kind] && (!wrongType || codeOf(w) != want):
			t.Errorf("%s %s: %d %s, want the code %s", r.Name(), body(text), w.Code, w.Body, want)
		case accepted[kind] && wrongType:
			t.Errorf("%s %s: %d %s, but the table accepts it", r.Name(), body(text), w.Code, w.Body)
		}
	}
	for _, below := range d.Members {
		checkValue(t, s, r, place+"."+below.Name, below, func(text string) string { return body(`{"` + below.Name + `":` + text + `}`) })
	}
	if d.Item != nil && accepted[jsonvalue.KindArray] {
		checkValue(t, s, r, place+"[0]", *d.Item, func(text string) string { return body("[" + text + "]") })
	}
}

// FuzzRoutes: whatever is sent to any path, the server answers, and not with an internal
// error.
func FuzzRoutes(f *testing.F) {
	for _, r := range table() {
		f.Add(r.Method, filled(r.Pattern), "limit=1&q=%zz", "application/json", `{"q":"a","uid":"b","queries":[{"indexUid":"p"}]}`)
	}
	f.Add("POST", "/indexes/p/documents", "primaryKey=id&csvDelimiter=;", "text/csv", "id;name\n1;a\n")
	f.Add("PUT", "/indexes/%00/documents//", "", "application/x-ndjson", "{\"id\":1}\n{")
	s := everything("*")
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string) {
		r := &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1"}
		if body != "" {
			r = httptest.NewRequest("POST", "/", strings.NewReader(body))
			r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		}
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", "Bearer "+master)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, leaving(r))
		if w.Code >= 500 && w.Code != http.StatusNotImplemented {
			t.Errorf("%s %q?%q %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
	})
}

func (fakeCluster) Activity(context.Context) (json.RawMessage, error) {
	return json.RawMessage(`{"nodes":[]}`), nil
}

func (fakeCluster) History(context.Context, int) (json.RawMessage, error) {
	return json.RawMessage(`{"nodes":[]}`), nil
}

func (fakeCluster) SlowRequests(context.Context) (json.RawMessage, error) {
	return json.RawMessage(`{"results":[]}`), nil
}

func (fakeCluster) LogLines(context.Context, string, int, string) (json.RawMessage, error) {
	return json.RawMessage(`{"lines":[]}`), nil
}

func (fakeCluster) Verify(context.Context, string) (json.RawMessage, error) { return []byte(`{}`), nil }

func (fakeCluster) Debug(context.Context, string, uint64) ([]byte, error) { return nil, nil }

func (fakeCluster) Promote(context.Context) (json.RawMessage, error) {
	return nil, apierr.NoStandby()
}
