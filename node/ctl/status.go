package ctl

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// ShowStatus prints the state of a running cluster.
type ShowStatus struct {
	Remote
	JSON bool `help:"Print JSON instead of tables."`
}

// Run asks once and prints the answer.
func (s *ShowStatus) Run(ctx context.Context, out io.Writer) error {
	c, err := s.open()
	if err != nil {
		return err
	}
	c.retryFor = 0
	if s.JSON {
		answer, err := c.send(ctx, http.MethodGet, "/cluster/status", "", nil)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Indent(&b, answer, "", "  "); err != nil {
			return fmt.Errorf("the answer of the cluster is not understood: %w", err)
		}
		_, err = fmt.Fprintln(out, b.String())
		return err
	}
	st, err := c.state(ctx)
	if err != nil {
		return err
	}
	return st.print(out)
}

// print writes tables of nodes and shards.
func (st *state) print(out io.Writer) error {
	says := cmp.Or(st.State.Says, "its program does not tell; 'shoal status' of the same version does")
	fmt.Fprintf(out, "cluster %s, leader %s: %s\n", st.ClusterID, orDash(st.Leader), says)
	if st.Votes.Says != "" { // "" from an older program
		fmt.Fprintln(out, st.Votes.Says)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	zoned := slices.ContainsFunc(st.Nodes, func(n nodeState) bool { return n.Zone != "" })
	zone := func(name string) string {
		if !zoned {
			return ""
		}
		return name + "\t"
	}
	fmt.Fprintln(w, "NODE\tROLE\tSTATE\tLAG\tCOPIES\tIN SYNC\t"+zone("ZONE")+"HTTP\tID")
	for _, n := range st.Nodes {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s%s\t%s\n", n.Name, st.role(&n), n.condition(), n.lag(), n.Replicas, n.InSync, zone(orDash(n.Zone)), n.HTTP, n.ID)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if len(st.Zones) > 0 {
		fmt.Fprintln(w, "ZONE\tNODES\tALIVE\tVOTES\tINDEXES ONLY HERE")
		for _, z := range st.Zones {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", z.Name, z.Nodes, z.Alive, z.Votes, z.OnlyHere)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(w, "INDEX\tSHARD\tDOCUMENTS\tVERSION\tCOPIES\tWHY SO MANY")
	for _, x := range st.Indexes {
		why := ""
		if x.ReplicaReason != "" { // an older program does not tell
			why = "\t" + x.ReplicaReason
		}
		for _, sh := range x.Shards {
			reps := make([]string, len(sh.Replicas))
			for i, r := range sh.Replicas {
				reps[i] = r.Name
				switch {
				case !r.Alive:
					reps[i] += " (dead)"
				case r.State != "inSync":
					reps[i] += " (catching up)"
				}
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s%s\n", x.UID, sh.Number, sh.Documents, x.Version, strings.Join(reps, ", "), why)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, x := range st.Indexes {
		if x.Plan != "" {
			fmt.Fprintf(out, "\n%s: %s\n", x.UID, x.Plan)
		}
	}
	for _, what := range st.Waits {
		fmt.Fprintf(out, "\n%s\n", what)
	}
	if len(st.Decisions) > 0 {
		fmt.Fprintln(out, "\nRecent decisions:")
	}
	for i, d := range slices.Backward(st.Decisions) {
		if len(st.Decisions)-i > decisionsShown {
			break
		}
		fmt.Fprintf(out, "  %s  %s\n", d.At.Local().Format(time.DateTime), d.Reason)
	}
	return nil
}

// decisionsShown bounds the decisions that are printed.
const decisionsShown = 8

// role is what a node does now. A node that does not answer does nothing.
func (st *state) role(n *nodeState) string {
	switch {
	case !n.Alive:
		return "-"
	case n.Name == st.Leader:
		return "leader"
	case n.Votes:
		return "voter"
	}
	return "member"
}

func (n *nodeState) condition() string {
	switch {
	case !n.Alive:
		return "dead"
	case n.Draining:
		return "draining"
	}
	return "alive"
}

// lag is the number of log entries that a node is behind.
func (n *nodeState) lag() string {
	if n.Lag == nil {
		return "?"
	}
	return strconv.FormatUint(*n.Lag, 10)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
