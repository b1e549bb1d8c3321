package command

import (
	"bytes"
	"strings"
	"testing"

	"shoal/node/commandline"
	"shoal/node/config"
	"shoal/node/ctl"
)

// leaves are the commands that can be run, by their full name.
func leaves(n *commandline.Command, path string) []string {
	var out []string
	for _, ch := range n.Commands {
		name := strings.TrimSpace(path + " " + ch.Name)
		if len(ch.Commands) == 0 {
			out = append(out, name)
		}
		out = append(out, leaves(ch, name)...)
	}
	return out
}

func TestEveryCommandIsInTheManualAndTheCompletions(t *testing.T) {
	root, c := program()
	pages := map[string]*bytes.Buffer{"man": {}, "bash": {}, "zsh": {}, "fish": {}}
	if err := c.Man.Print(root, config.Release, pages["man"]); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if err := (&ctl.Completion{Shell: shell}).Print(root, pages[shell]); err != nil {
			t.Fatal(err)
		}
	}
	all := leaves(root, "")
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
