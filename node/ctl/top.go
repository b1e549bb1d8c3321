package ctl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
)

// Top shows the activity of a cluster, again and again.
type Top struct {
	Remote
	Every time.Duration `default:"2s" placeholder:"TIME" help:"How often to look."`
	Once  bool          `help:"Print one picture and end."`
}

// clear moves the cursor to the upper left corner and clears the screen below.
const clear = "\x1b[H\x1b[J"

// Run draws until it is interrupted.
func (t *Top) Run(ctx context.Context, out io.Writer) error {
	if t.Every < 200*time.Millisecond {
		return Usage{fmt.Errorf("--every is %s: use 200ms or more", t.Every)}
	}
	c, err := t.open()
	if err != nil {
		return err
	}
	c.retryFor = 0
	for {
		text, err := picture(ctx, c)
		if err != nil {
			text = "no picture: " + err.Error() + "\n"
		}
		if t.Once {
			if err == nil {
				fmt.Fprint(out, text)
			}
			return err
		}
		fmt.Fprint(out, clear, time.Now().Format(time.TimeOnly), "  ", text)
		if err := c.pause(ctx, t.Every); err != nil {
			fmt.Fprintln(out)
			return nil //nolint:nilerr // an interrupt is how this ends
		}
	}
}

// picture shows nodes, running batches and the queue once.
func picture(ctx context.Context, c *client) (string, error) {
	s, err := c.state(ctx)
	if err != nil {
		return "", err
	}
	var tasks struct {
		Total uint64 `json:"total"`
	}
	if err := c.call(ctx, http.MethodGet, "/tasks?statuses=enqueued&limit=1", nil, &tasks); err != nil {
		return "", err
	}
	var batches struct {
		Results []struct {
			UID      uint32 `json:"uid"`
			Progress *struct {
				Steps []struct {
					CurrentStep string `json:"currentStep"`
					Finished    uint32 `json:"finished"`
					Total       uint32 `json:"total"`
				} `json:"steps"`
				Percentage float64 `json:"percentage"`
			} `json:"progress"`
			Stats struct {
				IndexUIDs map[string]int `json:"indexUids"`
			} `json:"stats"`
		} `json:"results"`
	}
	if err := c.call(ctx, http.MethodGet, "/batches?statuses=processing&limit=20", nil, &batches); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s leads, %d indexes, %d tasks wait\n\n", s.State.Says, cmp.Or(s.Leader, "nobody"), len(s.Indexes), tasks.Total)
	w := tabwriter.NewWriter(&b, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tCOPIES\tIN SYNC\tLAG\tDOCUMENTS")
	for _, n := range s.Nodes {
		state := "up"
		if !n.Alive {
			state = "dead"
		} else if n.Draining {
			state = "draining"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", n.Name, state, n.Replicas, n.InSync, n.lag(), size(s.bytesOn(n.ID)))
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	for _, x := range batches.Results {
		fmt.Fprintf(&b, "\nbatch %d", x.UID)
		for uid := range x.Stats.IndexUIDs {
			fmt.Fprintf(&b, " %s", uid)
		}
		if x.Progress == nil {
			continue
		}
		fmt.Fprintf(&b, " %.0f %%", x.Progress.Percentage)
		for _, step := range x.Progress.Steps {
			fmt.Fprintf(&b, ", %s %d/%d", step.CurrentStep, step.Finished, step.Total)
		}
	}
	fmt.Fprintf(&b, "\n")
	return b.String(), nil
}
