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

// Idle locks a file against those who own it, until it is closed; ErrOwned when one does.
func Idle(f *os.File) error {
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return ErrOwned
	}
	return nil
}

func free(path string) (bytes uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	return bytes, windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
}

// KeepPrivate does nothing here: what a process writes has the rights of its folder.
func KeepPrivate() {}

// Descriptors is how many files and connections the process may have open: nobody can
// tell here.
func Descriptors() (uint64, bool) { return 0, false }

// Apart has a process that is started not hear Ctrl-C of the console that is meant for the
// one that starts it.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
