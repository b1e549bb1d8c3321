package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Cluster is a set of nodes of one binary under one folder. Not safe for
// concurrent use, except for its nodes' HTTP methods.
type Cluster struct {
	Binary string
	Dir    string
	Nodes  []*Node
	// Env is added to every node's environment.
	Env    []string
	secret string
	made   int // nodes made so far; a node that has left keeps its name and its folder
}

// Node is one process.
type Node struct {
	Name, HTTP, Peer, Gossip string
	// Watched is the address of metrics and profiles, "" before Watch is called.
	Watched string

	// Env is added to this node's environment, after the cluster's: a later
	// variable wins.
	Env []string
	// Namespace, if set, is the network namespace that the process runs in (by ip netns
	// exec). Clients stay outside, because the process inherits its listener.
	Namespace string
	// Descriptors bounds the files and connections of the process; 0 keeps the limit of
	// this process. It cannot be combined with Namespace.
	Descriptors int
	// Key is the API key of requests; empty sends none.
	Key string

	args []string
	log  string
	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
}

// Folder is the node's data folder.
func (n *Node) Folder() string { return strings.TrimSuffix(n.log, ".log") }

// Option sets a command line option for the next start, replacing an earlier value.
func (n *Node) Option(name, value string) {
	prefix := "--" + name + "="
	n.args = slices.DeleteFunc(n.args, func(a string) bool { return strings.HasPrefix(a, prefix) })
	n.args = append(n.args, prefix+value)
}

// Args adds options without values to the next start.
func (n *Node) Args(args ...string) { n.args = append(n.args, args...) }

// Watch makes the node serve metrics and profiles at Watched from its next start on.
func (n *Node) Watch() error {
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	n.Watched = fmt.Sprintf("127.0.0.1:%d", ports[0])
	n.Option("metrics-addr", n.Watched)
	return nil
}

// New prepares a cluster with n first members; Start runs them.
func New(binary, dir string, n int, env ...string) (*Cluster, error) {
	c := &Cluster{Binary: binary, Dir: dir, Env: env, secret: "5ec2e70f0123456789abcdef5ec2e70f0123456789abcdef5ec2e70f01234567"}
	for range n {
		if _, err := c.add(); err != nil {
			return nil, err
		}
	}
	if n > 1 {
		members := make([]string, n)
		for i, o := range c.Nodes {
			members[i] = o.Name + "=" + o.Peer
		}
		for _, o := range c.Nodes {
			o.args = append(o.args, "--init-members="+strings.Join(members, ","), "--join="+c.seeds(o))
		}
	}
	return c, nil
}

// Join adds a node that knows only the gossip addresses of the others. Its Start method
// starts it.
func (c *Cluster) Join() (*Node, error) {
	seeds := c.seeds(nil)
	n, err := c.add()
	if err != nil {
		return nil, err
	}
	n.args = append(n.args, "--join="+seeds)
	return n, nil
}

func (c *Cluster) seeds(except *Node) string {
	var s []string
	for _, o := range c.Nodes {
		if o != except {
			s = append(s, o.Gossip)
		}
	}
	return strings.Join(s, ",")
}

func (c *Cluster) add() (*Node, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	c.made++
	n := &Node{Name: fmt.Sprintf("n%d", c.made)}
	n.HTTP = fmt.Sprintf("127.0.0.1:%d", ports[0])
	n.Peer = fmt.Sprintf("127.0.0.1:%d", ports[1])
	n.Gossip = fmt.Sprintf("127.0.0.1:%d", ports[2])
	n.log = filepath.Join(c.Dir, n.Name+".log")
	n.args = []string{"serve", "--name=" + n.Name, "--db-path=" + filepath.Join(c.Dir, n.Name), "--http-addr=" + n.HTTP,
		"--peer-addr=" + n.Peer, "--gossip-addr=" + n.Gossip, watchParent}
	c.Nodes = append(c.Nodes, n)
	return n, nil
}

