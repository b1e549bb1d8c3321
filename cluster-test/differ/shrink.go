package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"shoal/cluster-test/differ/purpose"
	"shoal/cluster-test/life"
)

// shrink leaves out what a difference does not need. First it tries what the servers hold in
// place of how they came to it. Then it leaves out requests that only read, those for other
// indexes, ever smaller parts of the requests before the last ones, and documents of uploads.
// Each sequence is tried on servers without indexes, and counts when it shows a difference of
// the same kind; the number of trials is bounded.
func (d *duel) shrink(ctx context.Context, f *difference) *difference {
	trials := 0
	// A single batch may hold several requests: tried one by one.
	single := &difference{request: f.request, answers: f.answers, kind: f.kind}
	for _, batch := range f.batches {
		for i := range batch {
			single.batches = append(single.batches, batch[i:i+1])
		}
	}
	best := f
	attempt := func(batches [][]life.Request) bool {
		if trials >= d.trials || ctx.Err() != nil {
			return false
		}
		trials++
		found := d.replay(ctx, batches, f.kind)
		if found == nil {
			return false
		}
		best = found
		return true
	}
	state := d.state(ctx)
	if state == nil || f.request.Write || !attempt(append(state, []life.Request{f.request})) {
		attempt(single.batches)
	}
	last := len(best.batches) - 1
	for _, needed := range []func(r *life.Request) bool{
		func(r *life.Request) bool { return r.Write || strings.Contains(r.Path, "features") },
		func(r *life.Request) bool { return purpose.IndexOf(r.Path) == purpose.IndexOf(f.request.Path) },
	} {
		attempt(append(slices.DeleteFunc(slices.Clone(best.batches[:last]), func(batch []life.Request) bool {
			return !slices.ContainsFunc(batch, func(r life.Request) bool { return needed(&r) })
		}), best.batches[last]))
		last = len(best.batches) - 1
	}
	for size := max(1, len(best.batches)/2); ; size /= 2 {
		for from := 0; from < len(best.batches)-1; {
			to := min(from+size, len(best.batches)-1)
			if !attempt(slices.Concat(best.batches[:from], best.batches[to:])) {
				from = to
			}
		}
		if size <= 1 {
			break
		}
	}
	for i := 0; i < len(best.batches); i++ {
		shrinkUpload(best, i, attempt)
	}
	fmt.Fprintf(d.out, "%d requests are enough (%d sequences tried)\n", len(best.batches), trials)
	return best
}

// shrinkUpload leaves out documents of one upload.
func shrinkUpload(f *difference, at int, attempt func([][]life.Request) bool) {
	if at >= len(f.batches) || len(f.batches[at]) != 1 {
		return
	}
	docs, join := documentsOf(f.batches[at][0].Body)
	batches := slices.Clone(f.batches)
	for size := max(1, len(docs)/2); len(docs) > 1; size /= 2 {
		for from := 0; from < len(docs) && len(docs) > 1; {
			fewer := slices.Delete(slices.Clone(docs), from, min(from+size, len(docs)))
			next := f.batches[at][0]
			next.Body = join(fewer)
			batches[at] = []life.Request{next}
			if len(fewer) > 0 && attempt(slices.Clone(batches)) {
				docs = fewer
			} else {
				from += size
			}
		}
		if size <= 1 {
			return
		}
	}
}

// documentsOf takes an upload apart, and tells how it is put together again.
func documentsOf(body any) (docs [][]byte, join func(docs [][]byte) any) {
	switch b := body.(type) {
	case []byte:
		return bytes.SplitAfter(bytes.TrimSuffix(b, []byte{'\n'}), []byte{'\n'}), func(docs [][]byte) any { return bytes.Join(docs, nil) }
	case json.RawMessage:
		var list []json.RawMessage
		if json.Unmarshal(b, &list) != nil {
			return nil, nil
		}
		for _, d := range list {
			docs = append(docs, d)
		}
		return docs, func(docs [][]byte) any {
			return json.RawMessage("[" + string(bytes.Join(docs, []byte{','})) + "]")
		}
	}
	return nil, nil
}

// replay sends a sequence to empty servers and returns the first difference of a kind;
// what comes after it is cut off. nil: there is none, or a server failed.
func (d *duel) replay(ctx context.Context, batches [][]life.Request, kind string) *difference {
	if d.reset(ctx) != nil {
		return nil
	}
	for i, batch := range batches {
		found, _, err := d.compare(ctx, batch)
		if err != nil {
			return nil
		}
		for _, f := range found {
			if f.kind == kind {
				f.batches = batches[:i+1]
				return f
			}
		}
	}
	return nil
}
