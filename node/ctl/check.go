package ctl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Check says in one line how a cluster is, for monitoring: exit status 0 is fine, 1
// a warning, 2 critical, 3 unknown, as monitoring plugins have them.
type Check struct {
	Remote
	MaxLag  uint64        `default:"1000" placeholder:"N" help:"Entries of the log that a node may be behind without a warning."`
	Timeout time.Duration `default:"10s" placeholder:"TIME" help:"How long to try."`
}

// Status is an exit status with what to print. It is an error so that it leaves
// through the one way out.
type Status struct {
	Code int
	Text string
}

func (s *Status) Error() string { return s.Text }

// Run prints the line and returns a Status unless all is well.
func (k *Check) Run(ctx context.Context, out io.Writer) error {
	c, err := k.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, k.Timeout)
	defer cancel()
	c.retryFor = k.Timeout / 2
	s, err := c.state(ctx)
	if err != nil {
		return &Status{3, "UNKNOWN - " + err.Error()}
	}
	code, text := k.judge(s)
	if code != 0 {
		return &Status{code, text}
	}
	fmt.Fprintln(out, text)
	return nil
}

// judge is how a state is to be called.
func (k *Check) judge(s *state) (int, string) {
	var away, behind []string
	for _, n := range s.Nodes {
		switch {
		case !n.Alive:
			away = append(away, n.Name)
		case n.Lag != nil && *n.Lag > k.MaxLag:
			behind = append(behind, fmt.Sprintf("%s is %d entries behind", n.Name, *n.Lag))
		}
	}
	shards, broken, missing := 0, []string(nil), 0
	for _, x := range s.Indexes {
		for _, sh := range x.Shards {
			shards++
			good := 0
			for _, r := range sh.Replicas {
				if r.Alive && r.State == "inSync" {
					good++
				}
			}
			if good == 0 {
				broken = append(broken, fmt.Sprintf("shard %d of %s", sh.Number, x.UID))
			} else if good < len(sh.Replicas) {
				missing++
			}
		}
	}
	figures := fmt.Sprintf(" | nodes=%d away=%d indexes=%d shards=%d votes=%d", len(s.Nodes), len(away), len(s.Indexes), shards, s.Votes.Held)
	switch {
	case s.Leader == "":
		return 2, "CRITICAL - the cluster has no leader: writes are refused" + figures
	case len(broken) > 0:
		return 2, "CRITICAL - no copy answers for " + strings.Join(broken[:min(3, len(broken))], ", ") + figures
	case len(s.Damage) > 0:
		return 1, "WARNING - " + s.Damage[0] + figures
	case len(away) > 0:
		return 1, "WARNING - no answer from " + strings.Join(away, ", ") + figures
	case missing > 0 || !s.Healthy:
		return 1, fmt.Sprintf("WARNING - %d shards miss copies", missing) + figures
	case len(behind) > 0:
		return 1, "WARNING - " + strings.Join(behind, ", ") + figures
	case s.Votes.Held < s.Votes.Kept:
		return 1, "WARNING - " + s.Votes.Says + figures
	}
	fine := "OK - every shard has all its copies, " + s.Leader + " leads"
	if s.Votes.Says != "" {
		fine += ", " + s.Votes.Says
	}
	return 0, fine + figures
}
