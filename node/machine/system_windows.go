package machine

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// flock locks the first byte of a file.
func flock(file string) (io.Closer, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		return nil, errors.Join(ErrOwned, f.Close())
	}
	return f, nil
}

// Idle locks a file against an owner, until it is closed. It returns ErrOwned if the file
// has an owner.
func Idle(f *os.File) error {
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return ErrOwned
	}
	return nil
}

func space(path string) (free, size uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &size, nil)
	return free, size, err
}

// KeepPrivate does nothing here: files inherit the rights of their folder.
func KeepPrivate() {}

// Descriptors is unknown on this system.
func Descriptors() (uint64, bool) { return 0, false }

// Apart keeps a started process from receiving Ctrl-C meant for its parent.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
