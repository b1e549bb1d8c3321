package ctl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Verified is the result of a running node that verified its data: the answer of POST
// /cluster/verify.
type Verified struct {
	Node string `json:"node"`
	// LogEntries, Files, Bytes and PayloadBytes are what was read.
	LogEntries   uint64         `json:"logEntries"`
	Files        int            `json:"files"`
	Bytes        int64          `json:"bytes"`
	PayloadBytes int64          `json:"payloadBytes"`
	Damage       []string       `json:"damage"` // a line each
	Copies       []VerifiedCopy `json:"copies"`
}

// VerifiedCopy is the content of one copy of a shard. Copies of one shard at one version
// have equal sums.
type VerifiedCopy struct {
	Index   string `json:"index"`
	IndexID uint32 `json:"indexId"`
	Shard   uint16 `json:"shard"`
	Version uint64 `json:"version"`
	Delta   string `json:"delta"`
	Keys    int64  `json:"keys"`
	Sum     string `json:"sum"`
}

// Verify makes the nodes of a running cluster, or one of them, verify their data one after
// the other, and reports the findings. It returns a Status if something is damaged, copies
// differ, or copies of one version have two histories.
func (r *Remote) Verify(ctx context.Context, node string, out io.Writer) error {
	c, err := r.open()
	if err != nil {
		return err
	}
	c.http.Timeout = 0 // reading a whole disk takes long
	names := []string{node}
	if node == "" {
		s, err := c.state(ctx)
		if err != nil {
			return err
		}
		names = nil
		for _, n := range s.Nodes {
			if n.Alive {
				names = append(names, n.Name)
			} else {
				fmt.Fprintf(out, "%s does not answer and is left out: when it is stopped, shoal verify DIR reads its data folder\n", n.Name)
			}
		}
	}
	faults := 0
	seen := map[string]struct {
		node string
		copy VerifiedCopy
	}{}
	for _, name := range names {
		var v Verified
		if err := c.call(ctx, http.MethodPost, "/cluster/verify?node="+url.QueryEscape(name), nil, &v); err != nil {
			return err
		}
		for _, line := range v.Damage {
			fmt.Fprintf(out, "DAMAGED %s: %s\n", v.Node, line)
			faults++
		}
		for _, copied := range v.Copies {
			at := fmt.Sprint(copied.IndexID, copied.Shard, copied.Version)
			other, known := seen[at]
			if !known {
				other.node, other.copy = v.Node, copied
				seen[at] = other
			} else if other.copy.Delta != copied.Delta {
				fmt.Fprintf(out, "DIVERGED shard %d of %s at version %d: %s has it by delta %s, %s by delta %s; one of the nodes was put back to an earlier state, and acknowledged writes may be on the other one only\n",
					copied.Shard, copied.Index, copied.Version, other.node, other.copy.Delta, v.Node, copied.Delta)
				faults++
			} else if other.copy.Sum != copied.Sum {
				fmt.Fprintf(out, "DIFFERS shard %d of %s at version %d: %s has %d keys with sum %s, %s has %d with %s\n",
					copied.Shard, copied.Index, copied.Version, other.node, other.copy.Keys, other.copy.Sum, v.Node, copied.Keys, copied.Sum)
				faults++
			}
		}
		fmt.Fprintf(out, "%s: %d entries of the log, %d bytes in %d files of %d shards, %d bytes of staged payloads; %d damaged\n",
			v.Node, v.LogEntries, v.Bytes, v.Files, len(v.Copies), v.PayloadBytes, len(v.Damage))
	}
	if faults > 0 {
		return &Status{Code: 1, Text: fmt.Sprintf("%d faults. Damaged shards are fetched from other nodes by themselves (shoal status shows it). If the log of a node is damaged and most other voters run, stop that node, empty its folder and start it: the cluster fills it.", faults)}
	}
	fmt.Fprintln(out, "everything is as it was written")
	return nil
}
