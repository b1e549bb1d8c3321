package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"shoal/node/peer"
)

// OwnSecret reads the secret that a folder keeps, made at the first call.
func OwnSecret(dir string) (string, error) {
	path := filepath.Join(dir, FileSecret)
	text, _, err := Lines(path)
	switch {
	case err == nil:
		return text, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the cluster secret: %w", err)
	}
	text = peer.RandomSecret()
	if err := renameio.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the cluster secret: %w", err)
	}
	return text, nil
}

// Lines reads the first two lines of a file, without what surrounds them.
func Lines(path string) (first, second string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	second, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(first), strings.TrimSpace(second), nil
}
