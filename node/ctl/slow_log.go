package ctl

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

// Run makes the requested changes and prints the settings in force.
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
		fmt.Fprintln(out, "The slow log is off. Switch it on: shoal slowlog --threshold 200ms")
		return nil
	}
	query := "without what they search for"
	if now.ShowQuery {
		query = "with what they search for"
	}
	fmt.Fprintf(out, "Every node logs requests of %s and more as \"slow request\", %s.\n", time.Duration(*now.Threshold)*time.Millisecond, query)
	return nil
}
