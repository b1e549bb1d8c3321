package redaction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Hidden replaces a secret.
const Hidden = "[hidden]"

// telling are parts of member names whose values are always secret.
var telling = []string{"apikey", "secret", "password", "passphrase", "token", "authorization", "credential", "masterkey", "accesskey", "headers", "cookie", "signature"}

// whole are names that mark a secret only as the whole name.
var whole = []string{"key", "context", "function"}

// tells tells whether the value of a member with that name is hidden. Numbers are shown,
// because they are no secrets, as in `maxTokens`.
func tells(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	return slices.Contains(whole, plain) || slices.ContainsFunc(telling, func(t string) bool { return strings.Contains(plain, t) })
}

// JSON returns a document without secrets, indented.
func JSON(doc []byte) ([]byte, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("what was to be redacted is no JSON: %w", err)
	}
	return json.MarshalIndent(redacted(v, false), "", "  ")
}

// redacted returns a value without secrets. Within a hidden value every text is hidden.
func redacted(v any, hidden bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = redacted(inner, hidden || tells(name))
		}
	case []any:
		for i := range v {
			v[i] = redacted(v[i], hidden)
		}
	case string:
		if hidden {
			return Hidden
		}
		return text(v)
	}
	return v
}

// quoted matches a document that a message quotes.
var quoted = regexp.MustCompile("(?s)`\\{.*`|`\\[.*`")

// text redacts a string of a document: an address loses its credentials and query, a
// message the documents that it quotes.
func text(s string) string {
	if at, err := url.Parse(s); err == nil && at.Host != "" && (at.User != nil || at.RawQuery != "") {
		at.RawQuery = ""
		if at.User != nil {
			at.User = url.User("hidden")
		}
		return at.String()
	}
	return quoted.ReplaceAllString(s, "`"+Hidden+"`")
}

// Text returns text without the secrets.
func Text(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		if len(s) > 3 { // shorter ones would break words and hide nothing
			text = bytes.ReplaceAll(text, []byte(s), []byte(Hidden))
		}
	}
	return text
}
