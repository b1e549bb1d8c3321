package jsonvalue

import (
	"encoding/json"
	"testing"
)

func TestTextsAreUnescapedAsByTheStandardLibrary(t *testing.T) {
	for _, raw := range []string{
		``, `plain`, `a\"b\\c\/d`, `\b\f\n\r\t`, `\u0041\u00e9\u00E9\u20ac`, `\ud83d\ude00`, `\uD83D\uDE00 and on`,
		`\ud83d`, `\ud83dx`, `\ud83d\n`, `\ud83d\u0041`, `\ude00\ud83d`, `\ud83d\ud83d\ude00`, "é\u00e9",
	} {
		var want string
		if err := json.Unmarshal([]byte(`"`+raw+`"`), &want); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got := string(AppendUnescaped([]byte("before "), []byte(raw))); got != "before "+want {
			t.Errorf("%s: %q, want %q", raw, got, "before "+want)
		}
	}
}

func TestInvalidStringsOfJSONCauseNoPanic(t *testing.T) {
	for _, raw := range []string{`\`, `\u`, `\u12`, `\u12g4`, `\ud83d\u`, `\ud83d\u12`} {
		AppendUnescaped(nil, []byte(raw))
	}
}
