package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestMethods checks the result of each method, for good arguments and for others.
func TestMethods(t *testing.T) {
	datadriven.RunTest(t, "testdata/methods.txt", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for line := range strings.SplitSeq(d.Input, "\n") {
			before, last := "", line
			if at := strings.LastIndex(line, "; "); at >= 0 {
				before, last = line[:at+2], line[at+2:]
			}
			got, err := evaluate(t, before+"doc = #{r: {"+last+"}};")
			if err != nil {
				got = "error: " + err.Error()
			}
			fmt.Fprintf(&out, "%s => %s\n", line, got)
		}
		return out.String()
	})
}
