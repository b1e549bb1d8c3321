package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	clustertest "shoal/cluster-test"
)

const (
	masterKey = "the master key of the clients"
	python    = "meilisearch==0.43.0"
	npm       = "meilisearch@0.62.0"
)

var (
	//go:embed client.py
	pythonScript []byte
	//go:embed client.mjs
	nodeScript []byte
)

func main() {
	binary := flag.String("binary", "bin/shoal", "the program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := clients(ctx, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func clients(ctx context.Context, binary string) error {
	dir, err := os.MkdirTemp("", "shoal-clients-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := clustertest.New(binary, dir, 3, "SHOAL_MASTER_KEY="+masterKey)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var urls []string
	for _, n := range c.Nodes {
		urls = append(urls, "http://"+n.HTTP)
	}
	env := append(os.Environ(), "SHOAL_URLS="+strings.Join(urls, ","), "SHOAL_KEY="+masterKey)
	return errors.Join(runPython(ctx, dir, env), runNode(ctx, dir, env))
}

func runPython(ctx context.Context, dir string, env []string) error {
	if !installed("python3", "Python") {
		return nil
	}
	venv, script := filepath.Join(dir, "venv"), filepath.Join(dir, "client.py")
	if err := os.WriteFile(script, pythonScript, 0o600); err != nil {
		return err
	}
	return wrap("Python", each(ctx, dir, env,
		[]string{"python3", "-m", "venv", venv},
		[]string{filepath.Join(venv, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", python},
		[]string{filepath.Join(venv, "bin", "python"), script},
	))
}

func runNode(ctx context.Context, dir string, env []string) error {
	if !installed("npm", "JavaScript") {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, "client.mjs"), nodeScript, 0o600); err != nil {
		return err
	}
	return wrap("JavaScript", each(ctx, dir, env,
		[]string{"npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", npm},
		[]string{"node", "client.mjs"},
	))
}

// installed tells whether a program is there, and prints what is left out if not.
func installed(program, language string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		fmt.Printf("%s: not installed, left out\n", language)
	}
	return err == nil
}

// each runs commands one after the other until one fails.
func each(ctx context.Context, dir string, env []string, commands ...[]string) error {
	for _, args := range commands {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

func wrap(language string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", language, err)
	}
	return nil
}
