package ctl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shoal/node/machine"
)

// bookmark remembers how many documents of a file are already in an index. Without a folder
// for bookmarks an import works, but starts from the beginning.
type bookmark struct {
	Documents int64 `json:"documents"`
	// File names the imported file, for people.
	File string `json:"file"`

	path string
}

// newBookmark derives the bookmark's name from everything that distinguishes imports.
func newBookmark(cluster, index, file string, info fs.FileInfo) *bookmark {
	dir, err := os.UserCacheDir()
	if err != nil {
		return &bookmark{}
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d", cluster, index, file, info.Size(), info.ModTime().UnixNano()))
	return &bookmark{File: file, path: filepath.Join(dir, "shoal", "imports", hex.EncodeToString(sum[:12])+".json")}
}

func (b *bookmark) load() error {
	if b.path == "" {
		return nil
	}
	raw, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("how far the last import got: %w", err)
	}
	if err := json.Unmarshal(raw, b); err != nil {
		return fmt.Errorf("how far the last import got is not readable (remove %s, or use --no-resume): %w", b.path, err)
	}
	return nil
}

// set remembers that the first n documents are imported.
func (b *bookmark) set(n int64) error {
	b.Documents = n
	if b.path == "" {
		return nil
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("remember how far the import is: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return fmt.Errorf("remember how far the import is: %w", err)
	}
	return machine.Disk().WriteFile(b.path, raw)
}

func (b *bookmark) remove() error {
	if b.path == "" {
		return nil
	}
	if err := os.Remove(b.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget how far the import was: %w", err)
	}
	return nil
}
