package httpfront

import (
	"fmt"
	"testing"
	"time"

	"shoal/api"
)

// The clock of this machine is an hour off. The clock of the leader counts.
func TestKeysAndTokensExpireByTheLeadersClock(t *testing.T) {
	for _, off := range []time.Duration{-time.Hour, time.Hour} {
		leader := time.Now().Add(off) // the local clock is off by the opposite
		over, valid := testKey(1, "*", "*"), testKey(2, "*", "*")
		over.ExpiresAtNanos, valid.ExpiresAtNanos = leader.Add(-time.Minute).UnixNano(), leader.Add(time.Minute).UnixNano()
		f := &fake{keys: []*api.Key{over, valid}}
		s := f.front(Config{MasterKey: master, Now: func() time.Time { return leader }})
		ask := func(token string) int {
			return call(t, s, "POST", "/indexes/movies/search", `{}`, "Authorization: Bearer "+token).Code
		}
		secret := s.admin.Auth.Value(valid.UID)
		tenant := func(expires time.Time) string {
			return sign("HS256", fmt.Sprintf(`{"searchRules":["*"],"apiKeyUid":%q,"exp":%d}`, valid.UID, expires.Unix()), secret)
		}
		for what, c := range map[string]struct {
			token string
			ok    bool
		}{
			"a key that is over":    {s.admin.Auth.Value(over.UID), false},
			"a key that is valid":   {secret, true},
			"a token that is over":  {tenant(leader.Add(-time.Minute)), false},
			"a token that is valid": {tenant(leader.Add(time.Minute)), true},
		} {
			if code := ask(c.token); c.ok != (code == 200) {
				t.Errorf("clock off by %s: %s gets %d", -off, what, code)
			}
		}
		for until, want := range map[time.Time]int{leader.Add(time.Minute): 201, leader.Add(-time.Minute): 400} {
			body := fmt.Sprintf(`{"actions":["search"],"indexes":["*"],"expiresAt":%q}`, until.UTC().Format(time.RFC3339))
			if w := call(t, s, "POST", "/keys", body, "Authorization: Bearer "+master); w.Code != want {
				t.Errorf("clock off by %s: a new key until %s: %d %s", -off, until, w.Code, w.Body)
			}
		}
	}
}
