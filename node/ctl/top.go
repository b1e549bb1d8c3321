package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
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

// activity is what the leader knows of the queue.
type activity struct {
	tasks struct {
		Total uint64 `json:"total"`
	}
	batches struct {
		Results []runningBatch `json:"results"`
	}
}

type runningBatch struct {
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
}

// activity asks for the queue. It returns nil if there is no leader to tell.
func (c *client) activity(ctx context.Context, s *state) (*activity, error) {
	if s.Leader == "" {
		return nil, nil //nolint:nilnil // the node would wait for a leader before it refuses
	}
	var a activity
	err := c.call(ctx, http.MethodGet, "/tasks?statuses=enqueued&limit=1", nil, &a.tasks)
	if err == nil {
		err = c.call(ctx, http.MethodGet, "/batches?statuses=processing&limit=20", nil, &a.batches)
	}
	if r, ok := errors.AsType[*refusal](err); ok && r.Code == "no_leader" {
		return nil, nil //nolint:nilnil // it went after the state was read
	}
	return &a, err
}

// picture shows nodes, running batches and the queue once. Without a leader it shows what the
// node knows that was asked.
func picture(ctx context.Context, c *client) (string, error) {
	s, err := c.state(ctx)
	if err != nil {
		return "", err
	}
	a, err := c.activity(ctx, s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if a != nil {
		fmt.Fprintf(&b, "%s\n%s leads, %d indexes, %d tasks wait\n\n", s.State.Says, s.Leader, len(s.Indexes), a.tasks.Total)
	} else {
		fmt.Fprintf(&b, "%s\nnobody leads, %d indexes; the queue is not known without a leader\n\n", s.State.Says, len(s.Indexes))
	}
	if err := s.table(&b); err != nil {
		return "", err
	}
	if a != nil {
		for i := range a.batches.Results {
			a.batches.Results[i].print(&b)
		}
	}
	fmt.Fprintf(&b, "\n")
	return b.String(), nil
}

// table prints the nodes.
func (st *state) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tCOPIES\tIN SYNC\tLAG\tDOCUMENTS")
	for i := range st.Nodes {
		n := &st.Nodes[i]
		state := "up"
		if !n.Alive {
			state = "dead"
		} else if n.Draining {
			state = "draining"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", n.Name, state, n.Replicas, n.InSync, n.lag(), size(st.bytesOn(n.ID)))
	}
	return w.Flush()
}

func (x *runningBatch) print(out io.Writer) {
	fmt.Fprintf(out, "\nbatch %d", x.UID)
	for _, uid := range slices.Sorted(maps.Keys(x.Stats.IndexUIDs)) {
		fmt.Fprintf(out, " %s", uid)
	}
	if x.Progress == nil {
		return
	}
	fmt.Fprintf(out, " %.0f %%", x.Progress.Percentage)
	for _, step := range x.Progress.Steps {
		fmt.Fprintf(out, ", %s %d/%d", step.CurrentStep, step.Finished, step.Total)
	}
}
