package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestConfigs: refused combinations of options of a node, one example a line. Everything
// that is wrong with a line is reported at once. Renew testdata/configs.txt with -rewrite.
func TestConfigs(t *testing.T) {
	datadriven.RunTest(t, "testdata/configs.txt", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for line := range strings.SplitSeq(d.Input, "\n") {
			_, c, err := parse(append([]string{"serve", "--name=n1"}, strings.Fields(line)...))
			if err == nil {
				cfg, wrong := c.Serve.config()
				if err = wrong; err == nil {
					fmt.Fprintf(&out, "%s\n  front %v, data %v, voter %v, stale after %s, snapshots every %s, first members %q\n",
						line, cfg.Front, cfg.Data, cfg.Voter, cfg.MaxStaleness, cfg.ScheduleSnapshot, cfg.InitMembers)
					continue
				}
			}
			fmt.Fprintf(&out, "%s\n  %s\n", line, strings.ReplaceAll(err.Error(), "\n", "\n  "))
		}
		return out.String()
	})
}
