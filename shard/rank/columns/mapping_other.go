//go:build !linux || !(amd64 || arm64)

package columns

import "errors"

// Without mappings, pieces are read whenever the cache lacks them.
func mapFile(uintptr, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return errors.ErrUnsupported }

func majorFaults() int64 { return 0 }
