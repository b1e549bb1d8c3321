package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"shoal/node/address"
	"shoal/node/config"
	"shoal/node/folder"
	"shoal/node/machine"
)

// devCmd runs a local cluster: one process per node, all under this command.
type devCmd struct {
	Nodes int `default:"3" placeholder:"N" help:"Number of nodes."`
	options
}

// DevNode is one row of nodes.json.
type DevNode struct {
	Name string `json:"name"`
	HTTP string `json:"http"`
	PID  int    `json:"pid"`

	peer, gossip, dir string
	metrics           string // "" = none
}

const (
	devReady = 30 * time.Second // for the whole cluster to answer
	devStop  = 10 * time.Second // for the nodes to end by themselves
)

func (d *devCmd) run(ctx context.Context, out io.Writer, args []string) error {
	if d.Nodes < 1 || d.Nodes > 16 {
		return usageError{fmt.Errorf("--nodes is %d: use 1 to 16", d.Nodes)}
	}
	cfg, err := d.config()
	if err != nil {
		return usageError{err}
	}
	if err := os.MkdirAll(d.DBPath, 0o700); err != nil {
		return fmt.Errorf("folder %s cannot be made (--db-path): %w", d.DBPath, err)
	}
	secret, err := folder.OwnSecret(machine.Disk(), d.DBPath)
	if err != nil {
		return err
	}
	name, err := filepath.Abs(d.DBPath)
	if err != nil {
		return fmt.Errorf("folder %s (--db-path): %w", d.DBPath, err)
	}
	ports, guard, err := address.ClusterPorts(3*d.Nodes-1, name)
	if err != nil {
		return err
	}
	defer guard.Close()
	nodes := d.plan(ports)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &devCluster{nodes: nodes, out: out, env: hidden(&cfg, secret)}
	defer c.stop()
	if err := d.startAll(c, args); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	if err := c.publish(filepath.Join(d.DBPath, "nodes.json")); err != nil {
		return err
	}
	for left := len(c.nodes); ; {
		select {
		case <-ctx.Done():
			return nil
		case name := <-c.ended:
			if left--; left == 0 {
				return errors.New("every node of the local cluster has ended, see the .log files beside their data folders")
			}
			log := filepath.Join(d.DBPath, name) + ".log"
			fmt.Fprintf(out, "%s has ended, %d nodes go on. The last line of %s: %s\n", name, left, log, lastLine(log))
		}
	}
}

// startAll starts every node. The first one inherits the listener for clients.
func (d *devCmd) startAll(c *devCluster, args []string) error {
	clients, err := listenerFile(d.HTTPAddr)
	if err != nil {
		return err
	}
	defer clients.Close()
	for i := range c.nodes {
		argv := childArgs(c.nodes, i, args)
		var files []*os.File
		if i == 0 {
			argv, files = append(argv, "--http-fd=3"), []*os.File{clients}
		}
		if err := c.start(&c.nodes[i], argv, files...); err != nil {
			return err
		}
	}
	return nil
}

// listenerFile listens on the requested address for the first node, which inherits the
// listener. Without it, a connection of another node could get the port before the first
// node listens.
func listenerFile(addr string) (*os.File, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, address.Fault("--http-addr", addr, err)
	}
	f, err := ln.(*net.TCPListener).File()
	if err = errors.Join(err, ln.Close()); err != nil {
		return nil, address.Fault("--http-addr", addr, err)
	}
	return f, nil
}

// plan gives every node its name, folder and addresses. The first node serves
// on --http-addr, all others have ports of the loopback interface.
func (d *devCmd) plan(ports []int) []DevNode {
	next := func() string {
		a := address.Loopback(ports[0])
		ports = ports[1:]
		return a
	}
	nodes := make([]DevNode, d.Nodes)
	for i := range nodes {
		n := &nodes[i]
		n.Name = fmt.Sprintf("node-%d", i+1)
		n.dir = filepath.Join(d.DBPath, n.Name)
		n.HTTP = d.HTTPAddr
		if i > 0 {
			n.HTTP = next()
		}
		n.peer, n.gossip = next(), next()
		n.metrics = shifted(d.MetricsAddr, i)
	}
	return nodes
}

// shifted is an address with the port increased by i, so that each node has its own.
func shifted(addr string, i int) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	n, err := strconv.Atoi(port)
	if err != nil || n == 0 {
		return addr
	}
	return net.JoinHostPort(host, strconv.Itoa(n+i))
}

// ownFlags are the flags that the command sets itself for its nodes.
var ownFlags = map[string]bool{
	"--nodes": true, "--metrics-addr": true, "--http-addr": true, "--db-path": true, "--peer-addr": true, "--gossip-addr": true,
	"--name": true, "--join": true, "--init-members": true, "--cluster-secret": true, "--cluster-secret-file": true, "--cluster-secret-also": true,
	"--master-key": true, "--master-key-file": true, "--task-webhook-authorization-header": true, "--config-file-path": false,
}

