package apierr

import (
	"errors"
	"syscall"
)

// SystemFault returns the client's error for a failure of the operating system: a full or
// broken disk, too many open files (spec write-api 1.4). prefix precedes the reason. It
// returns false for all other errors.
func SystemFault(prefix string, err error) (*Error, bool) {
	code := CodeIoError
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = CodeNoSpaceLeftOnDevice
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		code = CodeTooManyOpenFiles
	case !errors.Is(err, syscall.EIO):
		return nil, false
	}
	return New(code, prefix+err.Error()+"."), true
}
