package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"shoal/cluster-test/differ/purpose"
	"shoal/cluster-test/life"
)

// duel compares two servers.
type duel struct {
	options
	servers [2]*server
	count   map[int]int // answers by status
	met     map[string]int
	sent    []life.Request // since the servers were emptied
}

// difference is what two answers differ in, and the requests that lead there.
type difference struct {
	batches [][]life.Request
	request life.Request
	answers [2]purpose.Answer // without what is on purpose
	kind    string
}

func newDuel(o options) *duel {
	d := &duel{options: o, count: map[int]int{}, met: map[string]int{}}
	for i, a := range o.addresses {
		d.servers[i] = newServer(a)
	}
	return d
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

// reset empties both servers and brings them to the same number of tasks.
func (d *duel) reset(ctx context.Context) error {
	if err := d.both(func(_ int, s *server) error { return s.reset(ctx) }); err != nil {
		return err
	}
	var last [2]int64
	if err := d.both(func(i int, s *server) (err error) {
		last[i], err = s.idle(ctx)
		return err
	}); err != nil {
		return err
	}
	behind := 0
	if last[1] < last[0] {
		behind = 1
	}
	for last[behind] < last[1-behind] {
		uid, err := d.servers[behind].idle(ctx)
		if err != nil {
			return err
		}
		last[behind] = uid
	}
	d.sent = nil
	return d.both(func(_ int, s *server) error { return s.forget(ctx) })
}

// compare sends a batch to both and returns what differs, but for what is ours on
// purpose, which is counted. parted tells that a write was answered differently, be that
// on purpose or not: from there on the two may hold different things. Texts of German are
// cut by another list on purpose, so that no request to the reference allows it.
func (d *duel) compare(ctx context.Context, batch []life.Request) (found []*difference, parted bool, err error) {
	if d.ours >= 0 {
		batch = withoutGerman(batch)
	}
	var answers [2][]purpose.Answer
	if err := d.both(func(i int, s *server) (err error) {
		answers[i], err = s.send(ctx, batch)
		return err
	}); err != nil {
		return nil, false, err
	}
	for k := range batch {
		a, b := answers[0][k], answers[1][k]
		d.count[a.Status]++
		if a.Status == b.Status && bytes.Equal(a.Body, b.Body) {
			continue
		}
		r := &batch[k]
		parted = parted || r.Write
		names, left := d.purposes(ctx, &purpose.Evidence{Request: r, After: succeeded(batch[k+1:], answers[0][k+1:], answers[1][k+1:]), Batch: batch}, a, b)
		if names != nil {
			for _, name := range names {
				d.met[name]++
			}
			continue
		}
		found = append(found, &difference{request: *r, answers: left, kind: kindOf(r, left[0], left[1])})
	}
	d.sent = append(d.sent, batch...)
	return found, parted, nil
}

// withoutGerman replaces the locale deu.
func withoutGerman(batch []life.Request) []life.Request {
	out := slices.Clone(batch)
	for i := range out {
		if b, ok := out[i].Body.(json.RawMessage); ok {
			out[i].Body = json.RawMessage(bytes.ReplaceAll(b, []byte(`"deu"`), []byte(`"nld"`)))
		}
	}
	return out
}

// succeeded are the writes whose tasks succeeded on both servers.
func succeeded(batch []life.Request, a, b []purpose.Answer) (list []life.Request) {
	for i := range batch {
		if batch[i].Write && bytes.Contains(a[i].Body, []byte(`"status":"succeeded"`)) && bytes.Contains(b[i].Body, []byte(`"status":"succeeded"`)) {
			list = append(list, batch[i])
		}
	}
	return list
}

// purposes is explained for the answers of the two servers. It completes the evidence.
func (d *duel) purposes(ctx context.Context, e *purpose.Evidence, a, b purpose.Answer) (names []string, left [2]purpose.Answer) {
	if d.ours < 0 {
		return nil, [2]purpose.Answer{a, b}
	}
	if d.ours == 1 {
		a, b = b, a
	}
	e.Sent = d.sent
	e.Ask = func(r *life.Request) (ours, theirs *purpose.Parsed, ok bool) { return d.ask(ctx, r) }
	names, left = purpose.Explained(e, a, b)
	if d.ours == 1 {
		left[0], left[1] = left[1], left[0]
	}
	return names, left
}

// ask sends both servers a request that only reads. ok is false unless both answer 200.
func (d *duel) ask(ctx context.Context, r *life.Request) (ours, theirs *purpose.Parsed, ok bool) {
	var answers [2]purpose.Answer
	if err := d.both(func(i int, s *server) error {
		status, body, err := s.ask(ctx, r)
		answers[i] = purpose.Answer{Status: status, Body: maskAnswer(r, body)}
		return err
	}); err != nil || answers[0].Status != http.StatusOK || answers[1].Status != http.StatusOK {
		return nil, nil, false
	}
	ours, ok = purpose.Parse(answers[d.ours])
	theirs, fine := purpose.Parse(answers[1-d.ours])
	return ours, theirs, ok && fine
}

// print tells of a difference, with all that is needed to see it again.
func (d *duel) print(f *difference) {
	for _, batch := range f.batches {
		for i := range batch {
			fmt.Fprintf(d.out, "  %s\n", &batch[i])
		}
	}
	d.tell(f)
}

// lead shows the writes to the index of a difference that was not made smaller, all writes if the
// request is about several.
func (d *duel) lead(f *difference) {
	index := purpose.IndexOf(f.request.Path)
	for _, batch := range f.batches {
		for i := range batch {
			if batch[i].Write && (index == "" || purpose.IndexOf(batch[i].Path) == index) {
				fmt.Fprintf(d.out, "  %s\n", &batch[i])
			}
		}
	}
}

// tell shows where the answers of a difference part.
func (d *duel) tell(f *difference) {
	at := 0
	for a, b := f.answers[0].Body, f.answers[1].Body; at < min(len(a), len(b)) && a[at] == b[at]; {
		at++
	}
	for i, s := range d.servers {
		body := f.answers[i].Body
		fmt.Fprintf(d.out, "--- %s: %d, from byte %d on\n%s\n", s.Name, f.answers[i].Status, max(0, at-200), body[min(max(0, at-200), len(body)):min(len(body), at+400)])
		if end := max(at+400, len(body)-200); end < len(body) { // where totals are
			fmt.Fprintf(d.out, "... %s\n", body[end:])
		}
	}
	fmt.Fprintf(d.out, "the answers to %.2000s differ\n", &f.request)
}
