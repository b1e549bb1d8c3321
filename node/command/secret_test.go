package command

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/peer"
)

// The option of earlier programs must not be ignored, nor be reported as unknown.
func TestAClusterWithoutASecretIsToldWhatToDo(t *testing.T) {
	_, err := (&options{Insecure: true, MaxStaleness: "1m"}).config()
	if err == nil || !strings.Contains(err.Error(), "stop all nodes") || !strings.Contains(err.Error(), "shoal secret") {
		t.Errorf("--insecure-cluster: %v", err)
	}
}

// The shell creates the file of `shoal secret > FILE`, and other users could read it.
func TestASecretInAFileIsForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if got := readable("", path, path+".none"); len(got) != 1 || got[0] != path {
		t.Errorf("files that others can read: %q", got)
	}
	if err := errors.Join((secretCmd{}).run(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if got := readable(path); len(got) > 0 {
		t.Errorf("files that others can read: %q", got)
	}
	_, line, err := parse([]string{"--cluster-secret-file", path, "--ssl-key-path", "/etc/passwd"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := line.Serve.config()
	if len(c.ReadableSecrets) != 1 || c.ReadableSecrets[0] != "/etc/passwd" {
		t.Errorf("a node is told of %q (%v)", c.ReadableSecrets, err)
	}
}

func TestAFolderKeepsItsSecret(t *testing.T) {
	dir := t.TempDir()
	first, err := folder.OwnSecret(machine.Disk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := peer.CheckSecret(first); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, folder.FileSecret)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if again, err := folder.OwnSecret(machine.Disk(), dir); err != nil || again != first {
		t.Errorf("another start has another secret: %v", err)
	}
	if text, _, err := textOrFile("--cluster-secret", "", path); err != nil || text != first {
		t.Errorf("the file given to another node: %v", err)
	}
	if _, _, err := textOrFile("--cluster-secret", "x", path); err == nil {
		t.Error("a secret and a file with one were both taken")
	}
	var out bytes.Buffer
	if err := (secretCmd{}).run(&out); err != nil || peer.CheckSecret(strings.TrimSpace(out.String())) != nil || out.String() == first+"\n" {
		t.Errorf("shoal secret prints %q: %v", out.String(), err)
	}
}
