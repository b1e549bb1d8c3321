//go:build !linux || !(amd64 || arm64)

package columns

import "errors"

// Elsewhere pieces are read whenever the cache has them no longer.
func mapFile(uintptr, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return errors.ErrUnsupported }

func majorFaults() int64 { return 0 }
