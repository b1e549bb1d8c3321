package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"runtime"
	"strings"
	"testing"
	"time"

	"shoal/api"
)

// Claims without a valid signature are not kept, and a token of more than 16 KiB is not
// read. A forged token once took megabytes.
func TestAForgedTenantTokenTakesLittleMemory(t *testing.T) {
	a := New("0123456789abcdef", oneKey, time.Now)
	uid := `"apiKeyUid":"` + oneKey[0].UID + `"`
	forged := func(rules int) string {
		return sign(`{"searchRules":[`+strings.TrimSuffix(strings.Repeat(`"",`, rules), ",")+`],`+uid+`}`, "forged")
	}
	for name, c := range map[string]struct {
		token   string
		message string
		most    uint64
	}{
		"4,000 rules":    {forged(3800), "Could not decode tenant token, InvalidSignature.", 9 << 17},
		"1,000,000":      {forged(1_000_000), ErrInvalidKey.Message, 64 << 10},
		"100,000 points": {strings.Repeat(".", 100_000), ErrInvalidKey.Message, 64 << 10},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := a.resolve(c.token, "search")
		runtime.ReadMemStats(&after)
		if err == nil || err.Message != c.message {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most {
			t.Errorf("%s: a token of %d bytes took %d", name, len(c.token), took)
		}
	}
}

// keyList is a fixed list of keys.
type keyList []*api.Key

func (l keyList) Keys() []*api.Key { return l }

var oneKey = keyList{{UID: "00000000-0000-4000-8000-000000000001", Actions: []string{"search"}, Indexes: []string{"*"}, CreatedAt: 1}}

// sign makes a tenant token.
func sign(claims, secret string) string {
	b64 := base64.RawURLEncoding
	text := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"HS256"}`)) + "." + b64.EncodeToString([]byte(claims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + b64.EncodeToString(mac.Sum(nil))
}

// FuzzTenantToken: a token that is accepted names a key and has rules.
func FuzzTenantToken(f *testing.F) {
	a := New("0123456789abcdef", oneKey, time.Now)
	f.Add(sign(`{"searchRules":{"*":{"filter":["a"]}},"exp":1,"apiKeyUid":"`+oneKey[0].UID+`"}`, a.Value(oneKey[0].UID)))
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, token string) {
		claims, isTenant, err := a.tenantToken(token)
		if isTenant && (err != nil || claims.rules == nil || claims.keyUID == "") {
			t.Errorf("%q accepted with %v %v", token, claims, err)
		}
	})
}