// Start runs every node and waits until all answer.
func (c *Cluster) Start(ctx context.Context) error {
	for _, n := range c.Nodes {
		if err := n.Start(c); err != nil {
			return err
		}
	}
	for _, n := range c.Nodes {
		if err := n.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close kills the processes that still run and waits for them.
func (c *Cluster) Close() {
	for _, n := range c.Nodes {
		n.Kill()
	}
}

// Start runs the process without waiting for it to answer.
func (n *Node) Start(c *Cluster) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil {
		return fmt.Errorf("%s runs already", n.Name)
	}
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log of %s: %w", n.Name, err)
	}
	defer log.Close()
	cmd, err := n.command(c.Binary)
	if err != nil {
		return err
	}
	for _, f := range cmd.ExtraFiles {
		defer f.Close() // the process has its own
	}
	cmd.Env = c.environment(n)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil { // it closes when this process ends, so no node outlives it
		return fmt.Errorf("pipe to %s: %w", n.Name, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", n.Name, err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	n.cmd, n.done = cmd, done
	return nil
}

// CommandLine returns the options and the whole environment that Start uses, for a test
// that runs the program in its own way. Such a process does not end together with this one.
func (n *Node) CommandLine(c *Cluster) (args, env []string) {
	args = slices.DeleteFunc(slices.Clone(n.args), func(a string) bool { return a == watchParent })
	return args, c.environment(n)
}

func (c *Cluster) environment(n *Node) []string {
	return slices.Concat(os.Environ(), []string{"SHOAL_CLUSTER_SECRET=" + c.secret}, c.Env, n.Env)
}

// watchParent ends a node when the process that started it ends.
const watchParent = "--watch-parent"

// command returns the process to run.
func (n *Node) command(binary string) (*exec.Cmd, error) {
	if n.Descriptors > 0 {
		limited := []string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, n.Descriptors), binary}
		return exec.Command("sh", append(limited, n.args...)...), nil
	}
	if n.Namespace == "" {
		return exec.Command(binary, n.args...), nil
	}
	l, err := net.Listen("tcp", n.HTTP)
	if err != nil {
		return nil, fmt.Errorf("address of %s: %w", n.Name, err)
	}
	f, err := l.(*net.TCPListener).File() // a duplicate, so closing l is safe
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, fmt.Errorf("listener of %s: %w", n.Name, err)
	}
	args := append([]string{"netns", "exec", n.Namespace, binary}, n.args...)
	cmd := exec.Command("ip", append(args, "--http-fd=3")...)
	cmd.ExtraFiles = []*os.File{f}
	return cmd, nil
}

// Rename changes the addresses by which the nodes know each other. Call it before Start.
func (c *Cluster) Rename(host func(i int) string) {
	var peers, seeds []string
	for i, n := range c.Nodes {
		n.Peer, n.Gossip = host(i)+":7701", host(i)+":7946"
		peers, seeds = append(peers, n.Name+"="+n.Peer), append(seeds, n.Gossip)
	}
	for _, n := range c.Nodes {
		n.Option("peer-addr", n.Peer)
		n.Option("gossip-addr", n.Gossip)
		n.Option("init-members", strings.Join(peers, ","))
		n.Option("join", strings.Join(seeds, ","))
	}
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (n *Node) Kill() { n.end(syscall.SIGKILL) }

// Stop ends the process with SIGTERM and waits until it is gone.
func (n *Node) Stop() { n.end(syscall.SIGTERM) }

// Quit ends the process with SIGQUIT, which makes it write all stacks to its log, and waits
// until it is gone.
func (n *Node) Quit() { n.end(syscall.SIGQUIT) }

// Freeze suspends the process; Thaw resumes it. A frozen node keeps its connections and
// answers nothing.
func (n *Node) Freeze() error {
	if err := n.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// On a busy machine its threads run on for tenths of a second, because the thread that
	// handles the signal waits for a processor.
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if stopped, err := n.stopped(); err != nil || stopped {
			return err
		}
	}
	return fmt.Errorf("%s does not stop", n.Name)
}

