package documents

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// documentsOf returns the documents of a file from Elasticsearch, and the error that ended it.
func documentsOf(t *testing.T, text, key string, update bool) (docs []string, err error) {
	t.Helper()
	h, err := newHits(strings.NewReader(text), key, update)
	for err == nil {
		var doc []byte
		if doc, err = h.next(); err == nil {
			docs = append(docs, string(doc))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return docs, err
}

func TestFilesFromElasticsearchYieldTheirDocuments(t *testing.T) {
	for _, c := range []struct {
		name, text, key string
		update          bool
		want            []string
		fault           string
	}{
		{name: "lines of hits", text: "{\"_index\":\"a\",\"_id\":\"x1\",\"_score\":1,\"_source\":{\"t\": \"moon\"}}\n{\"_id\":\"x2\",\"_source\":{}}\n", key: "id",
			want: []string{`{"id":"x1","t":"moon"}`, `{"id":"x2"}`}},
		{name: "a list of hits", text: ` [ {"_id":"1","_source":{"t":1}} , {"_id":"2","_source":{"t":2}} ] `, key: "key", want: []string{`{"key":"1","t":1}`, `{"key":"2","t":2}`}},
		{name: "pages of a scroll", text: `{"_scroll_id":"s","hits":{"total":{"value":3},"hits":[{"_id":"1","_source":{"n":1}},{"_id":"2","_source":{"n":2}}]}}
			{"_scroll_id":"s","hits":{"hits":[{"_id":"3","_source":{"n":3}}]}}{"hits":{"hits":[]}}`, key: "id", want: []string{`{"id":"1","n":1}`, `{"id":"2","n":2}`, `{"id":"3","n":3}`}},
		{name: "a body of _bulk", text: "{\"index\":{\"_index\":\"a\",\"_id\":\"1\"}}\n{\"_source\":\"mine\",\"hits\":2}\n{\"create\":{\"_id\":\"2\"}}\n{\"n\":1.0}\n{\"index\":{}}\n{\"id\":7}\n", key: "id",
			want: []string{`{"id":"1","_source":"mine","hits":2}`, `{"id":"2","n":1.0}`, `{"id":7}`}},
		{name: "the field is there", text: `{"_id":"1","_source":{"id":42,"big":12345678901234567890}}`, key: "id", want: []string{`{"id":42,"big":12345678901234567890}`}},
		{name: "updates, wanted", text: "{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{\"n\":2},\"doc_as_upsert\":true}\n", key: "id", update: true, want: []string{`{"id":"1","n":2}`}},
		{name: "updates", text: "{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{\"n\":2}}\n", key: "id", fault: "give --update"},
		{name: "a script", text: "{\"update\":{\"_id\":\"1\"}}\n{\"script\":\"x\"}\n", key: "id", update: true, fault: "by a script"},
		{name: "deletions", text: "{\"index\":{\"_id\":\"1\"}}\n{}\n{\"delete\":{\"_id\":\"1\"}}\n", key: "id", want: []string{`{"id":"1"}`}, fault: "take the lines with \"delete\" out"},
		{name: "cut off", text: "{\"index\":{\"_id\":\"1\"}}\n", key: "id", fault: "before its document"},
		{name: "a list cut off", text: `[{"_id":"1","_source":{}},`, key: "id", want: []string{`{"id":"1"}`}, fault: "EOF"},
		{name: "no sources", text: `{"hits":{"hits":[{"_id":"1"}]}}`, key: "id", fault: "without _source"},
		{name: "plain documents", text: `{"id":1}`, key: "id", fault: "--format json or ndjson"},
		{name: "nothing", text: " \n", key: "id", fault: "the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := documentsOf(t, c.text, c.key, c.update)
			if !slices.Equal(got, c.want) {
				t.Errorf("documents %q\nwant      %q", got, c.want)
			}
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("it ends with %v, want %q", err, c.fault)
			}
		})
	}
}
