package coordinator

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"shoal/api"
	"shoal/api/payload"
	"shoal/wire"
)

// maxIDBytes is the longest external id.
const maxIDBytes = 511

// documentKey takes the external id out of documents under one primary key
// (spec write-api 6.8).
type documentKey struct {
	name   string
	path   []byte
	dotted bool
	scan   jsonScan
	id     []byte
}

func newDocumentKey(name string) *documentKey {
	return &documentKey{name: name, path: []byte(name), dotted: strings.Contains(name, ".")}
}

// of returns the id of a document in text form, valid until the next call, or
// why the document has none.
func (k *documentKey) of(doc *payload.Document) (id []byte, refused *wire.Failure) {
	var value []byte
	n := 0
	if k.dotted {
		k.scan.data, k.scan.pos = doc.Raw, 0
		n = k.find(k.path, &value)
	} else {
		for i := range doc.Members {
			if doc.Members[i].Name == k.name {
				value, n = doc.Members[i].Value, 1
				break
			}
		}
	}
	switch {
	case n == 0:
		return nil, missingID(k.name, doc.Raw)
	case n > 1:
		return nil, severalIDs(k.name, doc.Raw)
	}
	id, ok := idText(k.id[:0], value)
	if !ok {
		return nil, invalidID(value)
	}
	k.id = id
	return id, nil
}

// find counts the members that the dotted path leads to in the object that
// comes next and keeps one's value. A flat "a.b" and a nested a -> b both match;
// arrays are not entered. Of duplicate keys the last counts.
func (k *documentKey) find(path []byte, value *[]byte) int {
	// A key on the way is a prefix of the path, so its length names it.
	type way struct {
		length, matches int
		value           []byte
	}
	var ways []way
	var room [2]way
	ways = room[:0]
	k.scan.object(func(key []byte) bool {
		w := way{length: len(key)}
		switch {
		case bytes.Equal(key, path):
			w.value, w.matches = k.scan.value(), 1
		case len(key) < len(path) && path[len(key)] == '.' && bytes.HasPrefix(path, key):
			if k.scan.peek() == '{' {
				w.matches = k.find(path[len(key)+1:], &w.value)
			} else {
				k.scan.value()
			}
		default:
			k.scan.value()
			return true
		}
		for i := range ways {
			if ways[i].length == w.length {
				ways[i] = w
				return true
			}
		}
		ways = append(ways, w)
		return true
	})
	n := 0
	for _, w := range ways {
		if w.matches > 0 {
			n += w.matches
			*value = w.value
		}
	}
	return n
}

// idText renders the value of a primary key as an external id.
func idText(dst, value []byte) ([]byte, bool) {
	if len(value) == 0 {
		return nil, false
	}
	if value[0] != '"' {
		return integerID(dst, value)
	}
	raw := value[1 : len(value)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		dst = unescape(dst, raw)
	} else {
		dst = append(dst, raw...)
	}
	if len(dst) == 0 || len(dst) > maxIDBytes {
		return nil, false
	}
	for _, c := range dst {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return nil, false
		}
	}
	return dst, true
}

// integerID accepts integers in the range of i64 and u64; -0 is a float.
func integerID(dst, value []byte) ([]byte, bool) {
	digits := value
	limit := "18446744073709551615"
	if value[0] == '-' {
		digits, limit = value[1:], "9223372036854775808"
		if string(digits) == "0" {
			return nil, false
		}
	}
	if len(digits) == 0 || len(digits) > len(limit) || len(digits) == len(limit) && string(digits) > limit {
		return nil, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	return append(dst, value...), true
}

// compact renders a value as the reference shows it in messages: compact JSON
// with numbers re-rendered.
func compact(value []byte) string {
	v, err := api.ParseJSON(value)
	if err != nil {
		return string(value)
	}
	return v.JSON()
}

func missingID(key string, doc []byte) *wire.Failure {
	return failure(api.CodeMissingDocumentID, "Document doesn't have a `"+key+"` attribute: `"+compact(doc)+"`.")
}

func severalIDs(key string, doc []byte) *wire.Failure {
	return failure(api.CodeInvalidDocumentID, "Document have too many matching `"+key+"` attribute: `"+compact(doc)+"`.")
}

func invalidID(value []byte) *wire.Failure {
	return failure(api.CodeInvalidDocumentID, "Document identifier `"+compact(value)+"` is invalid. A document identifier can be of type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.")
}

// failure is the stored form of an error.
func failure(code api.Code, message string) *wire.Failure {
	return &wire.Failure{Code: code.Name, Message: message}
}

// failureOf stores a client error.
func failureOf(err *api.Error) *wire.Failure { return failure(err.Code, err.Message) }

// keyCandidates returns the names that may be an inferred primary key, sorted:
// those whose lower-case form ends with "id" (spec write-api 6.7).
func keyCandidates(names []string) []string {
	var found []string
	for _, n := range names {
		if strings.HasSuffix(strings.Map(unicode.ToLower, n), "id") {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

// inferKey picks the primary key from the first document's names.
func inferKey(first []string) (string, *wire.Failure) {
	found := keyCandidates(first)
	const specify = "Please specify the primary key manually using the `primaryKey` query parameter."
	switch len(found) {
	case 0:
		return "", failure(api.CodeIndexPrimaryKeyNoCandidateFound,
			"The primary key inference failed as the engine did not find any field ending with `id` in its name. "+specify)
	case 1:
		return found[0], nil
	}
	return "", failure(api.CodeIndexPrimaryKeyMultipleCandidatesFound, fmt.Sprintf(
		"The primary key inference failed as the engine found %d fields ending with `id` in their names: '%s' and '%s'. ",
		len(found), found[0], found[1])+specify)
}
