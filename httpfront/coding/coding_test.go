package coding

import "testing"

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]string{
		"":                                       "identity",
		"gzip":                                   "gzip",
		"deflate":                                "deflate",
		"br":                                     "br",
		"zstd":                                   "identity",
		"*":                                      "identity",
		"identity":                               "identity",
		"gzip, deflate, br":                      "br",
		"gzip;q=0.5, br;q=1.0":                   "br",
		"deflate, gzip;q=0.1":                    "deflate",
		"identity;q=0.9, gzip;q=0.5":             "identity",
		"gzip;q=0":                               "identity",
		"identity;q=0":                           "",
		"*;q=0":                                  "",
		"*;q=0, identity":                        "identity",
		"*;q=0, gzip":                            "gzip",
		"GZIP ; q=0.3":                           "gzip",
		"gzip;q=7, nonsense;;;, deflate;q=0.001": "deflate",
	} {
		var lines []string
		if accept != "" {
			lines = []string{accept}
		}
		got, ok := Negotiate(lines)
		name := got.String()
		if !ok {
			name = ""
		}
		if name != want {
			t.Errorf("%q: %q, want %q", accept, name, want)
		}
	}
}
