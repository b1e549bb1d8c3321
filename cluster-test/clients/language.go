package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The clients.
const (
	python     = "meilisearch==0.43.0"
	javaScript = "meilisearch@0.62.0"
	golang     = "github.com/meilisearch/meilisearch-go@v0.36.3"
	// Those of the Model Context Protocol; TypeScript has two lines.
	pythonTools     = "mcp==2.3.0"
	typeScriptTools = "@modelcontextprotocol/client@2.4.0"
	typeScriptSDK   = "@modelcontextprotocol/sdk@1.32.2"
)

var (
	//go:embed client.py
	pythonScript []byte
	//go:embed client.mjs
	nodeScript []byte
	//go:embed tools.py
	pythonToolsScript []byte
	//go:embed tools.mjs
	nodeToolsScript []byte
	//go:embed testdata/client.go
	goProgram []byte
)

// language is one in which people use the API.
type language struct {
	name    string
	program string // what must be installed
	dir     string
	env     []string
	script  string // its file in dir
	content []byte
	get     [][]string // commands that install the client
	run     []string
	there   bool
}

// newPython is a script with its packages in a virtual environment.
func newPython(name, dir, script string, content []byte, packages ...string) language {
	bin := filepath.Join(dir, "venv", "bin")
	return language{
		name: name, program: "python3", dir: dir, script: script, content: content,
		get: [][]string{{"python3", "-m", "venv", "venv"}, slices.Concat([]string{filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check"}, packages)},
		run: []string{filepath.Join(bin, "python"), script},
	}
}

// newJavaScript is a script with its packages in a folder of its own.
func newJavaScript(name, dir, script string, content []byte, packages ...string) language {
	return language{
		name: name, program: "npm", dir: dir, script: script, content: content,
		get: [][]string{slices.Concat([]string{"npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"}, packages)},
		run: []string{"node", script},
	}
}

// languages are all that use the cluster, each in a folder of its own.
func languages(dir string) []language {
	return []language{
		newPython("Python", filepath.Join(dir, "python"), "client.py", pythonScript, python),
		newJavaScript("JavaScript", filepath.Join(dir, "javascript"), "client.mjs", nodeScript, javaScript),
		newGo(dir),
		newPython("Python, tools", filepath.Join(dir, "python-tools"), "tools.py", pythonToolsScript, python, pythonTools),
		newJavaScript("TypeScript, tools", filepath.Join(dir, "typescript-tools"), "tools.mjs", nodeToolsScript, typeScriptTools, typeScriptSDK),
	}
}

// newGo is the client in a module of its own: ours does not depend on it.
func newGo(dir string) language {
	return language{
		name: "Go", program: "go", dir: filepath.Join(dir, "go"), script: "main.go", content: goProgram,
		env: []string{"GOFLAGS=-mod=mod", "GOWORK=off"},
		get: [][]string{{"go", "mod", "init", "client"}, {"go", "get", golang}, {"go", "build", "-o", "client", "."}},
		run: []string{"./client"},
	}
}

// install gets the client; a language that is not there is named and left out.
func (l *language) install(ctx context.Context) error {
	_, err := exec.LookPath(l.program)
	if l.there = err == nil; !l.there {
		fmt.Printf("%s: not installed, left out\n", l.name)
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return l.wrap(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, l.script), l.content, 0o600); err != nil {
		return l.wrap(err)
	}
	for _, args := range l.get {
		if err := command(ctx, l.dir, l.env, args...); err != nil {
			return l.wrap(err)
		}
	}
	return nil
}

// command runs one that prints where this program does.
func command(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, slices.Concat(os.Environ(), env), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func (l *language) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return nil
}
