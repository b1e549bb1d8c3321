package command

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"shoal/node/config"
	"shoal/node/ctl"
)

// leaves are the commands that can be run, by their full name.
func leaves(n *kong.Node, path string) []string {
	var out []string
	for _, ch := range n.Children {
		name := strings.TrimSpace(path + " " + ch.Name)
		if len(ch.Children) == 0 {
			out = append(out, name)
		}
		out = append(out, leaves(ch, name)...)
	}
	return out
}

func TestEveryCommandIsInTheManualAndTheCompletions(t *testing.T) {
	k, c, err := parse([]string{"man"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]*bytes.Buffer{"man": {}, "bash": {}, "zsh": {}, "fish": {}}
	if err := c.Man.Print(k.Model, config.Release, pages["man"]); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if err := (&ctl.Completion{Shell: shell}).Print(k.Model, pages[shell]); err != nil {
			t.Fatal(err)
		}
	}
	all := leaves(k.Model.Node, "")
	if len(all) < 10 {
		t.Fatalf("only %d commands: %q", len(all), all)
	}
	for _, name := range all {
		words := strings.Fields(name)
		for page, want := range map[string]string{"man": ".SS shoal " + name + "\n", "bash": `" ` + name + `"*) `, "zsh": `" ` + name + `"*) `, "fish": " -a " + words[len(words)-1] + " "} {
			if !strings.Contains(pages[page].String(), want) {
				t.Errorf("%s does not know %q: there is no %q", page, name, want)
			}
		}
	}
}
