package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
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

// clusterStatus is the answer of GET /cluster/status.
type clusterStatus struct {
	ClusterID string       `json:"clusterId"`
	Leader    string       `json:"leader"`
	Term      uint64       `json:"term"`
	Nodes     []nodeStatus `json:"nodes"`
	Shards    []shardRow   `json:"shards"`
}

type nodeStatus struct {
	Name    string `json:"name"`
	ID      string `json:"id"`
	HTTP    string `json:"http"`
	Role    string `json:"role"`  // leader, voter, learner
	State   string `json:"state"` // alive, unreachable, draining
	Applied uint64 `json:"applied"`
	Lag     uint64 `json:"lag"` // log entries behind the leader
	Version string `json:"version"`
}

type shardRow struct {
	Index     string       `json:"index"`
	Shard     int          `json:"shard"`
	Slots     string       `json:"slots"`
	Version   uint64       `json:"version"`
	Documents uint64       `json:"documents"`
	Replicas  []replicaRow `json:"replicas"`
}

type replicaRow struct {
	Node  string `json:"node"`
	State string `json:"state"`
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
	fmt.Fprintf(out, "cluster %s, leader %s, term %d\n\n", st.ClusterID, orDash(st.Leader), st.Term)
	w := tabwriter.NewWriter(out, 2, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tROLE\tSTATE\tLAG\tHTTP\tID")
	for _, n := range st.Nodes {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", n.Name, n.Role, n.State, n.Lag, n.HTTP, n.ID)
	}
	fmt.Fprintln(w, "\t\t\t\t\t")
	fmt.Fprintln(w, "INDEX\tSHARD\tDOCUMENTS\tVERSION\tREPLICAS\t")
	for _, r := range st.Shards {
		reps := make([]string, len(r.Replicas))
		for i, p := range r.Replicas {
			reps[i] = p.Node
			if p.State != "in sync" {
				reps[i] += " (" + p.State + ")"
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t\n", r.Index, r.Shard, r.Documents, r.Version, strings.Join(reps, ", "))
	}
	return w.Flush()
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
