package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/peer"
)

// The option of earlier programs must not be ignored, nor be an unknown one.
func TestAClusterWithoutASecretIsToldWhatToDo(t *testing.T) {
	_, err := (&options{Insecure: true, MaxStaleness: "1m"}).config()
	if err == nil || !strings.Contains(err.Error(), "stop all nodes") || !strings.Contains(err.Error(), "shoal secret") {
		t.Errorf("--insecure-cluster: %v", err)
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
