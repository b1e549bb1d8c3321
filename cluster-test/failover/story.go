package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

const (
	shards       = 3
	patience     = time.Minute     // for a newcomer to receive copies
	requests     = 20              // the import is cut into so many
	silence      = 2 * time.Second // no search may fail for longer
	recovery     = 10 * time.Second
	searchEvery  = 10 * time.Millisecond
	settingsBody = `{"filterableAttributes":["genres","cast","year","thumbnail_width","thumbnail"],"sortableAttributes":["year","title","thumbnail_width"]}`
)

// story is the run's state from step to step.
type story struct {
	start   time.Time
	c       *clustertest.Cluster
	docs    [][]byte
	queries []json.RawMessage
	answers [][]byte // to queries, from the first node that was asked
}

func (s *story) say(format string, a ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(s.start).Seconds(), fmt.Sprintf(format, a...))
}

func (s *story) form(ctx context.Context) error {
	if err := s.c.Start(ctx); err != nil {
		return err
	}
	s.say("three nodes form a cluster and answer")
	n := s.c.Nodes[0]
	uid, err := n.Enqueue(ctx, "PATCH", "/indexes/movies/settings", json.RawMessage(settingsBody))
	if err != nil {
		return err
	}
	if _, err = n.Wait(ctx, uid); err != nil {
		return err
	}
	if err := patch(ctx, n, map[string]any{"shards": shards, "replicas": 2}); err != nil {
		return err
	}
	s.say("the index has %d shards, two copies of each", shards)
	return nil
}

// patch changes the placement of the index.
func patch(ctx context.Context, n *clustertest.Node, body any) error {
	code, b, err := n.Do(ctx, "PATCH", "/cluster/indexes/movies", body)
	if err != nil {
		return err
	}
	if code != http.StatusOK {
		return fmt.Errorf("PATCH /cluster/indexes/movies on %s: %d %s", n.Name, code, b)
	}
	return nil
}

// importUnderFire imports through one node and searches on another while the
// leader, the third, is killed and started again.
func (s *story) importUnderFire(ctx context.Context) error {
	leader, err := s.leader(ctx)
	if err != nil {
		return err
	}
	var others []*clustertest.Node
	for _, n := range s.c.Nodes {
		if n != leader {
			others = append(others, n)
		}
	}
	importer, searcher := others[0], others[1]
	s.say("importing %d documents in %d requests through %s, searching on %s, the leader is %s", len(s.docs), requests, importer.Name, searcher.Name, leader.Name)
	sctx, stop := context.WithCancel(ctx)
	defer stop()
	watch := make(chan searchReport, 1)
	go func() { watch <- s.searchUntil(sctx, searcher) }()
	var uids []uint32
	size := (len(s.docs) + requests - 1) / requests
	var restarted sync.WaitGroup
	defer restarted.Wait()
	for i := range requests {
		body := bytes.Join(s.docs[min(i*size, len(s.docs)):min((i+1)*size, len(s.docs))], nil)
		uid, err := enqueueAgain(ctx, importer, body)
		if err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
		uids = append(uids, uid)
		if i == requests/2 {
			leader.Kill()
			s.say("request %d of %d acknowledged, killed the leader %s", i+1, requests, leader.Name)
			restarted.Go(func() {
				select {
				case <-time.After(3 * time.Second):
				case <-ctx.Done():
				}
				if err := leader.Start(s.c); err == nil {
					s.say("started %s again", leader.Name)
				}
			})
		}
	}
	s.say("all requests acknowledged")
	for _, uid := range uids {
		if status, err := importer.Wait(ctx, uid); err != nil || status != "succeeded" {
			return errors.Join(errors.New("an acknowledged task did not succeed"), err)
		}
	}
	restarted.Wait()
	stop()
	r := <-watch
	s.say("all %d tasks succeeded; %d searches meanwhile, %d failed, longest silence %.2f s", len(uids), r.done, r.failed, r.silence.Seconds())
	if r.silence > silence {
		return fmt.Errorf("searches failed for %s", r.silence)
	}
	if r.done == 0 {
		return fmt.Errorf("no search was answered")
	}
	return leader.Ready(ctx)
}

