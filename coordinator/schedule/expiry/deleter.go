package expiry

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/query/filter"
	"shoal/wire"
)

// Bounds of the deletion of documents that have expired.
const (
	// every is how often the leader looks for such documents.
	every = 10 * time.Second
	// indexesAtOnce bounds the indexes that it looks at in a turn.
	indexesAtOnce = 100
	// documentsAtOnce bounds the documents that one task deletes. Only more documents that expire in
	// the same second go together.
	documentsAtOnce = 10_000
)

// afterZero begins the times at which documents expire: numbers above 0. As a text it comes after
// all seconds until the year 2255. So no text lies between it and one of them, although conditions
// on ranges compare texts, too.
const afterZero = "9e-9"

// expired is the condition that a document has expired at a time, in seconds since 1970.
func expired(attribute string, at int64) *filter.Node {
	return &filter.Node{
		Op: filter.FilterBetween, Field: filter.FilterToken{Value: attribute},
		Values: []filter.FilterToken{{Value: afterZero}, {Value: strconv.FormatInt(at, 10)}},
	}
}

// Possible tells whether documents can expire by the settings: filters must be able to compare
// the attribute.
func Possible(s *settings.Settings) bool {
	n := expired(*s.ExpiryAttribute, 1)
	return (&filter.Filter{Root: n}).CheckFilterable(s) == nil && n.CheckOperator(filter.NewFilterable(s)) == nil
}

// Deleter enqueues deletions of documents that have expired, on the leader. It belongs to one term
// and one goroutine: the next leader tries each index at once.
type Deleter struct {
	tasks coordinator.Log
	count func(ctx context.Context, uid string, filter []byte) (uint64, error)
	now   func() int64
	log   *slog.Logger
	// attempts are the last deletions, by index.
	attempts map[uint32]*attempt
}

// New returns a Deleter for one term. count counts the documents of an index that match a filter
// (JSON). now is the clock (UnixNano) that decides which documents have expired.
func New(tasks coordinator.Log, count func(ctx context.Context, uid string, filter []byte) (uint64, error), now func() int64, log *slog.Logger) *Deleter {
	return &Deleter{tasks: tasks, count: count, now: now, log: log, attempts: map[uint32]*attempt{}}
}

// Run deletes documents that have expired until ctx ends. The next leader finds what is left.
func (d *Deleter) Run(ctx context.Context) {
	t := time.NewTicker(every)
	defer t.Stop()
	next := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		var err error
		if next, err = d.after(ctx, next, d.now()/int64(time.Second)); err != nil && ctx.Err() == nil {
			d.log.Warn("documents that have expired were not all deleted; the next attempt is in 10 s", "error", err)
		}
	}
}

// after enqueues deletions of documents that have expired, for a bounded number of indexes
// in the order of their uids, from the first one after a uid. It returns the last uid that it
// looked at, "" at the end.
func (d *Deleter) after(ctx context.Context, uid string, now int64) (last string, err error) {
	c := d.tasks.Catalog()
	if coordinator.Importing(c) == coordinator.ImportQueue {
		return uid, nil // an import replaces the queue, or this cluster follows another one
	}
	busy := map[string]bool{}
	for _, t := range d.tasks.Pending() {
		if t.Metadata != nil && *t.Metadata == task.Expired && t.IndexUID != nil {
			busy[*t.IndexUID] = true
		}
	}
	looked := 0
	for _, x := range c.Indexes() {
		s := x.DecodedSettings()
		if x.UID <= uid || s.ExpiryAttribute == nil || busy[x.UID] || x.Documents() == 0 || !Possible(s) {
			continue
		}
		pauses, err := d.pauses(x, *s.ExpiryAttribute, now)
		if err == nil && !pauses {
			err = d.in(ctx, x, *s.ExpiryAttribute, now)
		}
		if err != nil {
			return x.UID, fmt.Errorf("index %s: %w", x.UID, err)
		}
		if looked++; looked == indexesAtOnce {
			return x.UID, nil
		}
	}
	d.forget(c)
	return "", nil
}

// in enqueues the deletion of documents of one index, if any have expired.
func (d *Deleter) in(ctx context.Context, x *wire.Index, attribute string, now int64) error {
	count := func(at int64) (uint64, error) {
		return d.count(ctx, x.UID, jsonvalue.AppendString(nil, expired(attribute, at).String()))
	}
	at, err := latest(now, count)
	if err != nil || at == nil {
		return err
	}
	metadata := task.Expired
	t := task.NewExpiry(x.UID, attribute, jsonvalue.AppendString(nil, expired(attribute, *at).String()), &metadata)
	r, err := d.tasks.Propose(ctx, &wire.Command{Enqueue: &wire.Enqueue{RequestID: uuid.NewString(), Task: *t}})
	if err != nil {
		return err
	}
	if r.Task != nil {
		d.began(x.ID, attribute, r.Task.UID)
	}
	return nil
}

// latest returns the latest time up to now by which at most documentsAtOnce documents have expired,
// and at least one; the time of the first ones if these are more; nil if none has.
func latest(now int64, count func(at int64) (uint64, error)) (*int64, error) {
	n, err := count(now)
	if err != nil || n == 0 {
		return nil, err
	}
	if n <= documentsAtOnce {
		return &now, nil
	}
	// Too many have expired at high, not at low.
	low, high := now, now
	for step := int64(1); n > documentsAtOnce; step *= 2 {
		high, low = low, max(low-step, 0) // nothing expires at 0
		if n, err = count(low); err != nil {
			return nil, err
		}
	}
	for low+1 < high {
		middle := low + (high-low)/2
		at, err := count(middle)
		switch {
		case err != nil:
			return nil, err
		case at > documentsAtOnce:
			high = middle
		default:
			low, n = middle, at
		}
	}
	if n == 0 {
		low = high
	}
	return &low, nil
}
