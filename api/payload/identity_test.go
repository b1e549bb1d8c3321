package payload

import (
	"strings"
	"testing"

	"shoal/api/apierr"
)

func document(t *testing.T, raw string) *Document {
	t.Helper()
	members, err := Split([]byte(raw))
	if err != nil {
		t.Fatal(raw, err)
	}
	return &Document{Raw: []byte(raw), Members: members}
}

func TestDocumentID(t *testing.T) {
	for _, c := range []struct{ doc, key, id, err string }{
		{`{"id":1}`, "id", "1", ""},
		{`{"id":"a-B_9"}`, "id", "a-B_9", ""},
		{`{"id":"\u0061"}`, "id", "a", ""},
		{`{"id":-9223372036854775808}`, "id", "-9223372036854775808", ""},
		{`{"id":18446744073709551615}`, "id", "18446744073709551615", ""},
		{`{"a":{"id":7}}`, "a.id", "7", ""},
		{`{"a.id":7}`, "a.id", "7", ""},
		{`{"a":{"b.id":7}}`, "a.b.id", "7", ""},
		{`{"x": 1.0}`, "id", "", "missing_document_id: Document doesn't have a `id` attribute: `{\"x\":1.0}`."},
		{`{"a":[{"id":7}]}`, "a.id", "", "missing_document_id: Document doesn't have a `a.id` attribute: `{\"a\":[{\"id\":7}]}`."},
		{`{"a":{"id":7},"a.id":8}`, "a.id", "", "invalid_document_id: Document have too many matching `a.id` attribute: `{\"a\":{\"id\":7},\"a.id\":8}`."},
		{`{"id":"a b"}`, "id", "", "invalid `\"a b\"`"},
		{`{"id":1.0}`, "id", "", "invalid `1.0`"},
		{`{"id":1e2}`, "id", "", "invalid `100.0`"},
		{`{"id":-0}`, "id", "", "invalid `-0.0`"},
		{`{"id":18446744073709551616}`, "id", "", "invalid `1.8446744073709552e+19`"},
		{`{"id":null}`, "id", "", "invalid `null`"},
		{`{"id":[1, 2]}`, "id", "", "invalid `[1,2]`"},
		{`{"id":""}`, "id", "", "invalid `\"\"`"},
		{`{"id":"é"}`, "id", "", "invalid `\"é\"`"},
		{`{"id":"` + strings.Repeat("x", 511) + `"}`, "id", strings.Repeat("x", 511), ""},
	} {
		id, err := DocumentID(document(t, c.doc), c.key)
		got := ""
		if err != nil {
			got = idText(err)
		}
		if id != c.id || got != c.err {
			t.Errorf("%s under %s: %q %s", c.doc, c.key, id, got)
		}
	}
}

// idText shortens the message about an invalid id.
func idText(err *apierr.Error) string {
	text := errText(err)
	if value, ok := strings.CutPrefix(text, "invalid_document_id: Document identifier `"); ok {
		return "invalid `" + value[:strings.Index(value, "` is invalid.")] + "`"
	}
	return text
}

// TestTheNameOfAPrimaryKeyMayEndWithADot: the key "a." names the value of a member "a". Such a key was
// taken for the path to a member with the empty name, and documents were accepted or refused wrongly.
func TestTheNameOfAPrimaryKeyMayEndWithADot(t *testing.T) {
	for _, c := range []struct{ key, doc, want string }{
		{"a.", `{"a":1}`, "1"},
		{"a.", `{"a.":1}`, "1"},
		{"a.", `{"a":{"":1}}`, "invalid `{\"\":1}`"},
		{"a.", `{"a":1,"a.":2}`, "invalid_document_id: Document have too many matching `a.` attribute: `{\"a\":1,\"a.\":2}`."},
		{"a..", `{"a.":1}`, "1"},
		{"a..", `{"a":{".":1}}`, "1"},
		{"a.b.", `{"a":{"b":1}}`, "1"},
		{"a.b.", `{"a.b":{"":1}}`, "invalid `{\"\":1}`"},
		{"..", `{".":1}`, "1"},
	} {
		id, err := DocumentID(document(t, c.doc), c.key)
		if err != nil {
			id = idText(err)
		}
		if id != c.want {
			t.Errorf("%s under %s: %s", c.doc, c.key, id)
		}
	}
}

// TestAMemberWithTheEmptyNameHoldsNoID: it was found by primary keys like "" and ".a".
func TestAMemberWithTheEmptyNameHoldsNoID(t *testing.T) {
	for _, c := range []struct{ key, doc string }{
		{"", `{"":1}`},
		{"", `{"":{"a":1}}`},
		{".a", `{"":{"a":1}}`},
		{".", `{"":{"":1}}`},
		{"a..b", `{"a":{"":{"b":1}}}`},
	} {
		if id, err := DocumentID(document(t, c.doc), c.key); err == nil || err.Code != apierr.CodeMissingDocumentID {
			t.Errorf("%s under %q: %q %v", c.doc, c.key, id, err)
		}
	}
}

