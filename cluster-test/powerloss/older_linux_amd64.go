package powerloss

import "golang.org/x/sys/unix"

// older are calls that only this architecture has; each has a newer form.
var older = map[uint64]func(c *calls, a [6]uint64, result int64) error{
	unix.SYS_OPEN:  func(c *calls, a [6]uint64, r int64) error { return c.opened(unix.AT_FDCWD, a[0], a[1], r) },
	unix.SYS_DUP2:  (*calls).copied,
	unix.SYS_MKDIR: func(c *calls, a [6]uint64, _ int64) error { return c.made(unix.AT_FDCWD, a[0]) },
	unix.SYS_RMDIR: func(c *calls, a [6]uint64, _ int64) error { return c.removed(unix.AT_FDCWD, a[0]) },
	unix.SYS_UNLINK: func(c *calls, a [6]uint64, _ int64) error {
		return c.removed(unix.AT_FDCWD, a[0])
	},
	unix.SYS_RENAME: func(c *calls, a [6]uint64, _ int64) error {
		return c.moved(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1])
	},
	unix.SYS_LINK: func(c *calls, a [6]uint64, _ int64) error {
		return c.linked(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1])
	},
}