// hidden are options of the nodes that must stay secret. They go into the environment,
// because everybody can see the command line of a process.
func hidden(cfg *config.Config, secret string) []string {
	return []string{
		"SHOAL_CLUSTER_SECRET=" + secret, "SHOAL_CLUSTER_SECRET_FILE=", "SHOAL_CLUSTER_SECRET_ALSO=",
		"SHOAL_MASTER_KEY=" + cfg.MasterKey, "SHOAL_MASTER_KEY_FILE=",
		"SHOAL_TASK_WEBHOOK_AUTHORIZATION_HEADER=" + cfg.TaskWebhookHeader,
	}
}

// childArgs are the arguments of node i: the command's own, without those that differ by
// node.
func childArgs(nodes []DevNode, i int, args []string) []string {
	out := []string{"serve"}
	for k := 0; k < len(args); k++ {
		name, _, eq := strings.Cut(args[k], "=")
		switch {
		case args[k] == "dev":
		case ownFlags[name]:
			if !eq {
				k++
			}
		default:
			out = append(out, args[k])
		}
	}
	n := nodes[i]
	members, seeds := make([]string, len(nodes)), make([]string, 0, len(nodes))
	for k, o := range nodes {
		members[k] = o.Name + "=" + o.peer
		if k != i {
			seeds = append(seeds, o.gossip)
		}
	}
	out = append(out, "--name="+n.Name, "--db-path="+n.dir, "--http-addr="+n.HTTP, "--peer-addr="+n.peer, "--gossip-addr="+n.gossip,
		"--watch-parent", fmt.Sprintf("--expect-nodes=%d", len(nodes)))
	if n.metrics != "" {
		out = append(out, "--metrics-addr="+n.metrics)
	}
	if len(nodes) > 1 {
		out = append(out, "--init-members="+strings.Join(members, ","), "--join="+strings.Join(seeds, ","))
	}
	return out
}

// devCluster owns the processes.
type devCluster struct {
	nodes []DevNode
	out   io.Writer
	env   []string // added to every node's environment
	wg    sync.WaitGroup
	procs []*exec.Cmd
	pipes []io.Closer
	ended chan string // names of nodes that ended
}

// start runs a node; files are its descriptors from 3 on.
func (c *devCluster) start(n *DevNode, args []string, files ...*os.File) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	log, err := os.OpenFile(n.dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", n.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = files
	// A process group of its own: Ctrl-C in a terminal reaches only this command, which
	// passes it on once.
	cmd.SysProcAttr = machine.Apart()
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", n.Name, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", n.Name, err)
	}
	if c.ended == nil {
		c.ended = make(chan string, len(c.nodes))
	}
	n.PID = cmd.Process.Pid
	c.procs, c.pipes = append(c.procs, cmd), append(c.pipes, in)
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		_ = cmd.Wait() // its log file has the reason
		c.ended <- n.Name
	}()
	return nil
}

// ready waits until every node reports that the whole cluster is ready.
func (c *devCluster) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, devReady)
	defer cancel()
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for i := range c.nodes {
		n := &c.nodes[i]
		for !healthy(ctx, client, n.HTTP) {
			select {
			case name := <-c.ended:
				return fmt.Errorf("%s ended while starting: %s", name, lastLine(filepath.Join(filepath.Dir(n.dir), name)+".log"))
			case <-ctx.Done():
				if errors.Is(ctx.Err(), context.DeadlineExceeded) {
					return fmt.Errorf("%s did not become ready within %s, see %s.log", n.Name, devReady, n.dir)
				}
				return ctx.Err()
			case <-time.After(15 * time.Millisecond):
			}
		}
	}
	return nil
}

func healthy(ctx context.Context, client *http.Client, addr string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/health", nil)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func lastLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return lines[len(lines)-1]
}

// publish prints the nodes and writes them for programs.
func (c *devCluster) publish(path string) error {
	b, err := json.MarshalIndent(c.nodes, "", "  ")
	if err != nil {
		return fmt.Errorf("encode nodes.json: %w", err)
	}
	if err := machine.Disk().WriteFile(path, append(b, '\n')); err != nil {
		return fmt.Errorf("write nodes.json: %w", err)
	}
	fmt.Fprintf(c.out, "The cluster is ready: %d nodes, any of them answers.\n", len(c.nodes))
	for _, n := range c.nodes {
		fmt.Fprintf(c.out, "  %-8s http://%s  (pid %d)\n", n.Name, n.HTTP, n.PID)
	}
	fmt.Fprintf(c.out, "Logs are in %s, Ctrl-C ends all nodes.\n", filepath.Dir(path))
	return nil
}

// allEnded yields when all nodes have ended.
func (c *devCluster) allEnded() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(done)
	}()
	return done
}

// stop ends the nodes with SIGTERM, and after a while by force.
func (c *devCluster) stop() {
	for _, p := range c.procs {
		_ = p.Process.Signal(syscall.SIGTERM) // already ended is fine
	}
	select {
	case <-c.allEnded():
	case <-time.After(devStop):
		for _, p := range c.procs {
			_ = p.Process.Kill()
		}
		c.wg.Wait()
	}
	for _, p := range c.pipes {
		_ = p.Close()
	}
}
