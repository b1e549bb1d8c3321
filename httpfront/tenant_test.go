package httpfront

import (
	"runtime"
	"strings"
	"testing"

	"shoal/api"
)

// TestAForgedTenantTokenTakesMegabytes: what nobody signed is not kept, and a token
// beyond 16 KiB is not looked at.
func TestAForgedTenantTokenTakesMegabytes(t *testing.T) {
	s := (&fake{keys: []*api.Key{testKey(1, "search", "*")}}).front(Config{MasterKey: master})
	uid := `"apiKeyUid":"` + testUID(1) + `"`
	forged := func(rules int) string {
		return sign("HS256", `{"searchRules":[`+strings.TrimSuffix(strings.Repeat(`"",`, rules), ",")+`],`+uid+`}`, "forged")
	}
	for name, c := range map[string]struct {
		token   string
		message string
		most    uint64
	}{
		"4,000 rules":    {forged(3800), "Could not decode tenant token, InvalidSignature.", 1 << 20},
		"1,000,000":      {forged(1_000_000), errInvalidKey.Message, 64 << 10},
		"100,000 points": {strings.Repeat(".", 100_000), errInvalidKey.Message, 64 << 10},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := s.auth.resolve(c.token, "search")
		runtime.ReadMemStats(&after)
		if err == nil || err.Message != c.message {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most {
			t.Errorf("%s: a token of %d bytes took %d", name, len(c.token), took)
		}
	}
}
