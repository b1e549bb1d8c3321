package apierr

import (
	"errors"
	"syscall"
)

// SystemFault makes the error that clients get when the operating system refused
// something: a full disk, a broken one, too many open files (spec write-api 1.4).
// prefix comes before the reason. False for all other errors.
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
