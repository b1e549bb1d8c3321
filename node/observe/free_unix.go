//go:build !windows

package observe

import "golang.org/x/sys/unix"

// FreeBytes is what a process can still write below a path, in bytes; 0 if unknown.
func FreeBytes(path string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}

// Disk is the free space and the size of the disk of a path, in bytes; 0 if unknown. Space
// reserved for the system counts as neither.
func Disk(path string) (free, size uint64) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, 0
	}
	free = s.Bavail * uint64(s.Bsize)
	return free, free + (s.Blocks-s.Bfree)*uint64(s.Bsize)
}
