package command

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/cockroachdb/datadriven" // its flag -rewrite

	"shoal/node/commandline"
)

// TestOptionsPage: docs/options.md lists the same options as --help. Renew it with go test
// ./node/command -run OptionsPage -rewrite.
func TestOptionsPage(t *testing.T) {
	root, _ := program()
	var b strings.Builder
	b.WriteString("# Options\n\nEach option can also be a variable of the environment, `SHOAL_` and its name in capitals with `_` for `-`, or a line of `config.toml`. Options of the reference\n" +
		"are read from `MEILI_...` as well. This page is made from the program by a test.\n")
	optionRows(&b, root, "shoal")
	const path = "../../docs/options.md"
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/options.md is not what the program says: go test ./node/command -run OptionsPage -rewrite")
	}
}

func optionRows(b *strings.Builder, n *commandline.Command, path string) {
	for _, ch := range n.Commands {
		if ch.Hidden {
			continue
		}
		name := path + " " + ch.Name
		fmt.Fprintf(b, "\n## %s\n\n%s\n", name, ch.Help)
		if len(ch.Arguments) > 0 || len(ch.Flags) > 0 {
			b.WriteString("\n| | |\n|---|---|\n")
		}
		for _, a := range ch.Arguments {
			fmt.Fprintf(b, "| `%s` | %s |\n", strings.ToUpper(a.Name), cell(a.Help))
		}
		for _, f := range ch.Flags {
			if f.Hidden {
				continue
			}
			holder := ""
			if !f.IsBool() {
				holder = "=" + f.Holder()
			}
			standard := ""
			if f.HasDefault && f.Default != "" {
				standard = " (default `" + f.Default + "`)"
			}
			fmt.Fprintf(b, "| `--%s%s` | %s%s |\n", f.Name, holder, cell(f.Help), standard)
		}
		optionRows(b, ch, name)
	}
}

// cell escapes a text for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
