package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shoal/node/completion"
)

// Completion once offered no nodes, indexes or contexts. Here a shell completes with a
// program that names some.
func TestShellsCompleteNamesOfTheCluster(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not there")
	}
	dir := t.TempDir()
	root, _ := program()
	var script bytes.Buffer
	if err := (&completion.Script{Shell: "bash"}).Print(root, &script); err != nil {
		t.Fatal(err)
	}
	named := `case "$1 $2" in "names nodes") echo node-a; echo node-b ;; "names indexes") echo films ;; "names contexts") echo work ;; *) exit 1 ;; esac`
	for name, text := range map[string]string{"script": script.String(), "shoal": "#!/bin/sh\n" + named + "\n", "films.json": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string]string{
		"remove n":             "node-a node-b",
		"decommission node-b":  "node-b",
		"explain ":             "films",
		"explain films f":      "",
		"import ":              "films",
		"import films f":       "films.json",
		"context use w":        "work",
		"context remove ":      "work",
		"status --context w":   "work",
		"snapshots --backup-d": "--backup-dir",
		"status f":             "",
		"remo":                 "remove",
		"nam":                  "",
	} {
		words := append([]string{"shoal"}, strings.Split(typed, " ")...)
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+w+"'")
		}
		cmd := exec.CommandContext(t.Context(), shell, "-c", `. ./script; COMP_WORDS=(`+strings.Join(quoted, " ")+`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _shoal; printf '%s\n' "${COMPREPLY[@]}"`)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", typed, err)
		}
		got := strings.Fields(string(out))
		if strings.HasSuffix(typed, " ") { // options are offered, too
			got = slices.DeleteFunc(got, func(w string) bool { return strings.HasPrefix(w, "--") })
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("shoal %s: %q, want %q", typed, got, want)
		}
	}
}
