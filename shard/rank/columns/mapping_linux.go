//go:build amd64 || arm64

package columns

import "syscall"

// mapFile maps a file of some length for reading. What is not in the system's memory is
// got page by page.
func mapFile(fd uintptr, size int64) ([]byte, error) {
	b, err := syscall.Mmap(int(fd), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err == nil {
		_ = syscall.Madvise(b, syscall.MADV_RANDOM) // it is advice
	}
	return b, err
}

func unmapFile(b []byte) error { return syscall.Munmap(b) }

// majorFaults is the number of times that the process waited for a page of memory.
func majorFaults() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Majflt
}
