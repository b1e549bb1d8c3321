package observe

import "golang.org/x/sys/windows"

// FreeBytes is what a process can still write below a path, in bytes; 0 if unknown.
func FreeBytes(path string) uint64 {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0
	}
	return free
}

// Disk is the free space and the size of the disk of a path, in bytes; 0 if unknown.
func Disk(path string) (free, size uint64) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0
	}
	if windows.GetDiskFreeSpaceEx(name, &free, &size, nil) != nil {
		return 0, 0
	}
	return free, size
}
