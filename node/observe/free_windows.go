package observe

import "golang.org/x/sys/windows"

// FreeBytes is what a process may still write below a path; 0 when nobody can tell.
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

// Disk is what a process may still write below a path, and how much files may take there
// in all; 0 when nobody can tell.
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
