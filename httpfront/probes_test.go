package httpfront

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shoal/httpfront/routing"
)

type fakeProbes struct {
	stopping, draining bool
	behind             uint64
	lacking            int // -1: not known
}

func (p *fakeProbes) Stopping() bool { return p.stopping }
func (p *fakeProbes) Draining() bool { return p.draining }
func (p *fakeProbes) Behind() uint64 { return p.behind }
func (p *fakeProbes) Lacking() (int, bool) {
	return max(p.lacking, 0), p.lacking >= 0
}

type fakeLease struct {
	fresh     bool
	age       int
	importing bool
	outside   string
}

func (l *fakeLease) Lease() (bool, int) { return l.fresh, l.age }
func (l *fakeLease) Outside() string    { return l.outside }
func (l *fakeLease) Importing() bool    { return l.importing }
func (l *fakeLease) Follows() bool      { return false }

func TestReadyzSaysWhyNot(t *testing.T) {
	for _, c := range []struct {
		name   string
		probes fakeProbes
		lease  fakeLease
		path   string
		status int
		says   string
	}{
		{"healthy", fakeProbes{}, fakeLease{fresh: true}, "/readyz", 200, "ok\n"},
		{"healthy, in detail", fakeProbes{}, fakeLease{fresh: true}, "/readyz?verbose", 200, "[+] contact to the leader\n"},
		{"stopping", fakeProbes{stopping: true}, fakeLease{fresh: true}, "/readyz", 503, "[-] not stopping: the process was asked to end\n"},
		{"draining", fakeProbes{draining: true}, fakeLease{fresh: true}, "/readyz", 503, "[-] not draining"},
		{"behind", fakeProbes{behind: 5000}, fakeLease{fresh: true}, "/readyz", 503, "5000 entries are still to be applied"},
		{"a little behind", fakeProbes{behind: 5}, fakeLease{fresh: true}, "/readyz", 200, "ok\n"},
		{"catching up", fakeProbes{lacking: 3}, fakeLease{fresh: true}, "/readyz", 503, "[-] copies caught up: 3 copies of shards still fetch what they missed\n"},
		{"just started", fakeProbes{lacking: -1}, fakeLease{age: 1}, "/readyz?stale", 503, "[-] copies caught up: no word from a leader since the start\n"},
		{"importing", fakeProbes{}, fakeLease{fresh: true, importing: true}, "/readyz", 503, "[-] no import"},
		{"cut off", fakeProbes{}, fakeLease{age: 12}, "/readyz", 503, "[-] contact to the leader: none for 12 s\n"},
		{"cut off, reads will do", fakeProbes{}, fakeLease{age: 12}, "/readyz?stale", 200, "ok\n"},
		{"never let in", fakeProbes{}, fakeLease{age: 12, outside: "it waits outside"}, "/readyz?stale", 503, "[-] contact to the leader: it waits outside\n"},
		{"cut off for too long", fakeProbes{}, fakeLease{age: 61}, "/readyz?stale", 503, "none for 61 s"},
		{"alive whatever happens", fakeProbes{stopping: true, draining: true}, fakeLease{age: 100}, "/livez", 200, "ok\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{MasterKey: "probes need no key", Routing: routing.Config{MaxStaleness: time.Minute}}, Ports{Tasks: &fake{}, Lease: &c.lease, Probes: &c.probes, Features: &fake{}, SlowLog: &fake{}})
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.path, nil))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%s answered %d %q, want %d with %q", c.path, w.Code, w.Body, c.status, c.says)
			}
		})
	}
}
