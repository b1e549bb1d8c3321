package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A data folder is marked before it is made for an import, and the mark goes when the
// import has ended: a start that finds it begins the import again.

// MarkedImport tells whether an import into a folder was begun and did not end.
func MarkedImport(path string) (bool, error) {
	_, err := os.Stat(filepath.Join(path, fileImport))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("data folder %s cannot be read (--db-path): %w", path, err)
	}
	return true, nil
}

// MarkImport marks a folder, which is made if need be, before an import begins.
func MarkImport(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("data folder %s cannot be made (--db-path): %w", path, err)
	}
	if err := renameio.WriteFile(filepath.Join(path, fileImport), nil, 0o600); err != nil {
		return fmt.Errorf("data folder %s cannot be written (--db-path): %w", path, err)
	}
	return nil
}

// UnmarkImport removes the mark when the import has ended.
func UnmarkImport(path string) error {
	if err := os.Remove(filepath.Join(path, fileImport)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that the import has ended: %w", err)
	}
	return nil
}
