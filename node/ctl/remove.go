package ctl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Remove takes a node out of the cluster for good.
type Remove struct {
	Remote
	Node string `arg:"" names:"nodes" help:"Name or id of the node."`
	Yes  bool   `help:"Do not ask before a node is removed that is alive."`
	in   io.Reader
}

// Run removes the node from the list of members. If the node is alive it asks first,
// because a removal loses data that a drain would keep.
func (r *Remove) Run(ctx context.Context, out io.Writer) error {
	c, s, n, err := r.member(ctx, r.Node)
	if err != nil {
		return err
	}
	if n.Alive && !r.Yes {
		if err := r.ask(out, s, n); err != nil {
			return err
		}
	}
	var after state
	if err := c.call(ctx, http.MethodDelete, "/cluster/nodes/"+url.PathEscape(n.ID), nil, &after); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is no member any more.\n", n.Name)
	if after.Votes.Says != "" {
		fmt.Fprintf(out, "Now %s.\n", after.Votes.Says)
	}
	return nil
}

// ask explains the consequences of removing a live node. It returns an error unless the
// answer is the node's name.
func (r *Remove) ask(out io.Writer, s *state, n *nodeState) error {
	fmt.Fprintf(out, "%s is alive.", n.Name)
	if n.Name == s.Leader {
		fmt.Fprint(out, " It leads: writes wait until another node does.")
	}
	if n.Votes {
		fmt.Fprintf(out, " It votes: %d of %d votes are left unless another node can take its vote.", s.Votes.Held-1, s.Votes.Held)
	}
	if n.Replicas > 0 {
		fmt.Fprintf(out, " It holds %d copies (%s of documents), which are lost to the cluster.", n.Replicas, size(s.bytesOn(n.ID)))
	}
	if last := s.lastCopies(n.ID); last > 0 {
		fmt.Fprintf(out, " Of %d shards one copy would be left.", last)
	}
	fmt.Fprintf(out, "\nTo keep them, run 'shoal decommission %s' first: it moves the copies to other nodes.\nType the name of the node to remove it now: ", n.Name)
	in := r.in
	if in == nil {
		in = os.Stdin
	}
	line, _ := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n') // no answer is no
	if strings.TrimSpace(line) != n.Name {
		fmt.Fprintln(out)
		return fmt.Errorf("nothing was changed: the answer was not %s (--yes does without a question)", n.Name)
	}
	return nil
}

// lastCopies counts the shards that would have at most one answering copy left without the
// node.
func (s *state) lastCopies(id string) (shards int) {
	for _, x := range s.Indexes {
		for _, sh := range x.Shards {
			holds, others := false, 0
			for _, r := range sh.Replicas {
				switch {
				case r.Node == id:
					holds = true
				case r.Alive && r.State == "inSync":
					others++
				}
			}
			if holds && others <= 1 {
				shards++
			}
		}
	}
	return shards
}
