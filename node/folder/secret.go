package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"shoal/node/machine"
	"shoal/node/peer"
)

// OwnSecret returns the secret that a folder keeps. The first call makes it.
func OwnSecret(files *machine.Files, dir string) (string, error) {
	path := filepath.Join(dir, FileSecret)
	b, err := files.ReadSummed(path)
	text, rest, _ := strings.Cut(string(b), "\n")
	text = strings.TrimSpace(text)
	// More lines are the rest of a checksum, because this file holds one secret.
	whole := strings.TrimSpace(rest) == "" && peer.CheckSecret(text) == nil
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && whole:
		return text, nil
	case err == nil || errors.Is(err, machine.ErrSum):
		return "", fmt.Errorf("file %s is damaged: write the secret of another node of the cluster into it; if this node is the only one, remove the file: the node makes another secret", path)
	default:
		return "", fmt.Errorf("file %s, the cluster's secret, cannot be read: %w: let the user of this process read it", path, err)
	}
	text = peer.RandomSecret()
	// The checksum is on the third line; the second is for another accepted secret.
	if err := files.WriteSummed(path, []byte(text+"\n\n")); err != nil {
		return "", fmt.Errorf("write the cluster secret: %w", err)
	}
	return text, nil
}

// Lines reads the first two lines of a file, without surrounding white space.
func Lines(files *machine.Files, path string) (first, second string, err error) {
	b, err := files.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	second, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(first), strings.TrimSpace(second), nil
}
