package powerloss

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// calls turns system calls into events of the recording.
type calls struct {
	pid    int
	rec    *Recording
	folder string
	open   map[int]*node // by descriptor
}

// handlers are the calls that change files or names, or say which file a descriptor is.
// They are handled when they return, so an event stands behind those of every call that
// had returned before.
var handlers = map[uint64]func(c *calls, a [6]uint64, result int64) error{
	unix.SYS_OPENAT:          func(c *calls, a [6]uint64, r int64) error { return c.opened(at(a[0]), a[1], a[2], r) },
	unix.SYS_DUP:             (*calls).copied,
	unix.SYS_DUP3:            (*calls).copied,
	unix.SYS_FCNTL:           (*calls).controlled,
	unix.SYS_WRITE:           func(c *calls, a [6]uint64, r int64) error { return c.written(a, r) },
	unix.SYS_PWRITE64:        func(c *calls, a [6]uint64, r int64) error { return c.writtenAt(a, r) },
	unix.SYS_WRITEV:          (*calls).filled,
	unix.SYS_PWRITEV:         (*calls).unknown,
	unix.SYS_PWRITEV2:        (*calls).unknown,
	unix.SYS_SENDFILE:        (*calls).filled,
	unix.SYS_SPLICE:          func(c *calls, a [6]uint64, r int64) error { return c.filled([6]uint64{a[2]}, r) },
	unix.SYS_COPY_FILE_RANGE: func(c *calls, a [6]uint64, r int64) error { return c.filled([6]uint64{a[2]}, r) },
	unix.SYS_FTRUNCATE:       (*calls).truncated,
	unix.SYS_FALLOCATE:       (*calls).allocated,
	unix.SYS_MKDIRAT:         func(c *calls, a [6]uint64, _ int64) error { return c.made(at(a[0]), a[1]) },
	unix.SYS_UNLINKAT:        func(c *calls, a [6]uint64, _ int64) error { return c.removed(at(a[0]), a[1]) },
	unix.SYS_RENAMEAT:        func(c *calls, a [6]uint64, _ int64) error { return c.moved(at(a[0]), a[1], at(a[2]), a[3]) },
	unix.SYS_RENAMEAT2:       func(c *calls, a [6]uint64, _ int64) error { return c.moved(at(a[0]), a[1], at(a[2]), a[3]) },
	unix.SYS_LINKAT:          func(c *calls, a [6]uint64, _ int64) error { return c.linked(at(a[0]), a[1], at(a[2]), a[3]) },
	unix.SYS_SYMLINKAT:       func(c *calls, a [6]uint64, _ int64) error { return c.refused(at(a[1]), a[2], "a symbolic link") },
	unix.SYS_MMAP:            (*calls).mapped,
}

// at is the descriptor of a folder that a path is relative to.
func at(a uint64) int { return int(int32(uint32(a))) }

// begin is called when a call begins; it returns how many events there are.
func (c *calls) begin(t *task) int {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	if t.nr == unix.SYS_CLOSE {
		// Before the kernel gives the number to somebody else.
		delete(c.open, int(t.args[0]))
	}
	return len(c.rec.events)
}

// end is called when a call has returned without an error.
func (c *calls) end(t *task, result int64) error {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	switch t.nr {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		if n := c.open[int(t.args[0])]; n != nil {
			c.rec.add(event{kind: syncs, on: n, upTo: t.upTo})
		}
		return nil
	case unix.SYS_SYNC, unix.SYS_SYNCFS:
		return errors.New("the program syncs a whole file system, which the recording does not express")
	}
	h := handlers[t.nr]
	if h == nil {
		h = older[t.nr]
	}
	if h == nil {
		return nil
	}
	if err := h(c, t.args, result); err != nil {
		return fmt.Errorf("system call %d of the program: %w", t.nr, err)
	}
	return nil
}

