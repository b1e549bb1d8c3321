//go:build !windows

package observe

import "golang.org/x/sys/unix"

// FreeBytes is what a process may still write below a path; 0 when nobody can tell.
func FreeBytes(path string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}

// Disk is what a process may still write below a path, and how much files may take there
// in all; 0 when nobody can tell. What only the system may use counts as neither.
func Disk(path string) (free, size uint64) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, 0
	}
	free = s.Bavail * uint64(s.Bsize)
	return free, free + (s.Blocks-s.Bfree)*uint64(s.Bsize)
}
