package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The package had no scripts: a running service went on with the old program after an
// upgrade, and with a program that was gone after a removal.
func TestPackagesRestartAndStopARunningService(t *testing.T) {
	for _, c := range []struct{ when, script, args, want string }{
		{"deb, first", "installed.sh", "configure", "daemon-reload"},
		{"deb, upgrade", "installed.sh", "configure 0.1.0", "daemon-reload; try-restart shoal.service"},
		{"rpm, first", "installed.sh", "1", "daemon-reload"},
		{"rpm, upgrade", "installed.sh", "2", "daemon-reload; try-restart shoal.service"},
		{"deb, upgrade", "removing.sh", "upgrade 0.2.0", ""},
		{"deb, removal", "removing.sh", "remove", "--no-reload disable --now shoal.service"},
		{"rpm, upgrade", "removing.sh", "1", ""},
		{"rpm, removal", "removing.sh", "0", "--no-reload disable --now shoal.service"},
		{"deb, removal", "removed.sh", "remove", "daemon-reload"},
	} {
		if got := scripted(t, c.script, c.args, true); got != c.want {
			t.Errorf("%s: %s %s asked systemd for %q, want %q", c.when, c.script, c.args, got, c.want)
		}
		if got := scripted(t, c.script, c.args, false); got != "" {
			t.Errorf("%s: without systemd %s %s asked it for %q", c.when, c.script, c.args, got)
		}
	}
}

// scripted runs a script of the packages on a system of its own, and returns what it asked
// systemd for.
func scripted(t *testing.T, script, args string, systemd bool) string {
	t.Helper()
	root, bin := t.TempDir(), t.TempDir()
	folders := []string{"etc/shoal"}
	if systemd {
		folders = append(folders, "run/systemd/system")
	}
	for _, dir := range folders {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asked := filepath.Join(root, "asked")
	for name, body := range map[string]string{
		"systemctl": `echo "$@" >> "` + asked + `"`, "getent": "exit 0", "chgrp": "exit 0", "groupadd": "exit 1", "useradd": "exit 1",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{filepath.Join("../../systemd", script)}, strings.Fields(args)...)...)
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "DPKG_ROOT=" + root}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", script, args, err, out)
	}
	said, err := os.ReadFile(asked)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimSpace(string(said)), "\n", "; ")
}

// Compose had no health check, and read the secret from where nobody had written it.
func TestComposeTellsTheHealthOfEveryNode(t *testing.T) {
	text, err := os.ReadFile("../../docker/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Services map[string]struct {
			Environment map[string]string
			Healthcheck struct {
				Test     []string
				Interval string
			}
		}
		Secrets map[string]struct{ File string }
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Services) != 3 {
		t.Errorf("%d services", len(c.Services))
	}
	for name, s := range c.Services {
		if len(s.Healthcheck.Test) < 3 || s.Healthcheck.Test[0] != "CMD" || s.Healthcheck.Test[1] != "/shoal" || s.Healthcheck.Interval == "" {
			t.Errorf("the health of %s is asked for by %q", name, s.Healthcheck.Test)
		}
		if s.Environment["SHOAL_ZONE"] == "" || s.Environment["SHOAL_API_KEY"] == "" {
			t.Errorf("%s has no zone, or no key for its health: %v", name, s.Environment)
		}
	}
	if written := "deploy/docker/" + c.Secrets["cluster-secret"].File; !strings.Contains(string(text), "secret > "+written+" ") {
		t.Errorf("the secret is read from %s, and the first comment writes it elsewhere", written)
	}
}