func (c *calls) opened(dir int, path, flags uint64, fd int64) error {
	parent, name, err := c.find(dir, path)
	if err != nil || parent == nil {
		delete(c.open, int(fd))
		return err
	}
	n := parent.entries[name]
	if name == "" {
		n = parent
	}
	switch {
	case n == nil && flags&unix.O_CREAT == 0:
		return fmt.Errorf("it opens %q, which is not known to be there", name)
	case n == nil:
		n = c.rec.node(false)
		c.rec.add(event{kind: names, on: parent, name: name, target: n})
	case flags&unix.O_TRUNC != 0 && n.size > 0:
		c.rec.add(event{kind: cuts, on: n})
	}
	c.open[int(fd)] = n
	return nil
}

func (c *calls) copied(a [6]uint64, fd int64) error {
	delete(c.open, int(fd))
	if n := c.open[int(a[0])]; n != nil {
		c.open[int(fd)] = n
	}
	return nil
}

func (c *calls) controlled(a [6]uint64, fd int64) error {
	if a[1] == unix.F_DUPFD || a[1] == unix.F_DUPFD_CLOEXEC {
		return c.copied(a, fd)
	}
	return nil
}

func (c *calls) writtenAt(a [6]uint64, n int64) error {
	f := c.open[int(a[0])]
	if f == nil {
		return nil
	}
	data, err := c.memory(a[1], n)
	if err == nil {
		c.rec.add(event{kind: writes, on: f, off: int64(a[3]), data: data})
	}
	return err
}

// written is a write where the descriptor stands, or an acknowledgement.
func (c *calls) written(a [6]uint64, n int64) error {
	fd := int(a[0])
	if c.open[fd] == nil && fd != announceFD {
		return nil
	}
	data, err := c.memory(a[1], n)
	if err != nil {
		return err
	}
	if fd == announceFD {
		c.rec.add(event{kind: announces, data: data})
		return nil
	}
	end, err := c.position(fd)
	if err == nil {
		c.rec.add(event{kind: writes, on: c.open[fd], off: end - n, data: data})
	}
	return err
}

// filled is a call that put bytes from elsewhere into a file where its descriptor stands:
// they are read back.
func (c *calls) filled(a [6]uint64, n int64) error {
	fd := int(a[0])
	f := c.open[fd]
	if f == nil || n == 0 {
		return nil
	}
	end, err := c.position(fd)
	if err != nil {
		return err
	}
	file, err := os.Open(fmt.Sprintf("/proc/%d/fd/%d", c.pid, fd))
	if err != nil {
		return err
	}
	data := make([]byte, n)
	_, err = file.ReadAt(data, end-n)
	if err = errors.Join(err, file.Close()); err == nil {
		c.rec.add(event{kind: writes, on: f, off: end - n, data: data})
	}
	return err
}

func (c *calls) unknown(a [6]uint64, _ int64) error {
	if c.open[int(a[0])] != nil {
		return errors.New("it writes in a way that the recording does not express")
	}
	return nil
}

func (c *calls) truncated(a [6]uint64, _ int64) error {
	if f := c.open[int(a[0])]; f != nil {
		c.rec.add(event{kind: cuts, on: f, off: int64(a[1])})
	}
	return nil
}

func (c *calls) allocated(a [6]uint64, _ int64) error {
	f := c.open[int(a[0])]
	switch {
	case f == nil || a[1] == unix.FALLOC_FL_KEEP_SIZE:
	case a[1] != 0:
		return fmt.Errorf("it changes a file by fallocate, mode %d", a[1])
	case int64(a[2]+a[3]) > f.size:
		c.rec.add(event{kind: cuts, on: f, off: int64(a[2] + a[3])})
	}
	return nil
}

func (c *calls) made(dir int, path uint64) error {
	parent, name, err := c.find(dir, path)
	if err == nil && parent != nil {
		c.rec.add(event{kind: names, on: parent, name: name, target: c.rec.node(true)})
	}
	return err
}

