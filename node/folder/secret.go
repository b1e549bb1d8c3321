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

// OwnSecret reads the secret that a folder keeps, made at the first call.
func OwnSecret(files *machine.Files, dir string) (string, error) {
	path := filepath.Join(dir, FileSecret)
	text, _, err := Lines(files, path)
	switch {
	case err == nil:
		return text, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the cluster secret: %w", err)
	}
	text = peer.RandomSecret()
	if err := files.WriteFile(path, []byte(text+"\n")); err != nil {
		return "", fmt.Errorf("write the cluster secret: %w", err)
	}
	return text, nil
}

// Lines reads the first two lines of a file, without what surrounds them.
func Lines(files *machine.Files, path string) (first, second string, err error) {
	b, err := files.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	second, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(first), strings.TrimSpace(second), nil
}