// stopped tells whether all threads of the process stand still. It returns true on a system
// without /proc.
func (n *Node) stopped() (bool, error) {
	states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", n.PID()))
	if err != nil {
		return false, err
	}
	for _, path := range states {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return false, err
		}
		// The state follows the name, which is in brackets.
		if _, rest, ok := strings.Cut(string(b[bytes.LastIndexByte(b, ')')+1:]), " "); !ok || rest[0] != 'T' {
			return false, nil
		}
	}
	return true, nil
}

// Thaw undoes Freeze.
func (n *Node) Thaw() error { return n.signal(syscall.SIGCONT) }

func (n *Node) signal(sig syscall.Signal) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return fmt.Errorf("%s does not run", n.Name)
	}
	return n.cmd.Process.Signal(sig)
}

// PID is the process id, or 0 while the node does not run.
func (n *Node) PID() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return 0
	}
	return n.cmd.Process.Pid
}

// Runs tells whether the process runs. It is false for a process that ended by itself.
func (n *Node) Runs() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return false
	}
	select {
	case <-n.done:
		return false
	default:
		return true
	}
}

// Ended waits until the process ends by itself. It returns the exit status and the log.
func (n *Node) Ended(ctx context.Context) (status int, log string, err error) {
	n.mu.Lock()
	cmd, done := n.cmd, n.done
	n.mu.Unlock()
	if cmd == nil {
		return 0, "", fmt.Errorf("%s was not started", n.Name)
	}
	select {
	case <-done:
	case <-ctx.Done():
		return 0, "", fmt.Errorf("%s did not end, see %s: %w", n.Name, n.log, ctx.Err())
	}
	n.mu.Lock()
	n.cmd = nil
	n.mu.Unlock()
	b, err := os.ReadFile(n.log)
	return cmd.ProcessState.ExitCode(), string(b), err
}

func (n *Node) end(sig syscall.Signal) {
	n.mu.Lock()
	cmd, done := n.cmd, n.done
	n.cmd = nil
	n.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(sig)
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		<-done
	}
}

// Ready waits until the node answers /health with 200, at most until ctx ends.
func (n *Node) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if status, _, err := n.Do(ctx, "GET", "/health", nil); err == nil && status == 200 {
			return nil
		}
		n.mu.Lock()
		done := n.done
		n.mu.Unlock()
		select {
		case <-done:
			return fmt.Errorf("%s ended: %s", n.Name, n.LastLog())
		case <-ctx.Done():
			return fmt.Errorf("%s did not become ready, see %s", n.Name, n.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// LastLog returns the last line of the node's log.
func (n *Node) LastLog() string {
	b, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

// LogSize is the size of the node's log in bytes.
func (n *Node) LogSize() int {
	info, err := os.Stat(n.log)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// Tail returns the last lines of the node's log.
func (n *Node) Tail(lines int) string {
	b, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Ports are chosen below the range that the system uses for outgoing connections. Each
// process begins at another port, because several test programs run at the same time and a
// port stays unreserved between its choice here and its use by a node.
const (
	lowestPort = 10_000
	portCount  = 22_000
)

var lastPort atomic.Int64

func init() { lastPort.Store(int64(os.Getpid()) * 131) }

func freePorts(n int) ([]int, error) {
	var held []io.Closer
	defer func() {
		for _, h := range held {
			_ = h.Close()
		}
	}()
	var ports []int
	for tries := 0; len(ports) < n && tries < 1000; tries++ {
		port := lowestPort + int(lastPort.Add(1)%portCount)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		held = append(held, l)
		u, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		held = append(held, u)
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, errors.New("not enough free ports")
	}
	return ports, nil
}