func (c *calls) removed(dir int, path uint64) error {
	parent, name, err := c.find(dir, path)
	if err == nil && parent != nil {
		c.rec.add(event{kind: removes, on: parent, name: name})
	}
	return err
}

func (c *calls) moved(dir int, path uint64, toDir int, toPath uint64) error {
	from, name, err := c.find(dir, path)
	if err != nil {
		return err
	}
	to, toName, err := c.find(toDir, toPath)
	if err != nil || from == nil && to == nil {
		return err
	}
	if from == nil || to == nil {
		return fmt.Errorf("it moves %q into the folder or out of it", toName)
	}
	c.rec.add(event{kind: moves, on: from, name: name, target: from.entries[name], to: to, toName: toName})
	return nil
}

func (c *calls) linked(dir int, path uint64, toDir int, toPath uint64) error {
	from, name, err := c.find(dir, path)
	if err != nil {
		return err
	}
	to, toName, err := c.find(toDir, toPath)
	if err != nil || to == nil {
		return err
	}
	if from == nil {
		return fmt.Errorf("it links %q from outside", toName)
	}
	c.rec.add(event{kind: names, on: to, name: toName, target: from.entries[name]})
	return nil
}

func (c *calls) refused(dir int, path uint64, what string) error {
	parent, name, err := c.find(dir, path)
	if err == nil && parent != nil {
		err = fmt.Errorf("it makes %q, %s", name, what)
	}
	return err
}

// mapped: what is written to a file through memory is not seen.
func (c *calls) mapped(a [6]uint64, _ int64) error {
	if a[3]&unix.MAP_ANONYMOUS == 0 && a[2]&unix.PROT_WRITE != 0 && a[3]&unix.MAP_SHARED != 0 && c.open[at(a[4])] != nil {
		return errors.New("it writes to a file through memory")
	}
	return nil
}

// find returns the folder that a path is in, nil for one that is not recorded, and its last
// name; for a path that is a recorded folder without a name of its own, the folder and "".
func (c *calls) find(dir int, path uint64) (parent *node, name string, err error) {
	text, err := c.text(path)
	if err != nil {
		return nil, "", err
	}
	from := c.rec.root
	switch {
	case !filepath.IsAbs(text) && dir == unix.AT_FDCWD:
		return nil, "", nil // it works in /
	case !filepath.IsAbs(text):
		if from = c.open[dir]; from == nil {
			return nil, "", nil
		}
	default:
		rest, ok := strings.CutPrefix(filepath.Clean(text), c.folder)
		if !ok || rest != "" && rest[0] != '/' {
			return nil, "", nil
		}
		text = rest
	}
	parts := strings.Split(strings.Trim(filepath.Clean("/"+text), "/"), "/")
	for _, p := range parts[:len(parts)-1] {
		next := from.entries[p]
		if next == nil {
			return nil, "", fmt.Errorf("%q in %q is not known", p, text)
		}
		from = next
	}
	return from, parts[len(parts)-1], nil
}

// memory reads what the program has at an address.
func (c *calls) memory(address uint64, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b := make([]byte, n)
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	got, err := unix.ProcessVMReadv(c.pid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}}, 0)
	if err != nil || got != len(b) {
		return nil, fmt.Errorf("read %d bytes of the program's memory, got %d: %w", n, got, err)
	}
	return b, nil
}

// text reads a path. It may end close to the last mapped page.
func (c *calls) text(address uint64) (string, error) {
	var out []byte
	for len(out) < unix.PathMax {
		b, err := c.memory(address+uint64(len(out)), 64-int64((address+uint64(len(out)))%64))
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(out, b[:end]...)), nil
		}
		out = append(out, b...)
	}
	return "", errors.New("a path without an end")
}

// position is where a descriptor of the program stands.
func (c *calls) position(fd int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.pid, fd))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "pos:"); ok {
			return strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
		}
	}
	return 0, fmt.Errorf("the system does not tell where descriptor %d stands", fd)
}