// enqueueAgain repeats a request until it is acknowledged.
func enqueueAgain(ctx context.Context, n *clustertest.Node, body []byte) (uint32, error) {
	for {
		uid, err := n.Enqueue(ctx, "POST", "/indexes/movies/documents?primaryKey=id", body)
		if err == nil {
			return uid, nil
		}
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

type searchReport struct {
	done, failed int
	silence      time.Duration
}

func (s *story) searchUntil(ctx context.Context, n *clustertest.Node) (r searchReport) {
	last := time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		status, _, err := n.Do(one, "POST", "/indexes/movies/search", map[string]any{"q": []string{"love", "war", "night", "the man"}[i%4]})
		cancel()
		if ctx.Err() != nil {
			break
		}
		r.silence = max(r.silence, time.Since(last))
		if err == nil && status == http.StatusOK {
			r.done++
			last = time.Now()
		} else {
			r.failed++
		}
		select {
		case <-ctx.Done():
		case <-time.After(searchEvery):
		}
	}
	return r
}

// sameAnswers asks every node everything and compares bytes.
func (s *story) sameAnswers(ctx context.Context) error {
	for _, n := range s.c.Nodes {
		if err := s.count(ctx, n); err != nil {
			return err
		}
		for i, q := range s.queries {
			got, err := ask(ctx, n, q)
			if err != nil {
				return fmt.Errorf("query %d on %s: %w", i, n.Name, err)
			}
			if i == len(s.answers) {
				s.answers = append(s.answers, got)
			} else if !bytes.Equal(got, s.answers[i]) {
				return fmt.Errorf("query %d %s: %s answers\n%.2000s\nbut the first answer was\n%.2000s", i, q, n.Name, got, s.answers[i])
			}
		}
	}
	s.say("%d nodes report %d documents and give the same bytes for %d queries", len(s.c.Nodes), len(s.docs), len(s.queries))
	return nil
}

// ask repeats a search that is refused for the moment (503), for up to a
// recovery time.
func ask(ctx context.Context, n *clustertest.Node, q json.RawMessage) ([]byte, error) {
	end := time.Now().Add(recovery)
	for {
		status, b, err := n.Do(ctx, "POST", "/indexes/movies/search", q)
		if err == nil && status == http.StatusOK {
			return clustertest.Mask(b), nil
		}
		if (err == nil && status != http.StatusServiceUnavailable) || time.Now().After(end) || ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("%d %.300s", status, b), err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *story) count(ctx context.Context, n *clustertest.Node) error {
	status, b, err := n.Do(ctx, "GET", "/indexes/movies/stats", nil)
	if err != nil || status != http.StatusOK {
		return errors.Join(fmt.Errorf("stats of %s: %d %s", n.Name, status, b), err)
	}
	var st struct {
		N int `json:"numberOfDocuments"`
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return err
	}
	if st.N != len(s.docs) {
		return fmt.Errorf("%s reports %d documents, %d were imported", n.Name, st.N, len(s.docs))
	}
	return nil
}

// join adds a node by gossip and waits until it holds replicas.
func (s *story) join(ctx context.Context) error {
	n, err := s.c.Join()
	if err != nil {
		return err
	}
	if err := n.Start(s.c); err != nil {
		return err
	}
	if err := n.Ready(ctx); err != nil {
		return err
	}
	s.say("%s joined by gossip", n.Name)
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		held, err := s.replicasOn(ctx, n)
		if err == nil && held > 0 {
			s.say("%s was given %d replica(s)", n.Name, held)
			break
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("%s received no replica within %s: %w", n.Name, patience, errors.Join(err, limit.Err()))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return s.sameAnswers(ctx)
}

// powerLoss kills everything at once and starts it again.
func (s *story) powerLoss(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, n := range s.c.Nodes {
		wg.Go(n.Kill)
	}
	wg.Wait()
	s.say("killed all %d nodes", len(s.c.Nodes))
	began := time.Now()
	if err := s.c.Start(ctx); err != nil {
		return err
	}
	if _, err := ask(ctx, s.c.Nodes[0], s.queries[0]); err != nil {
		return err
	}
	took := time.Since(began)
	s.say("all nodes answer again after %.1f s", took.Seconds())
	if took > recovery {
		return fmt.Errorf("recovery took %s", took)
	}
	return s.sameAnswers(ctx)
}

type status struct {
	Leader  string `json:"leader"`
	Indexes []struct {
		Shards []struct {
			Replicas []struct {
				Name  string `json:"name"`
				State string `json:"state"`
			} `json:"replicas"`
		} `json:"shards"`
	} `json:"indexes"`
}

func (s *story) status(ctx context.Context) (status, error) {
	var st status
	code, b, err := s.c.Nodes[0].Do(ctx, "GET", "/cluster/status", nil)
	if err != nil || code != http.StatusOK {
		return st, errors.Join(fmt.Errorf("cluster status: %d %s", code, b), err)
	}
	return st, json.Unmarshal(b, &st)
}

func (s *story) leader(ctx context.Context) (*clustertest.Node, error) {
	for {
		st, err := s.status(ctx)
		if err == nil {
			for _, n := range s.c.Nodes {
				if n.Name == st.Leader {
					return n, nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(errors.New("no leader"), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *story) replicasOn(ctx context.Context, n *clustertest.Node) (int, error) {
	st, err := s.status(ctx)
	if err != nil {
		return 0, err
	}
	held := 0
	for _, x := range st.Indexes {
		for _, sh := range x.Shards {
			for _, r := range sh.Replicas {
				if r.Name == n.Name && r.State == "inSync" {
					held++
				}
			}
		}
	}
	return held, nil
}
