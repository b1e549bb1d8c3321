package main

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"shoal/cluster-test/life"
)

// duel compares two servers.
type duel struct {
	options
	servers [2]*server
	count   map[int]int // answers by status
}

// difference is what two answers differ in, and the requests that lead there.
type difference struct {
	batches [][]life.Request
	request life.Request
	answers [2]answer
}

// run sends the life. The result is nil when there is no difference.
func run(ctx context.Context, o options) (*difference, error) {
	d := &duel{options: o, count: map[int]int{}}
	for i, a := range o.addresses {
		d.servers[i] = newServer(a)
	}
	if err := d.reset(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintln(o.out, d.command())
	world, odd := life.New(o.seed), newOddities(o.seed)
	var sent [][]life.Request
	for done := 0; done < o.steps; {
		var batch []life.Request
		switch {
		case done == 0:
			batch = world.Found(o.base)
		case odd.r.IntN(4) == 0:
			batch = []life.Request{odd.next()}
		default:
			batch = world.Next()
		}
		sent = append(sent, batch)
		found, err := d.compare(ctx, batch)
		if err != nil {
			return nil, err
		}
		if found != nil {
			found.batches = sent
			fmt.Fprintf(o.out, "a difference after %d requests %v\n", done, d.count)
			d.tell(found)
			fmt.Fprintln(o.out, "looking for the shortest way to it")
			found = d.shrink(ctx, found)
			d.print(found)
			return found, nil
		}
		if done += len(batch); done/1000 != (done-len(batch))/1000 {
			fmt.Fprintf(o.out, "%d requests %v\n", done, d.count)
		}
	}
	fmt.Fprintf(o.out, "no difference in %v\n", d.count)
	return nil, nil
}

// both does something with the two servers at the same time.
func (d *duel) both(do func(i int, s *server) error) error {
	var errs [2]error
	var wg sync.WaitGroup
	for i, s := range d.servers {
		wg.Go(func() { errs[i] = do(i, s) })
	}
	wg.Wait()
	if errs[0] != nil {
		return errs[0]
	}
	return errs[1]
}

func (d *duel) reset(ctx context.Context) error {
	return d.both(func(_ int, s *server) error { return s.reset(ctx) })
}

// compare sends a batch to both and returns the first difference.
func (d *duel) compare(ctx context.Context, batch []life.Request) (*difference, error) {
	var answers [2][]answer
	if err := d.both(func(i int, s *server) (err error) {
		answers[i], err = s.send(ctx, batch)
		return err
	}); err != nil {
		return nil, err
	}
	for k := range batch {
		a, b := answers[0][k], answers[1][k]
		d.count[a.status]++
		if a.status != b.status || !bytes.Equal(a.body, b.body) {
			return &difference{request: batch[k], answers: [2]answer{a, b}}, nil
		}
	}
	return nil, nil
}

// print tells of a difference.
func (d *duel) print(f *difference) {
	fmt.Fprintln(d.out, "\nDIFFERENCE, shown by these requests to empty servers:")
	for _, batch := range f.batches {
		for i := range batch {
			fmt.Fprintf(d.out, "  %.2000s\n", &batch[i])
		}
	}
	d.tell(f)
}

// tell shows where the answers of a difference part.
func (d *duel) tell(f *difference) {
	at := 0
	for a, b := f.answers[0].body, f.answers[1].body; at < min(len(a), len(b)) && a[at] == b[at]; {
		at++
	}
	for i, s := range d.servers {
		body := f.answers[i].body
		fmt.Fprintf(d.out, "--- %s: %d, from byte %d on\n%s\n", s.Name, f.answers[i].status, max(0, at-200), body[min(max(0, at-200), len(body)):min(len(body), at+400)])
	}
	fmt.Fprintf(d.out, "the answers to %.2000s differ; found with: %s\n", &f.request, d.command())
}
