package powerloss

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrUntraceable: the system does not let this process trace a child.
var ErrUntraceable = errors.New("a child cannot be traced here (ptrace)")

// Command is a program to record.
type Command struct {
	Path string
	Args []string // without the name of the program
	Env  []string
	// Folder is what is recorded; it exists. The program must name it by this path.
	Folder string
	// Output gets what the program writes to standard output and error.
	Output *os.File
}

// Tracer runs one program and records it. The program ends with the process that traces it.
type Tracer struct {
	Recording *Recording
	pid       int
	done      chan struct{}
	status    syscall.WaitStatus
	err       error
}

// announceFD is the descriptor that a program writes acknowledgements to; what is written
// in one call is one of them.
const announceFD = 3

// Start runs a program. ErrUntraceable when the system forbids it.
func Start(c Command) (*Tracer, error) {
	folder, err := filepath.EvalSymlinks(c.Folder)
	if err != nil {
		return nil, fmt.Errorf("the folder to record: %w", err)
	}
	rec, err := newRecording(folder)
	if err != nil {
		return nil, err
	}
	t := &Tracer{Recording: rec, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Only the thread that started a child may trace it. It ends with this goroutine.
		runtime.LockOSThread()
		defer close(t.done)
		err := t.start(c)
		started <- err
		if err == nil {
			t.err = newLoop(t.pid, rec, folder).run(&t.status)
		}
	}()
	return t, <-started
}

func (t *Tracer) start(c Command) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	out := null
	if c.Output != nil {
		out = c.Output
	}
	t.pid, err = syscall.ForkExec(c.Path, append([]string{c.Path}, c.Args...), &syscall.ProcAttr{
		Dir: "/", Env: c.Env, Files: []uintptr{null.Fd(), out.Fd(), out.Fd(), announceFD: null.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL},
	})
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		return fmt.Errorf("%w: %w", ErrUntraceable, err)
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", c.Path, err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, 0, nil); err != nil {
		return fmt.Errorf("start %s: %w", c.Path, err)
	}
	if !status.Stopped() {
		return fmt.Errorf("%w: %s went on untraced", ErrUntraceable, c.Path)
	}
	if err := errors.Join(syscall.PtraceSetOptions(t.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACEFORK|
		unix.PTRACE_O_TRACEVFORK|unix.PTRACE_O_EXITKILL), syscall.PtraceSyscall(t.pid, 0)); err != nil {
		return fmt.Errorf("%w: %w", ErrUntraceable, err)
	}
	return nil
}

// Kill ends the program at once.
func (t *Tracer) Kill() error { return syscall.Kill(t.pid, syscall.SIGKILL) }

// Wait returns when the program has ended: how it ended, and an error when it did something
// that the recording cannot express.
func (t *Tracer) Wait() (syscall.WaitStatus, error) {
	<-t.done
	return t.status, t.err
}

// loop follows the threads of a program from stop to stop.
type loop struct {
	pid   int
	tasks map[int]*task
	calls *calls
}

// task is one thread.
type task struct {
	inCall bool
	nr     uint64
	args   [6]uint64
	upTo   int // how many events there were when the call began
}

func newLoop(pid int, rec *Recording, folder string) *loop {
	return &loop{pid: pid, tasks: map[int]*task{pid: {}}, calls: &calls{pid: pid, rec: rec, folder: folder, open: map[int]*node{}}}
}

// callInfo is the kernel's struct ptrace_syscall_info.
type callInfo struct {
	op   uint8
	_    [3]byte
	arch uint32
	_    [2]uint64
	data [8]uint64 // at entry: number, arguments; at exit: result
}

const (
	callEntry = 1
	callExit  = 2
)

func (l *loop) run(ended *syscall.WaitStatus) error {
	var fault error
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD):
			return fault
		case err != nil:
			return errors.Join(fault, fmt.Errorf("wait for the program: %w", err))
		}
		if status.Exited() || status.Signaled() {
			delete(l.tasks, tid)
			if tid == l.pid {
				*ended = status
			}
			continue
		}
		pass, err := l.stopped(tid, status)
		if err != nil && fault == nil {
			fault = err
			_ = syscall.Kill(l.pid, syscall.SIGKILL) // its end is what the loop waits for
		}
		// A thread that was killed meanwhile cannot go on.
		if err := syscall.PtraceSyscall(tid, int(pass)); err != nil && !errors.Is(err, syscall.ESRCH) {
			return errors.Join(fault, fmt.Errorf("let the program go on: %w", err))
		}
	}
}

// stopped looks at why a thread stopped, and returns the signal that it is to get.
func (l *loop) stopped(tid int, status syscall.WaitStatus) (pass syscall.Signal, err error) {
	t := l.tasks[tid]
	if t == nil {
		t = &task{}
		l.tasks[tid] = t
		if status.StopSignal() == syscall.SIGSTOP {
			return 0, nil // every new thread begins with it
		}
	}
	signal := status.StopSignal()
	switch {
	case signal == syscall.SIGTRAP|0x80:
		return 0, l.call(tid, t)
	case signal == syscall.SIGTRAP && status.TrapCause() != 0:
		return 0, nil // it has started a thread
	}
	return signal, nil
}

func (l *loop) call(tid int, t *task) error {
	var info callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno == unix.ESRCH {
		return nil // killed
	}
	if errno != 0 {
		return fmt.Errorf("%w: the kernel does not tell about calls: %w", ErrUntraceable, errno)
	}
	switch info.op {
	case callEntry:
		t.inCall, t.nr = true, info.data[0]
		copy(t.args[:], info.data[1:7])
		t.upTo = l.calls.begin(t)
		return nil
	case callExit:
		if !t.inCall {
			return nil
		}
		t.inCall = false
		if result := int64(info.data[0]); result >= 0 {
			return l.calls.end(t, result)
		}
	}
	return nil
}
