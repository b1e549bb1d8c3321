package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
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

// The wanted texts are the reference's for the same tokens.
func TestATokenThatCannotBeDecodedIsRefusedForItsFirstFault(t *testing.T) {
	a := New("0123456789abcdef", oneKey, time.Now)
	b64 := base64.RawURLEncoding.EncodeToString
	header, claims := b64([]byte(`{"alg":"HS256"}`)), b64([]byte(`{"searchRules":["*"],"apiKeyUid":"`+oneKey[0].UID+`"}`))
	refusals := map[string]string{
		"a.b.c": "Base64 error: Invalid input length: 1", "...": "Base64 error: Invalid symbol 46, offset 0.",
		"e30.e30.e30.e30": "Base64 error: Invalid symbol 46, offset 3.", "ab==.b.c": "Base64 error: Invalid padding",
		"a=.b.c": "Base64 error: Invalid symbol 61, offset 1.", "ab=c.b.c": "Base64 error: Invalid symbol 61, offset 2.",
		"abcd=.b.c": "Base64 error: Invalid symbol 61, offset 4.", "abc+efgh.b.c": "Base64 error: Invalid symbol 43, offset 3.",
		"+bcd/.b.c": "Base64 error: Invalid symbol 47, offset 4.", "a-.b.c": "Base64 error: Invalid last symbol 45, offset 1.",
		header + ".a.c": "Base64 error: Invalid input length: 1", header + "." + claims + ".a": "Base64 error: Invalid input length: 1",
		header + "." + claims + ".abc": "InvalidSignature",
	}
	for text, reason := range map[string]string{
		`{}`:                                 "JSON error: missing field `alg` at line 1 column 2",
		`null`:                               "JSON error: invalid type: null, expected struct Header at line 1 column 4",
		`[1]`:                                "JSON error: invalid type: sequence, expected struct Header at line 1 column 0",
		`{"alg":3}`:                          "JSON error: expected value at line 1 column 8",
		`{"alg":"HS256","alg":3}`:            "JSON error: duplicate field `alg` at line 1 column 20",
		`{"typ":3`:                           "JSON error: invalid type: integer `3`, expected a string at line 1 column 8",
		`{"alg":"HS256","kid":[]}`:           "JSON error: invalid type: sequence, expected a string at line 1 column 21",
		`{"alg":"HS256","crit":[1]}`:         "JSON error: invalid type: integer `1`, expected a string at line 1 column 24",
		`{"alg":"HS256","crit":{}}`:          "JSON error: invalid type: map, expected a sequence at line 1 column 22",
		`{"alg":"HS256","jwk":3}`:            "JSON error: invalid type: integer `3`, expected struct Jwk at line 1 column 22",
		`{"x":1,"alg":"HS256" } `:            "JSON error: invalid type: integer `1`, expected a string at line 1 column 22",
		"{\"alg\":\"HS256\",\"\xff\":\"a\"}": "JSON error: invalid unicode code point at line 1 column 18",
		`{"alg":"HS256","kid":null,"x":"1"}`: "InvalidSignature",
		`{"alg":"ES256"}`:                    "InvalidAlgorithm",
		`{"alg":{"HS256":null}}`:             "InvalidSignature",
		`{"alg":"hs256"}`:                    "JSON error: unknown variant `hs256`, expected one of `HS256`, `HS384`, `HS512`, `ES256`, `ES384`, `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`, `EdDSA` at line 1 column 14",
		`{"typ":"x","alg":"HS256","crit":["b64"],"x5c":[],"kid":"k","zip":"DEF"}`: "InvalidSignature",
		`{"alg":"HS256","jwk":{}}`:                                     "JSON error: data did not match any variant of untagged enum AlgorithmParameters at line 1 column 23",
		`{"alg":"HS256","jwk":{"kty":"RSA","n":"a","e":1}}`:            "JSON error: data did not match any variant of untagged enum AlgorithmParameters at line 1 column 48",
		`{"alg":"HS256","jwk":{"kty":"RSA","n":"a","e":"b","z":[1]}}`:  "InvalidSignature",
		`{"alg":"HS256","jwk":{"kty":"oct","k":"a","kid":null}}`:       "InvalidSignature",
		`{"alg":"HS256","jwk":{"kty":"OKP","crv":"Ed25519","x":""}}`:   "InvalidSignature",
		`{"alg":"HS256","jwk":{"kty":"EC","crv":"P-1","x":"","y":""}}`: "JSON error: data did not match any variant of untagged enum AlgorithmParameters at line 1 column 59",
		`{"alg":"HS256","jwk":{"kid":[]}}`:                             "JSON error: invalid type: sequence, expected a string at line 1 column 31",
		`{"alg":"HS256","jwk":{"alg":1}}`:                              "JSON error: invalid type: integer `1`, expected string or map at line 1 column 30",
		`{"alg":"HS256","jwk":{"key_ops":"sign"}}`:                     "JSON error: invalid type: string \"sign\", expected a sequence at line 1 column 39",
	} {
		refusals[b64([]byte(text))+"."+claims+".abc"] = reason
	}
	for token, reason := range refusals {
		if _, isTenant, err := a.tenantToken(token); isTenant || err == nil || err.Message != "Could not decode tenant token, "+reason+"." {
			t.Errorf("%s: %v, want %s", token, err, reason)
		}
	}
}

func TestAHeaderWithOtherBytesThanPrintableOnesCountsAsMissing(t *testing.T) {
	a := New("0123456789abcdef", oneKey, time.Now)
	for value, want := range map[string]string{"Bearer a\xe9": errMissingHeader.Message, "Bearer \x01": errMissingHeader.Message, "Bearer a\tb": ErrInvalidKey.Message} {
		r := httptest.NewRequest("GET", "/indexes", nil)
		r.Header["Authorization"] = []string{value}
		if _, err := a.Authorize(r, Need{Actions: []string{"search"}}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", value, err, want)
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