// TestTheFirstFaultyIDOfADocumentIsNamed: of an invalid id and a second id the one that comes first is
// reported. The second id was always reported.
func TestTheFirstFaultyIDOfADocumentIsNamed(t *testing.T) {
	for _, c := range []struct {
		format         Format
		key, doc, want string
	}{
		{NDJSON, "a.b", `{"a.b":null,"a":{"b":true}}`, "invalid `null`"},
		{NDJSON, "a.b", `{"a":{"b":"x y"},"a.b":2}`, "invalid `\"x y\"`"},
		{NDJSON, "a.b", `{"a":{"b":1},"a.b":{}}`, "invalid `{}`"},
		{NDJSON, "a.b", `{"a":{"b":1,"b":null}}`, "invalid `null`"},
		{NDJSON, "a.b", `{"a":{"b":1},"a.b":2,"c":3}`, "too many"},
		{NDJSON, "a.b.c", `{"a":{"b":{"c":1}},"a.b":{"c":2},"a.b.c":null}`, "too many"},
		{NDJSON, "a.b", `{"a":{"b":1},"a":{"b":2}}`, "too many"},
		{NDJSON, "a.b", `{"a":{"b":null},"a":{"b":2}}`, "invalid `null`"},
		{NDJSON, "a", `{"a":null,"a":2}`, "invalid `null`"},
		{NDJSON, "a", `{"a":1,"a":null}`, "invalid `null`"},
		{NDJSON, "a.", `{"a":1,"a":2}`, "too many"},
		{NDJSON, "a.b", `{"a":5,"a":{"b":2}}`, "2"},
		{JSON, "a.b", `[{"a":{"b":null},"a":{"b":2}}]`, "2"},
		{JSON, "a.b", `[{"a":{"b":1,"b":null}}]`, "invalid `null`"},
		{JSON, "a", `[{"a":null,"a":2}]`, "2"},
	} {
		_, err := Read(c.format, ',', strings.NewReader(c.doc), func(d *Document) error {
			got, refused := UploadedID(d, c.key)
			if refused != nil {
				got = idText(refused)
			}
			if strings.Contains(got, "too many") {
				got = "too many"
			}
			if got != c.want {
				t.Errorf("%s under %s: %s", c.doc, c.key, got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAStoredDocumentMaySpellItsIDTwice: a partial update may name the id as "a.b" where the stored document
// has the path. Every change of the number of shards of such an index failed with invalid_document_id.
func TestAStoredDocumentMaySpellItsIDTwice(t *testing.T) {
	for _, c := range []struct{ key, doc, want string }{
		{"a.b", `{"a":{"b":1},"a.b":"1"}`, "1"},
		{"a.b", `{"a.b":"1","a":{"b":null}}`, "1"},
		{"a.b", `{"a":{"b":null},"a.b":"1"}`, "1"},
		{"a.b", `{"a":{"c":1}}`, "missing_document_id: Document doesn't have a `a.b` attribute: `{\"a\":{\"c\":1}}`."},
		{"a.b", `{"a":{"b":null}}`, "invalid `null`"},
		{"id", `{"id":7}`, "7"},
	} {
		id, err := StoredID(document(t, c.doc), c.key)
		if err != nil {
			id = idText(err)
		}
		if id != c.want {
			t.Errorf("%s under %s: %s", c.doc, c.key, id)
		}
	}
}

func TestInferPrimaryKey(t *testing.T) {
	for doc, want := range map[string]string{
		`{"name":1,"myId":2}`:        "myId",
		`{"A_ID":1}`:                 "A_ID",
		`{"paid":1}`:                 "paid",
		`{"a":{"id":1}}`:             "index_primary_key_no_candidate_found",
		`{}`:                         "index_primary_key_no_candidate_found",
		`{"uid":1,"id":2,"zid":3}`:   "found 3 fields ending with `id` in their names: 'id' and 'uid'",
		`{"id":1,"id":2,"other":""}`: "id",
	} {
		key, err := InferPrimaryKey(document(t, doc).Members)
		if err != nil {
			key = errText(err)
		}
		if key != want && !(err != nil && strings.Contains(key, want)) {
			t.Errorf("%s: %s", doc, key)
		}
	}
}

// TestARepeatedPrimaryKeyIsRefused where the reference reads the document as it was sent.
func TestARepeatedPrimaryKeyIsRefused(t *testing.T) {
	const tooMany = "Document have too many matching"
	for _, c := range []struct {
		format    Format
		key, text string
		refused   bool
	}{
		{NDJSON, "id", `{"id":5,"id":2}`, true},
		{JSON, "id", `[{"id":5,"id":2}]`, false},
		{JSON, "id", `{"id":5,"id":2}`, false},
		{JSON, "a.b", `[{"a":{"b":1,"b":2}}]`, true},
		{JSON, "a.b", `{"a":{"b":1,"b":2}}`, false},
		{NDJSON, "a.b", `{"a":{"b":1,"b":2}}`, true},
		{NDJSON, "a.b", `{"a.b":1,"a.b":2}`, true},
		{NDJSON, "id", `{"id":1,"t":1,"t":2,"a":{"id":1,"id":2}}`, false},
	} {
		_, err := Read(c.format, ',', strings.NewReader(c.text), func(d *Document) error {
			_, refused := UploadedID(d, c.key)
			if got := refused != nil && strings.HasPrefix(refused.Message, tooMany); got != c.refused {
				t.Errorf("%s of %s: %v", c.key, c.text, refused)
			}
			if _, refused := DocumentID(d, c.key); refused != nil {
				t.Errorf("%s of %s: %v", c.key, c.text, refused)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
