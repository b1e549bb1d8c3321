package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"shoal/coordinator/placement"
)

// remote is how a command reaches a running cluster.
type remote struct {
	URL    string `default:"http://localhost:7700" placeholder:"URL" help:"Any node of the cluster."`
	APIKey string `name:"api-key" placeholder:"KEY" help:"Master key, or a key with all actions."`
}

func (r *remote) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(r.URL, "/")+path, body)
	if err != nil {
		return usageError{fmt.Errorf("--url %q: %w", r.URL, err)}
	}
	req.Header.Set("Content-Type", "application/json")
	if r.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+r.APIKey)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no answer from %s (is the node running? --url names another): %w", r.URL, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", r.URL, err)
	}
	if res.StatusCode != http.StatusOK {
		var e struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(b, &e) == nil && e.Message != "" {
			return fmt.Errorf("%s answers: %s", r.URL, e.Message)
		}
		return fmt.Errorf("%s answers %s", r.URL, res.Status)
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("the answer of %s is not understood: %w", r.URL, err)
	}
	return nil
}

// statusCmd prints the state of a running cluster.
type statusCmd struct {
	remote
	JSON bool `help:"Print JSON instead of tables."`
}

func (s *statusCmd) run(ctx context.Context, out io.Writer) error {
	var st clusterStatus
	if err := s.call(ctx, http.MethodGet, "/cluster/status", nil, &st); err != nil {
		return err
	}
	if s.JSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(st)
	}
	state := "every shard has all its copies"
	switch {
	case !st.Available:
		state = "some shards have no copy that answers"
	case !st.Healthy:
		state = "some shards miss copies"
	}
	fmt.Fprintf(out, "cluster %s, leader %s: %s\n\n", st.ClusterID, orDash(st.Leader), state)
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tROLE\tSTATE\tLAG\tCOPIES\tIN SYNC\tHTTP\tID")
	for _, n := range st.Nodes {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", n.Name, role(&st, &n), nodeState(&n), lagText(&n), n.Replicas, n.InSync, n.HTTP, n.ID)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	fmt.Fprintln(w, "INDEX\tSHARD\tDOCUMENTS\tVERSION\tCOPIES")
	for _, x := range st.Indexes {
		for _, sh := range x.Shards {
			reps := make([]string, len(sh.Replicas))
			for i, r := range sh.Replicas {
				reps[i] = r.Name
				switch {
				case !r.Alive:
					reps[i] += " (away)"
				case r.State != "inSync":
					reps[i] += " (catching up)"
				}
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", x.UID, sh.Number, sh.Documents, x.Version, strings.Join(reps, ", "))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, what := range st.Waits {
		fmt.Fprintf(out, "\n%s\n", what)
	}
	return nil
}

func role(st *clusterStatus, n *placement.NodeStatus) string {
	switch {
	case n.Name == st.Leader:
		return "leader"
	case n.Voter:
		return "voter"
	}
	return "member"
}

func nodeState(n *placement.NodeStatus) string {
	switch {
	case !n.Alive:
		return "away"
	case n.Draining:
		return "draining"
	}
	return "alive"
}

// lagText is how many entries of the log a node is behind.
func lagText(n *placement.NodeStatus) string {
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

// explainCmd prints why hits rank where they do.
type explainCmd struct {
	remote
	Index string `arg:"" help:"Index to search."`
	Query string `arg:"" help:"Query text."`
	Limit int    `default:"5" placeholder:"N" help:"Hits to explain."`
}

func (e *explainCmd) run(ctx context.Context, out io.Writer) error {
	var answer struct {
		Text string `json:"text"`
	}
	in := map[string]any{"indexUid": e.Index, "q": e.Query, "limit": e.Limit}
	if err := e.call(ctx, http.MethodPost, "/cluster/explain", in, &answer); err != nil {
		return err
	}
	_, err := io.WriteString(out, answer.Text)
	return err
}
