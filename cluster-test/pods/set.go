package pods

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/cables"
	"shoal/cluster-test/rig"
)

const (
	manifest  = "../../deploy/kubernetes/shoal.yaml"
	service   = "shoal-nodes" // the headless one
	masterKey = "the master key of the pods"
	// hosts are as many addresses as pods may have: few, so that a pod gets one that
	// another one had.
	hosts = 7
)

// set is what a StatefulSet and its headless service do.
type set struct {
	t       *testing.T
	cluster *clustertest.Cluster
	net     *cables.Switch
	options []string          // of the manifest
	own     map[string]string // options that are other ones here
	free    []string          // addresses that no pod has, the one that was given up first comes first
	host    map[*clustertest.Node]string
}

// newSet prepares pods that do not run. The test is skipped where pods can have no
// network of their own.
func newSet(t *testing.T, n int, delay time.Duration) *set {
	t.Helper()
	c := rig.New(t, 0, rig.Shards(3), "SHOAL_CLUSTER_SECRET=")
	net, err := cables.New()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	})
	options, err := commandLine(manifest)
	if err != nil {
		t.Fatal(err)
	}
	s := &set{t: t, cluster: c, net: net, options: options, host: map[*clustertest.Node]string{}}
	s.own = map[string]string{"shutdown-delay": delay.String(), "dump-dir": filepath.Join(c.Dir, "dumps"), "snapshot-dir": filepath.Join(c.Dir, "snapshots"),
		"master-key-file": s.secret("master-key", masterKey), "cluster-secret-file": s.secret("cluster-secret", strings.Repeat("5ec2e70f", 8))}
	for i := range hosts {
		s.free = append(s.free, fmt.Sprintf("10.77.0.%d", i+1))
	}
	for range n {
		s.add()
	}
	s.publish()
	return s
}

// commandLine reads the arguments of the container, without the command.
func commandLine(path string) (options []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if option, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "- --"); ok {
			options = append(options, option)
		}
	}
	if len(options) < 10 {
		return nil, fmt.Errorf("%s: %d options", path, len(options))
	}
	return options, lines.Err()
}

func (s *set) secret(name, text string) string {
	path := filepath.Join(s.cluster.Dir, name)
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// add makes the next pod with an empty volume; it does not run.
func (s *set) add() *clustertest.Node {
	s.t.Helper()
	n, err := s.cluster.Join()
	if err != nil {
		s.t.Fatal(err)
	}
	n.Name, n.Key = fmt.Sprintf("shoal-%d", len(s.cluster.Nodes)-1), masterKey
	s.take(n)
	if err := s.net.Plug(n, s.host[n]); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// take gives a pod the address that was given up first.
func (s *set) take(n *clustertest.Node) {
	if old, ok := s.host[n]; ok {
		s.free = append(s.free, old)
	}
	s.host[n], s.free = s.free[0], s.free[1:]
	for _, option := range s.options {
		name, value, _ := strings.Cut(option, "=")
		if own, ok := s.own[name]; ok {
			value = own
		}
		switch name {
		case "http-addr", "advertise-http":
			value = n.HTTP // clients are outside of the pods' network
		case "db-path":
			value = n.Folder()
		}
		n.Option(name, strings.NewReplacer("$(POD_NAME)", n.Name, "$(POD_IP)", s.host[n]).Replace(value))
	}
}

// publish has the names of the pods that there are lead to their addresses.
func (s *set) publish() {
	s.t.Helper()
	names := map[string][]*clustertest.Node{service: s.cluster.Nodes}
	for _, n := range s.cluster.Nodes {
		names[n.Name+"."+service] = []*clustertest.Node{n}
	}
	if err := s.net.Name(names); err != nil {
		s.t.Fatal(err)
	}
}

// run starts a pod and waits until it is ready.
func (s *set) run(n *clustertest.Node) {
	s.t.Helper()
	if err := n.Start(s.cluster); err != nil {
		s.t.Fatal(err)
	}
	s.ready(n)
}

func (s *set) ready(n *clustertest.Node) {
	s.t.Helper()
	eventually(s.t, 30*time.Second, n.Name+" to be ready", func() bool { return answers(s.t.Context(), n, probe) == http.StatusOK })
}

// move gives a pod that does not run another address: it is made anew elsewhere.
func (s *set) move(n *clustertest.Node) {
	s.t.Helper()
	s.take(n)
	if err := s.net.Move(n, s.host[n]); err != nil {
		s.t.Fatal(err)
	}
	s.publish()
}

// lose empties the volume of a pod that does not run.
func (s *set) lose(n *clustertest.Node) {
	s.t.Helper()
	if err := os.RemoveAll(n.Folder()); err != nil {
		s.t.Fatal(err)
	}
}

// drop forgets the last pod, which does not run.
func (s *set) drop(n *clustertest.Node) {
	s.t.Helper()
	last := len(s.cluster.Nodes) - 1
	if s.cluster.Nodes[last] != n {
		s.t.Fatalf("%s is not the last pod", n.Name)
	}
	s.cluster.Nodes = s.cluster.Nodes[:last]
	s.publish()
}
