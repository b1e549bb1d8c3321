//go:build !windows

package machine

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// flock locks a file in the way of all releases.
func flock(file string) (io.Closer, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the operator names the folder
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(ErrOwned, f.Close())
	}
	return f, nil
}

// Idle locks a file against an owner, until it is closed. It returns ErrOwned if the file
// has an owner.
func Idle(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return ErrOwned
	}
	return nil
}

func space(path string) (free, size uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	block := uint64(st.Bsize) //nolint:gosec // it is a count
	free = st.Bavail * block
	return free, free + (st.Blocks-st.Bfree)*block, nil
}

// KeepPrivate makes all files that this process writes from now on unreadable for other
// users, including those of libraries.
func KeepPrivate() { syscall.Umask(0o077) }

// Descriptors is how many files and connections the process may have open. It returns false
// if that is unknown.
func Descriptors() (uint64, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return limit.Cur, true
}

// Apart keeps a started process from receiving the terminal's signals for its parent.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
