package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"shoal/cluster-test/differ/oddity"
	"shoal/cluster-test/differ/purpose"
	"shoal/cluster-test/life"
)

// report is what a hunt found.
type report struct {
	requests int
	lives    int
	kinds    map[string]*sighting
	met      map[string]int // how often each row of what is ours on purpose explained a difference
}

// sighting is one kind of difference: the shortest way to it, and how often it was met.
type sighting struct {
	*difference
	times int
	seed  uint64
}

// run sends lives to the two servers until as many requests were sent as the options say.
func run(ctx context.Context, o options) (*report, error) {
	d := newDuel(o)
	h := &hunt{duel: d, report: report{kinds: map[string]*sighting{}, met: d.met}}
	if o.documents != "" {
		var err error
		if h.collection, err = oddity.ReadCollection(o.documents); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(o.out, o.command())
	for seed := o.seed; seed < o.seed+uint64(o.seeds); seed++ {
		for done, part := 0, uint64(0); done < o.steps; part++ {
			n, err := h.live(ctx, seed, part, o.steps-done)
			if err != nil {
				h.print()
				return nil, fmt.Errorf("seed %d, life %d: %w", seed, part, err)
			}
			done += n
		}
		fmt.Fprintf(o.out, "seed %d: %d requests, %d lives, %d kinds %v\n", seed, h.requests, h.lives, len(h.kinds), d.count)
	}
	h.print()
	return &h.report, nil
}

// hunt goes on after a difference.
type hunt struct {
	*duel
	report
	collection *oddity.Collection // nil without a file of documents
}

// live sends one life, at most so many requests. It ends earlier when the two servers no
// longer hold the same: whatever follows would differ for that reason.
func (h *hunt) live(ctx context.Context, seed, part uint64, most int) (done int, err error) {
	if err := h.reset(ctx); err != nil {
		return 0, err
	}
	h.lives++
	world, odd := life.New(seed|part<<32), oddity.New(seed|part<<32, h.servers[0].Key)
	real := oddity.NewReader(odd, h.collection)
	var sent [][]life.Request
	for done < most {
		var batch []life.Request
		switch {
		case done == 0:
			batch = world.Found(h.base)
		case h.collection != nil && len(sent) == 1:
			batch = real.Found(h.base)
		case h.collection != nil && !odd.Pending() && odd.Chance(60):
			batch = []life.Request{real.Next()}
		case odd.Pending() || odd.Chance(35):
			batch = odd.Next()
		default:
			batch = world.Next()
		}
		sent = append(sent, batch)
		done += len(batch)
		h.requests += len(batch)
		found, parted, err := h.compare(ctx, batch)
		if err != nil {
			return done, err
		}
		if len(found) == 0 && !parted {
			continue
		}
		if len(found) == 0 {
			return done, nil // a write that differs on purpose leaves different things
		}
		over, err := h.judge(ctx, sent, found, seed)
		if over || err != nil {
			return done, err
		}
	}
	return done, nil
}

// judge looks at everything the servers hold. What differs there is the cause of the
// differences that led here, unless these are answers to writes, and ends the life. New
// kinds are made smaller, which ends it, too.
func (h *hunt) judge(ctx context.Context, sent [][]life.Request, found []*difference, seed uint64) (over bool, err error) {
	look := life.Everything()
	held, _, err := h.compare(ctx, look)
	if err != nil {
		return true, err
	}
	for _, f := range found {
		f.batches = slices.Clone(sent)
	}
	if len(held) > 0 {
		found = slices.DeleteFunc(found, func(f *difference) bool { return !f.request.Write })
		if len(found) == 0 {
			held[0].batches = append(slices.Clone(sent), []life.Request{held[0].request})
			found = held[:1]
		}
	}
	for _, f := range found {
		if s := h.kinds[f.kind]; s != nil {
			s.times++
			continue
		}
		fmt.Fprintf(h.out, "\nNEW KIND %s\n", f.kind)
		h.tell(f)
		over = true
		s := &sighting{difference: f, times: 1, seed: seed}
		h.kinds[f.kind] = s
		if h.trials > 0 {
			s.difference = h.shrink(ctx, f)
			h.duel.print(s.difference)
		} else {
			h.duel.lead(f)
		}
	}
	return over || len(held) > 0, ctx.Err()
}

// print shows the table of kinds, the most frequent first, and the rows that were met.
func (h *hunt) print() {
	fmt.Fprintf(h.out, "\n%d requests in %d lives, answers by status %v\n", h.requests, h.lives, h.count)
	kinds := slices.SortedFunc(maps.Keys(h.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(h.kinds[b].times, h.kinds[a].times), cmp.Compare(a, b))
	})
	for _, k := range kinds {
		fmt.Fprintf(h.out, "%6d  %s (seed %d, %d requests)\n", h.kinds[k].times, k, h.kinds[k].seed, len(h.kinds[k].batches))
	}
	for _, name := range purpose.Names() {
		fmt.Fprintf(h.out, "%6d  on purpose: %s\n", h.duel.met[name], name)
	}
}
