package chaos

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Row 12 of the failure matrix: every node comes back somewhere else, and nothing but
// the command lines says where.
func TestRow12AllAddressesChangeAtOnce(t *testing.T) {
	c := start(t, 3, 3)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 200))
	for round := range 2 {
		for _, n := range c.Nodes {
			n.Kill()
		}
		// Addresses of the loopback interface that no other test uses at the same time.
		c.Rename(func(i int) string { return fmt.Sprintf("127.%d.%d.%d", 100+round, 1+os.Getpid()%250, 1+i) })
		began := time.Now()
		for _, n := range c.Nodes {
			begin(t, c, n)
		}
		allThere(t, c.Nodes, 200+100*round)
		t.Logf("all nodes show all documents %s after their start", time.Since(began).Round(time.Millisecond))
		write(t, c.Nodes[round], "POST", "/indexes/docs/documents", documents(200+100*round, 100))
	}
	allThere(t, c.Nodes, 400)
	whole(t, c.Nodes[0], 3, 3)
}
