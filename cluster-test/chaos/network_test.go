package chaos

import (
	"errors"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/cables"
)

// network is a switch whose failures end the test.
type network struct {
	t *testing.T
	s *cables.Switch
}

// newNetwork lays the cables for the nodes of a cluster that was not started yet. It
// skips the test where that is not allowed.
func newNetwork(t *testing.T, c *clustertest.Cluster) *network {
	t.Helper()
	s, err := cables.Lay(c)
	if errors.Is(err, cables.ErrNotAllowed) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &network{t, s}
}

func (n *network) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) cut(o *clustertest.Node) {
	n.t.Helper()
	n.must(n.s.Cut(o))
}

func (n *network) heal(o *clustertest.Node) {
	n.t.Helper()
	n.must(n.s.Heal(o))
}

func (n *network) lose(from, to *clustertest.Node) {
	n.t.Helper()
	n.must(n.s.Lose(from, to))
}

func (n *network) find(from, to *clustertest.Node) {
	n.t.Helper()
	n.must(n.s.Find(from, to))
}
