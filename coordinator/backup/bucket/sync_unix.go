//go:build !windows

package bucket

import (
	"errors"
	"os"
)

// syncFolder makes renames into a folder durable.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
