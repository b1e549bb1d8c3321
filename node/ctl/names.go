package ctl

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Names prints the names that the completion scripts offer, one per line. It is hidden,
// because only shells call it. They ignore its error if no cluster answers.
type Names struct {
	Remote
	Kind string `arg:"" enum:"nodes,indexes,contexts" help:"nodes, indexes or contexts."`
}

const (
	// namesWithin bounds the wait for a cluster after the Tab key.
	namesWithin = time.Second
	// mostIndexNames is how many indexes are offered.
	mostIndexNames = 1000
)

// Run prints the names, in order.
func (n *Names) Run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, namesWithin)
	defer cancel()
	names, err := n.names(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		fmt.Fprintln(out, name)
	}
	return nil
}

func (n *Names) names(ctx context.Context) (names []string, err error) {
	if n.Kind == "contexts" {
		named, err := readContexts()
		if err != nil {
			return nil, err
		}
		return slices.Collect(maps.Keys(named.Clusters)), nil
	}
	c, err := n.open()
	if err != nil {
		return nil, err
	}
	c.retryFor = 0
	if n.Kind == "nodes" {
		s, err := c.state(ctx)
		if err != nil {
			return nil, err
		}
		for _, one := range s.Nodes {
			names = append(names, one.Name)
		}
		return names, nil
	}
	var page struct {
		Results []struct {
			UID string `json:"uid"`
		} `json:"results"`
	}
	if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/indexes?limit=%d", mostIndexNames), nil, &page); err != nil {
		return nil, err
	}
	for _, x := range page.Results {
		names = append(names, x.UID)
	}
	return names, nil
}
