package ctl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Decommission moves everything off a node so that it can be stopped for good.
type Decommission struct {
	Remote
	Node    string        `arg:"" names:"nodes" help:"Name or id of the node."`
	Wait    bool          `default:"true" negatable:"" help:"Wait until the node holds no copy."`
	Undo    bool          `help:"Let copies come back instead."`
	Timeout time.Duration `default:"24h" placeholder:"TIME" help:"How long to wait at most."`
	every   time.Duration
}

// Run marks the node, waits until its last copy has moved, and says what remains to be
// done. It can be repeated at any time.
func (d *Decommission) Run(ctx context.Context, out io.Writer) error {
	c, s, n, err := d.member(ctx, d.Node)
	if err != nil {
		return err
	}
	path := "/cluster/nodes/" + url.PathEscape(n.ID) + "/drain"
	if d.Undo {
		if err := c.call(ctx, http.MethodDelete, path, nil, nil); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s takes copies again.\n", n.Name)
		return nil
	}
	if err := c.call(ctx, http.MethodPost, path, nil, nil); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is draining: %d copies, about %s of documents, move to other nodes.\n", n.Name, n.Replicas, size(s.bytesOn(n.ID)))
	if !d.Wait {
		return nil
	}
	return d.wait(ctx, c, n, out)
}

// wait follows the move and prints a line after each change.
func (d *Decommission) wait(ctx context.Context, c *client, n *nodeState, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	if d.every == 0 {
		d.every = time.Second
	}
	last, began := -1, time.Now()
	for {
		s, err := c.state(ctx)
		if err != nil {
			return err
		}
		now, ok := s.node(n.ID)
		if !ok || now.Replicas == 0 {
			fmt.Fprintf(out, "%s holds no copy any more (%s). Stop it, then: shoal remove %s\n", n.Name, time.Since(began).Round(time.Second), n.Name)
			return nil
		}
		if now.Replicas != last {
			fmt.Fprintf(out, "  %d copies left, %s\n", now.Replicas, size(s.bytesOn(n.ID)))
			last = now.Replicas
		}
		if err := c.pause(ctx, d.every); err != nil {
			return fmt.Errorf("%d copies are left on %s: are there enough other nodes to hold them? %w", now.Replicas, n.Name, err)
		}
	}
}

// size is a number of bytes for people.
func size(n uint64) string {
	const units = "KMGT"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, at := float64(n)/1024, 0
	for f >= 1024 && at < len(units)-1 {
		f, at = f/1024, at+1
	}
	return fmt.Sprintf("%.1f %ciB", f, units[at])
}
