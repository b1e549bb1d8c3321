package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// quantile is the time that a part of the searches took at most.
func (r *result) quantile(part float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	slices.Sort(r.times)
	return r.times[min(len(r.times)-1, int(part*float64(len(r.times))))]
}

// perSearch is the CPU time of a search.
func (r *result) perSearch() time.Duration { return r.cpu / time.Duration(max(1, len(r.times))) }

// rate is the number of searches a second.
func (r *result) rate() float64 { return float64(len(r.times)) / r.wall.Seconds() }

// against is the ratio of the CPU times of a search, in the middle of all turns: what
// disturbs a turn or two does not count.
func (r *result) against(first *result) float64 {
	ratios := make([]float64, 0, len(r.turns))
	for i := range min(len(r.turns), len(first.turns)) {
		ratios = append(ratios, float64(r.turns[i])/float64(max(1, first.turns[i])))
	}
	if len(ratios) == 0 {
		return 0
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// costs prints what one search costs when nothing else runs.
func costs(ctx context.Context, o *options, all []*target, w *workload) error {
	fmt.Printf("\nWhile nobody asks, cores of all nodes:")
	for _, t := range all {
		if err := t.measureIdle(ctx, o.turn); err != nil {
			return err
		}
		fmt.Printf(" %s %.3f", t.name, t.idle)
	}
	fmt.Printf(". That is not in the figures.\n\nOne client, which asks one node after the other; ratios to %s, of CPU the one in the middle of %d turns.\n", all[0].name, o.turns)
	for _, file := range w.files {
		results, err := inTurns(ctx, o, all, &file, until{searches: o.batch}, 1, false)
		if err != nil {
			return err
		}
		fmt.Printf("\n| %s | CPU ms a search | ratio | p50 ms | ratio | p99 ms | messages a search | KiB | searches |\n|---|---|---|---|---|---|---|---|---|\n", file.name)
		first := &results[0]
		for i, t := range all {
			r := &results[i]
			n := float64(max(1, len(r.times)))
			fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f | %d |\n", t.name, ms(r.perSearch()), r.against(first),
				ms(r.quantile(.5)), ms(r.quantile(.5))/ms(first.quantile(.5)), ms(r.quantile(.99)), r.said.messages/n, r.said.bytes/1024/n, len(r.times))
		}
	}
	return nil
}

// throughputs prints how many searches a second clusters answer whose nodes have the same
// share of the CPU each.
func throughputs(ctx context.Context, o *options, all []*target, w *workload) error {
	bound := fmt.Sprintf("each node has %.2f of a core", o.share)
	for _, t := range all {
		err := t.bind(o.share)
		if errors.Is(err, errNoGroups) {
			bound = "CPU time is not bounded: control groups cannot be made here"
			break
		}
		if err != nil {
			return err
		}
	}
	fmt.Printf("\n%d clients ask each node at the same time; %s; parts of N times %s.\n", o.clients, bound, all[0].name)
	for _, file := range w.files {
		results, err := inTurns(ctx, o, all, &file, until{time: o.turn}, o.clients, true)
		if err != nil {
			return err
		}
		fmt.Printf("\n| %s | searches/s | of N | CPU ms a search | p50 ms | p99 ms |\n|---|---|---|---|---|---|\n", file.name)
		for i, t := range all {
			r := &results[i]
			fmt.Printf("| %s | %.0f | %.2f | %.2f | %.1f | %.1f |\n", t.name, r.rate(), r.rate()/results[0].rate()*float64(all[0].nodes)/float64(t.nodes),
				ms(r.perSearch()), ms(r.quantile(.5)), ms(r.quantile(.99)))
		}
	}
	return nil
}

// bind gives every node of a cluster its share of the CPU.
func (t *target) bind(share float64) error {
	for _, n := range t.cluster.Nodes {
		g, err := newControlGroup(fmt.Sprintf("shoal-scale-%d-%s-%s", os.Getpid(), strings.ReplaceAll(t.name, "/", "-"), n.Name), n.PID(), share)
		if err != nil {
			return err
		}
		t.groups = append(t.groups, g)
	}
	return nil
}
