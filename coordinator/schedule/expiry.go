package schedule

import (
	"context"
	"fmt"
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
	// expireEvery is how often the leader looks for such documents.
	expireEvery = 10 * time.Second
	// expiringAtOnce bounds the indexes that it looks at in a turn.
	expiringAtOnce = 100
	// ExpiredAtOnce bounds the documents that one task deletes. Only more documents that expire in
	// the same second go together.
	ExpiredAtOnce = 10_000
)

// afterZero begins the times at which documents expire: numbers above 0. As a text it comes after
// all seconds until the year 2255. So no text lies between it and one of them, although conditions
// on ranges compare texts, too.
const afterZero = "9e-9"

// expiry is the condition that a document has expired at a time, in seconds since 1970.
func expiry(attribute string, at int64) *filter.Node {
	return &filter.Node{
		Op: filter.FilterBetween, Field: filter.FilterToken{Value: attribute},
		Values: []filter.FilterToken{{Value: afterZero}, {Value: strconv.FormatInt(at, 10)}},
	}
}

// expires tells whether documents can expire by the settings: filters must be able to compare
// the attribute.
func expires(s *settings.Settings) bool {
	n := expiry(*s.ExpiryAttribute, 1)
	return (&filter.Filter{Root: n}).CheckFilterable(s) == nil && n.CheckOperator(filter.NewFilterable(s)) == nil
}

// expire deletes documents that have expired for as long as the term lasts. The next leader finds
// what is left.
func (l *leader) expire() {
	t := time.NewTicker(expireEvery)
	defer t.Stop()
	next := ""
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-t.C:
		}
		var err error
		if next, err = l.expireAfter(l.ctx, next, l.cfg.Now()/int64(time.Second)); err != nil && l.ctx.Err() == nil {
			l.cfg.Log.Warn("documents that have expired were not all deleted; the next attempt is in 10 s", "error", err)
		}
	}
}

// expireAfter enqueues deletions of documents that have expired, for a bounded number of indexes
// in the order of their uids, from the first one after a uid. It returns the last uid that it
// looked at, "" at the end.
func (l *leader) expireAfter(ctx context.Context, after string, now int64) (last string, err error) {
	c := l.log.Catalog()
	if coordinator.Importing(c) == coordinator.ImportQueue {
		return after, nil // an import replaces the queue, or this cluster follows another one
	}
	busy := map[string]bool{}
	for _, t := range l.log.Pending() {
		if t.Metadata != nil && *t.Metadata == task.Expired && t.IndexUID != nil {
			busy[*t.IndexUID] = true
		}
	}
	looked := 0
	for _, x := range c.Indexes() {
		s := x.DecodedSettings()
		if x.UID <= after || s.ExpiryAttribute == nil || busy[x.UID] || x.Documents() == 0 || !expires(s) {
			continue
		}
		pauses, err := l.pauses(x, *s.ExpiryAttribute, now)
		if err == nil && !pauses {
			err = l.expireIn(ctx, x, *s.ExpiryAttribute, now)
		}
		if err != nil {
			return x.UID, fmt.Errorf("index %s: %w", x.UID, err)
		}
		if looked++; looked == expiringAtOnce {
			return x.UID, nil
		}
	}
	l.expiryFailures.forget(c)
	return "", nil
}

// expireIn enqueues the deletion of documents of one index, if any have expired.
func (l *leader) expireIn(ctx context.Context, x *wire.Index, attribute string, now int64) error {
	count := func(at int64) (uint64, error) {
		return l.cfg.Count(ctx, x.UID, jsonvalue.AppendString(nil, expiry(attribute, at).String()))
	}
	at, err := latest(now, count)
	if err != nil || at == nil {
		return err
	}
	metadata := task.Expired
	t := task.NewExpiry(x.UID, attribute, jsonvalue.AppendString(nil, expiry(attribute, *at).String()), &metadata)
	r, err := l.log.Propose(ctx, &wire.Command{Enqueue: &wire.Enqueue{RequestID: uuid.NewString(), Task: *t}})
	if err != nil {
		return err
	}
	if r.Task != nil {
		l.expiryFailures.began(x.ID, attribute, r.Task.UID)
	}
	return nil
}

// latest returns the latest time up to now by which at most ExpiredAtOnce documents have expired,
// and at least one; the time of the first ones if these are more; nil if none has.
func latest(now int64, count func(at int64) (uint64, error)) (*int64, error) {
	n, err := count(now)
	if err != nil || n == 0 {
		return nil, err
	}
	if n <= ExpiredAtOnce {
		return &now, nil
	}
	// Too many have expired at high, not at low.
	low, high := now, now
	for step := int64(1); n > ExpiredAtOnce; step *= 2 {
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
		case at > ExpiredAtOnce:
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
