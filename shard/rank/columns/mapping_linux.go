//go:build amd64 || arm64

package columns

import "syscall"

// mapFile maps size bytes of a file for reading. The kernel reads missing pages one by
// one.
func mapFile(fd uintptr, size int64) ([]byte, error) {
	b, err := syscall.Mmap(int(fd), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err == nil {
		_ = syscall.Madvise(b, syscall.MADV_RANDOM) // only advice
	}
	return b, err
}

func unmapFile(b []byte) error { return syscall.Munmap(b) }

// majorFaults returns how often the process waited for a memory page.
func majorFaults() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Majflt
}
