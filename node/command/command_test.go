package command

import (
	"bytes"
	"strings"
	"testing"

	"shoal/node/commandline"
	"shoal/node/completion"
	"shoal/node/config"
)

// leaves are the commands that can be run, by their full name.
func leaves(n *commandline.Command, path string) []string {
	var out []string
	for _, ch := range n.Commands {
		if ch.Hidden { // for scripts
			continue
		}
		name := strings.TrimSpace(path + " " + ch.Name)
		if len(ch.Commands) == 0 {
			out = append(out, name)
		}
		out = append(out, leaves(ch, name)...)
	}
	return out
}

// The hint after a wrong option of a command once named a page without the option.
func TestARefusalNamesThePageThatExplains(t *testing.T) {
	for line, page := range map[string]string{
		"--htpp-addr x": "shoal serve --help", "serve --x": "shoal serve --help", "import --keyy x": "shoal import --help",
		"context set --x": "shoal context set --help", "statsu": "shoal --help", "--memory-limit 10": "shoal serve --help",
	} {
		if hint := explainedBy(strings.Fields(line)); !strings.Contains(hint, "`"+page+"`") {
			t.Errorf("shoal %s: %s, want %s", line, hint, page)
		}
	}
	_, c, err := parse([]string{"--memory-limit", "10"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Serve.config(); err == nil || !strings.Contains(err.Error(), "give a unit, like 2GiB") {
		t.Errorf("ten bytes of memory: %v", err)
	}
}

func TestEveryCommandIsInTheManualAndTheCompletions(t *testing.T) {
	root, c := program()
	pages := map[string]*bytes.Buffer{"man": {}, "bash": {}, "zsh": {}, "fish": {}}
	if err := c.Man.Print(root, config.Release, pages["man"]); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if err := (&completion.Script{Shell: shell}).Print(root, pages[shell]); err != nil {
			t.Fatal(err)
		}
	}
	bash := pages["bash"].String()
	if !strings.Contains(bash, `--cacert`) || !strings.Contains(bash, "|--db-path|") || strings.Contains(bash, `-f --`) {
		t.Errorf("bash completes files where no file is meant, or none where one is:\n%s", bash)
	}
	all := leaves(root, "")
	if len(all) < 10 {
		t.Fatalf("only %d commands: %q", len(all), all)
	}
	for _, name := range all {
		words := strings.Fields(name)
		for page, want := range map[string]string{"man": ".SS shoal " + name + "\n", "bash": `" ` + name + `"|" ` + name + ` "*) `, "zsh": `" ` + name + `"|" ` + name + ` "*) `, "fish": " -a " + words[len(words)-1] + " "} {
			if !strings.Contains(pages[page].String(), want) {
				t.Errorf("%s does not know %q: there is no %q", page, name, want)
			}
		}
	}
}
