package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"shoal/coordinator"
)

// A data folder is marked before it is made for an import, and the mark goes when the
// import has ended: a start that finds it begins the import again.

// markedImport tells whether an import into a folder was begun and did not end.
func markedImport(path string) (bool, error) {
	_, err := os.Stat(filepath.Join(path, fileImport))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("data folder %s cannot be read (--db-path): %w", path, err)
	}
	return true, nil
}

func markImport(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("data folder %s cannot be made (--db-path): %w", path, err)
	}
	if err := renameio.WriteFile(filepath.Join(path, fileImport), nil, 0o600); err != nil {
		return fmt.Errorf("data folder %s cannot be written (--db-path): %w", path, err)
	}
	return nil
}

func unmarkImport(path string) error {
	if err := os.Remove(filepath.Join(path, fileImport)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that the import has ended: %w", err)
	}
	return nil
}

// unmarkAfterImport waits until the node that reads the file has finished.
func (n *Node) unmarkAfterImport(ctx context.Context) {
	for coordinator.Importing(n.group.Catalog()) != coordinator.ImportDone {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	if err := unmarkImport(n.folder.path); err != nil {
		n.log.Warn("the import has ended, but its mark stays", "error", err)
	}
}
