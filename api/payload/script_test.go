package payload

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestPayloadScript plays testdata/payloads.txt: an upload in; its documents, one a
// line, or the error out. It is read in one go and byte by byte.
//
//	json | ndjson | csv [delimiter=c]
//
// In the input a line of "|" stands for an empty one.
func TestPayloadScript(t *testing.T) {
	formats := map[string]Format{"json": JSON, "ndjson": NDJSON, "csv": CSV}
	datadriven.RunTest(t, "testdata/payloads.txt", func(t *testing.T, d *datadriven.TestData) string {
		f, ok := formats[d.Cmd]
		if !ok {
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
		delimiter := ""
		d.MaybeScanArgs(t, "delimiter", &delimiter)
		docs, err := collectWith(t, f, delimiter, strings.ReplaceAll(d.Input+"\n", "|\n", "\n"))
		var b strings.Builder
		for _, doc := range docs {
			b.WriteString(doc + "\n")
		}
		if err != nil {
			b.WriteString(errText(err) + "\n")
		}
		if b.Len() == 0 {
			return "no documents\n"
		}
		return b.String()
	})
}
