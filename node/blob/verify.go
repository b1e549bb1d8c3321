package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shoal/node/machine"
)

// Verify compares every staged payload in a folder with its name. It returns one line for
// each mismatch, and the number of bytes read. It changes nothing.
func Verify(ctx context.Context, dir string) (damage []string, read int64, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("folder of staged payloads: %w", err)
	}
	for _, e := range entries {
		id, _, named := strings.Cut(e.Name(), ".")
		if !named || strings.HasPrefix(e.Name(), unfinished) {
			continue // an unfinished transfer
		}
		if err := ctx.Err(); err != nil {
			return damage, read, err
		}
		path := filepath.Join(dir, e.Name())
		sum, err := hashOf(machine.Disk(), path)
		switch {
		case err != nil:
			damage = append(damage, fmt.Sprintf("staged payload %s: %v", path, err))
		case sum != id:
			damage = append(damage, fmt.Sprintf("staged payload %s: its content is not what its name says", path))
		}
		if info, err := e.Info(); err == nil {
			read += info.Size()
		}
	}
	return damage, read, nil
}
