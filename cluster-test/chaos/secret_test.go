package chaos

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

func TestANodeThatOtherMachinesReachDoesNotStartWithoutASecret(t *testing.T) {
	for _, option := range []string{"peer-addr", "gossip-addr"} {
		c, n := single(t)
		n.Env = []string{"SHOAL_CLUSTER_SECRET=", "SHOAL_MASTER_KEY=a master key of enough bytes", "SHOAL_ENV=production"}
		n.Option(option, "0.0.0.0:0")
		refusedWith(t, c, n, 2, "--"+option, "secret", "shoal secret", "--cluster-secret-file")
	}
}

// A node alone, without any option: nothing of its machine may speak to it as a node
// unless it can read its folder.
func TestALocalProcessCannotUseThePeerPortWithoutTheSecret(t *testing.T) {
	c, n := single(t)
	n.Env = []string{"SHOAL_CLUSTER_SECRET="}
	rig.Start(t, c)
	write(t, n, "POST", "/indexes/docs/documents", documents(0, 10))
	conn, err := net.Dial("tcp", n.Peer)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 9)
	if k, err := conn.Read(b); err == nil && b[0] != 21 { // a TLS alert
		t.Errorf("the port for nodes speaks to a stranger: % x", b[:k])
	}
	secret := filepath.Join(n.Folder(), "cluster-secret")
	if info, err := os.Stat(secret); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the secret of the folder: %v %v", info, err)
	}
	// Who can read the folder may join.
	second, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	second.Env = n.Env
	second.Option("cluster-secret-file", secret)
	if err := second.Start(c); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "a second node to belong", func(ctx context.Context) bool {
		s, err := second.Status(ctx)
		return err == nil && len(s.Nodes) == 2
	})
}
