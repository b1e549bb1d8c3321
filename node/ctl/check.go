package ctl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Check reports the health of a cluster in one line, for monitoring. As monitoring plugins
// do, it exits with 0 for fine, 1 for a warning, 2 for critical, 3 for unknown.
type Check struct {
	Remote
	MaxLag  uint64        `default:"1000" placeholder:"N" help:"Entries of the log that a node may be behind without a warning."`
	Timeout time.Duration `default:"10s" placeholder:"TIME" help:"How long to try."`
}

// Status is an exit status and a text to print. It is an error so that it takes the
// ordinary way out.
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

// judge turns a state into an exit status and a text.
func (k *Check) judge(s *state) (int, string) {
	var behind []string
	away, shards := 0, 0
	for _, n := range s.Nodes {
		switch {
		case !n.Alive:
			away++
		case n.Lag != nil && *n.Lag > k.MaxLag:
			behind = append(behind, fmt.Sprintf("%s is %d entries behind", n.Name, *n.Lag))
		}
	}
	for _, x := range s.Indexes {
		shards += len(x.Shards)
	}
	figures := fmt.Sprintf(" | nodes=%d away=%d indexes=%d shards=%d votes=%d", len(s.Nodes), away, len(s.Indexes), shards, s.Votes.Held)
	switch {
	case s.State.Level == "critical":
		return 2, "CRITICAL - " + s.State.Says + figures
	case s.State.Level == "warning":
		return 1, "WARNING - " + strings.Join(append([]string{s.State.Says}, behind...), "; ") + figures
	case s.State.Level != "ok":
		return 3, "UNKNOWN - the node that was asked runs a program that does not tell: use the shoal of its version" + figures
	case len(behind) > 0:
		return 1, "WARNING - " + strings.Join(behind, ", ") + figures
	}
	return 0, "OK - " + s.State.Says + ", " + s.Leader + " leads, " + s.Votes.Says + figures
}
