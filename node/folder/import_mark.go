package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"shoal/node/machine"
)

// A data folder is marked before it is created for an import, and unmarked when the import
// has ended. A start that finds the mark begins the import again.

// MarkedImport tells whether an import into a folder was begun and not finished.
func MarkedImport(files *machine.Files, path string) (bool, error) {
	_, err := files.Stat(filepath.Join(path, fileImport))
	if errors.Is(err, fs.ErrNotExist) {
		var entries []string
		if entries, err = files.List(path); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err == nil {
			return marking(entries), nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("data folder %s cannot be read: %w: give this user the right to, or use another --db-path", path, err)
	}
	return true, nil
}

// marking tells that a start was cut off while it made the mark: the folder holds only the
// unfinished file.
func marking(entries []string) bool {
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(name string) bool { return !strings.HasPrefix(name, "."+fileImport) })
}

// MarkImport marks a folder before an import begins, and creates it if needed. what names
// the dump or snapshot.
func MarkImport(files *machine.Files, path, what string) error {
	if err := files.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("data folder %s cannot be made: %w: give this user the right to, or use another --db-path", path, err)
	}
	if err := files.WriteFile(filepath.Join(path, fileImport), []byte(what)); err != nil {
		return fmt.Errorf("data folder %s cannot be written: %w: give this user the right to, or use another --db-path", path, err)
	}
	return nil
}

// EndImport records that the import has ended and which one it was, so that the same
// command line can start the node again.
func EndImport(files *machine.Files, path string) error {
	what, err := files.ReadFile(filepath.Join(path, fileImport))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(what) > 0 {
		err = files.WriteFile(filepath.Join(path, fileImported), what)
	}
	if err == nil {
		err = files.Remove(filepath.Join(path, fileImport))
	}
	if err != nil {
		return fmt.Errorf("note that the import has ended: %w", err)
	}
	return nil
}

// Imported tells whether a folder was made from the import that what names. The first line
// of what is a name. The rest distinguishes versions of it and is ignored if it is missing
// now.
func Imported(files *machine.Files, path, what string) (bool, error) {
	had, err := files.ReadFile(filepath.Join(path, fileImported))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("data folder %s cannot be read: %w: give this user the right to, or use another --db-path", path, err)
	}
	name, version, told := strings.Cut(what, "\n")
	hadName, hadVersion, _ := strings.Cut(string(had), "\n")
	return name == hadName && (!told || version == hadVersion), nil
}
