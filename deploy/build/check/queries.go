package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// Nodes are scraped so often, every second, and the figures kept as if it had been every
// fifteen: the usual interval, without the wait.
const (
	scrapes = 5
	apart   = 15 * time.Second
)

// answered asks every query of the figures of running nodes: that of a panel must have an
// answer, and every metric that an alert watches must be there.
func answered(nodes []string, queries map[string]string) (err error) {
	dir, err := os.MkdirTemp("", "shoal-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := tsdb.Open(dir, slog.New(slog.DiscardHandler), nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	at := time.Now().Truncate(time.Minute)
	for i := range scrapes {
		if i > 0 {
			time.Sleep(time.Second)
			at = at.Add(apart)
		}
		for _, node := range nodes {
			if err := scrape(db, node, at); err != nil {
				return err
			}
		}
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: 10 * time.Second, LookbackDelta: 5 * time.Minute})
	var errs []error
	for _, name := range slices.Sorted(mapKeys(queries)) {
		asked := []string{queries[name]}
		if strings.HasPrefix(name, "alert ") {
			if asked, err = selectors(queries[name]); err != nil {
				return err
			}
		}
		for _, q := range asked {
			if err := answer(engine, db, q, at); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func mapKeys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// selectors are what a query reads, without what it makes of it: an alert that has nothing
// to say has no answer.
func selectors(query string) (out []string, err error) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return nil, err
	}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			bare := *s
			bare.Offset, bare.OriginalOffset = 0, 0
			out = append(out, bare.String())
		}
		return nil
	})
	return out, nil
}

// answer is nil when the query has an answer that is a number.
func answer(engine *promql.Engine, from storage.Queryable, query string, at time.Time) error {
	q, err := engine.NewInstantQuery(context.Background(), from, nil, query, at)
	if err != nil {
		return err
	}
	defer q.Close()
	r := q.Exec(context.Background())
	if r.Err != nil {
		return fmt.Errorf("%s: %w", query, r.Err)
	}
	found, err := r.Vector()
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	if !slices.ContainsFunc(found, func(s promql.Sample) bool { return !math.IsNaN(s.F) }) {
		return fmt.Errorf("%s has no answer (%d series)", query, len(found))
	}
	return nil
}

// firing names the alerts whose expressions are true of what running nodes show now. A node
// that does not answer shows nothing, as for Prometheus.
func firing(nodes []string, queries map[string]string) (names []string, err error) {
	dir, err := os.MkdirTemp("", "shoal-check-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := tsdb.Open(dir, slog.New(slog.DiscardHandler), nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	at := time.Now()
	for _, node := range nodes {
		var away *url.Error
		if err := scrape(db, node, at); err != nil && !errors.As(err, &away) {
			return nil, err
		}
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: 10 * time.Second, LookbackDelta: 5 * time.Minute})
	for _, name := range slices.Sorted(mapKeys(queries)) {
		alert, ok := strings.CutPrefix(name, "alert ")
		if !ok {
			continue
		}
		q, err := engine.NewInstantQuery(context.Background(), db, nil, queries[name], at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r := q.Exec(context.Background())
		found, err := r.Vector()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(found) > 0 {
			names = append(names, alert)
		}
		q.Close()
	}
	return names, nil
}

// scrape takes in the figures of a node, with the labels that Prometheus adds.
func scrape(db *tsdb.DB, node string, at time.Time) error {
	client := &http.Client{Timeout: 10 * time.Second}
	res, err := client.Get(node)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	where, err := url.Parse(node)
	if err != nil {
		return err
	}
	parse := parser.NewParser(parser.Options{})
	in := db.Appender(context.Background())
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		cut := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || cut < 0 {
			continue
		}
		series, err := parse.ParseMetric(line[:cut])
		if err != nil {
			return fmt.Errorf("%s: %s: %w", node, line, err)
		}
		value, err := strconv.ParseFloat(line[cut+1:], 64)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", node, line, err)
		}
		all := labels.NewBuilder(series).Set("instance", where.Host).Set("job", "shoal").Labels()
		if _, err := in.Append(0, all, at.UnixMilli(), value); err != nil {
			return fmt.Errorf("%s: %s: %w", node, line, err)
		}
	}
	return in.Commit()
}
