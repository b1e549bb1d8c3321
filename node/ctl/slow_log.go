package ctl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// SlowLog shows and changes which requests all nodes log as slow.
type SlowLog struct {
	Remote
	Threshold time.Duration `placeholder:"TIME" xor:"threshold" help:"Log requests that take that long or longer, from now on, on all nodes: 200ms, say."`
	Off       bool          `xor:"threshold" help:"Log none."`
	ShowQuery *bool         `negatable:"" help:"Log what was searched for, too: what people type, in the logs of all nodes."`
}

// slowLogState is the slow log's configuration as JSON.
type slowLogState struct {
	Threshold *uint64 `json:"thresholdMs"`
	ShowQuery bool    `json:"showQuery"`
}

// slowStep is a part of a slow request.
type slowStep struct {
	Name string  `json:"name"`
	Took float64 `json:"took"` // ms
}

// slowRequests are requests that took long, the newest first.
type slowRequests struct {
	Results []struct {
		Node  string     `json:"node"`
		At    int64      `json:"at"` // ms since 1970
		Route string     `json:"route"`
		Index string     `json:"indexUid"`
		Took  float64    `json:"took"` // ms
		Steps []slowStep `json:"steps"`
	} `json:"results"`
}

// Bounds of the list of slow requests: requests, and steps of each.
const (
	slowListed = 10
	slowSteps  = 4
)

// list prints the newest slow requests and where most of their time went.
func (r *slowRequests) list(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nWHEN\tNODE\tTOOK\tREQUEST\tINDEX\tWHERE THE TIME WENT")
	for _, q := range r.Results[:min(len(r.Results), slowListed)] {
		slices.SortStableFunc(q.Steps, func(a, b slowStep) int { return cmp.Compare(b.Took, a.Took) })
		var steps []string
		for _, s := range q.Steps[:min(len(q.Steps), slowSteps)] {
			steps = append(steps, fmt.Sprintf("%s %.0f ms", s.Name, s.Took))
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f ms\t%s\t%s\t%s\n", time.UnixMilli(q.At).Format(time.DateTime), q.Node, q.Took, q.Route, orDash(q.Index), orDash(strings.Join(steps, ", ")))
	}
	return w.Flush()
}

// Run makes the requested changes and prints the settings in force. Without changes it
// prints the newest slow requests, too.
func (s *SlowLog) Run(ctx context.Context, out io.Writer) error {
	change := map[string]any{}
	switch {
	case s.Off:
		change["thresholdMs"] = nil
	case s.Threshold < 0, s.Threshold > 0 && s.Threshold < time.Millisecond:
		return Usage{fmt.Errorf("--threshold is %s: use 1ms or more", s.Threshold)}
	case s.Threshold > 0:
		change["thresholdMs"] = s.Threshold.Milliseconds()
	}
	if s.ShowQuery != nil {
		change["showQuery"] = *s.ShowQuery
	}
	c, err := s.open()
	if err != nil {
		return err
	}
	var now slowLogState
	if len(change) == 0 {
		err = c.call(ctx, http.MethodGet, "/cluster/slow-log", nil, &now)
	} else {
		err = c.call(ctx, http.MethodPatch, "/cluster/slow-log", change, &now)
	}
	if err != nil {
		return err
	}
	if now.Threshold == nil {
		fmt.Fprintln(out, "The slow log is off: only searches of more than a second are remembered. Switch it on: shoal slowlog --threshold 200ms")
		return s.listed(ctx, c, len(change) == 0, out)
	}
	query := "without what they search for"
	if now.ShowQuery {
		query = "with what they search for"
	}
	fmt.Fprintf(out, "Every node logs requests of %s and more as \"slow request\", %s.\n", time.Duration(*now.Threshold)*time.Millisecond, query)
	return s.listed(ctx, c, len(change) == 0, out)
}

// listed prints the newest slow requests if asked to and if there are any.
func (s *SlowLog) listed(ctx context.Context, c *client, asked bool, out io.Writer) error {
	if !asked {
		return nil
	}
	var found slowRequests
	if err := c.call(ctx, http.MethodGet, "/cluster/slow-requests", nil, &found); err != nil || len(found.Results) == 0 {
		return err
	}
	return found.list(out)
}
