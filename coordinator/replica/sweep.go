package replica

import (
	"context"
	"time"

	"shoal/coordinator"
	"shoal/wire"
)

// sight is what a look for shards that are not ours saw; its zero value is none.
type sight struct {
	looked   bool
	applied  uint64 // log index of a catalogue that is not newer than the one looked at
	arrivals uint64 // see Store
}

// Sweep drops shards that have not been this node's for a while. What looks
// foreign may only be newer than the catalogue here: the decision is made on a
// catalogue that was read after the data was seen. Nothing is looked at while nothing
// has changed since a look that found all in order: it costs as much as there are shards.
func (f *Follower) Sweep(ctx context.Context, now time.Time) error {
	seen := sight{looked: true, applied: f.Log.Catalog().Applied(), arrivals: f.Store.Arrivals()}
	if seen == f.swept {
		return nil
	}
	f.swept = sight{}
	due, err := f.foreign(now)
	if err != nil {
		return err
	}
	if len(f.foreignSince) == 0 {
		f.swept = seen
		return nil
	}
	if len(due) == 0 {
		return nil
	}
	if err := f.Log.Barrier(ctx); err != nil {
		return err
	}
	c := f.Log.Catalog()
	for _, key := range due {
		if f.assigned(c, key) || f.isFetching(key) {
			continue
		}
		if err := f.Store.Drop(key); err != nil {
			return err
		}
		delete(f.foreignSince, key)
	}
	return nil
}

// foreign lists the shards whose data is due to go.
func (f *Follower) foreign(now time.Time) ([]wire.ShardKey, error) {
	held, err := f.Store.Shards()
	if err != nil {
		return nil, err
	}
	c := f.Log.Catalog()
	var due []wire.ShardKey
	since := map[wire.ShardKey]time.Time{}
	for _, key := range held {
		if f.assigned(c, key) {
			continue
		}
		first, noted := f.foreignSince[key]
		if !noted {
			first = now
		}
		since[key] = first
		if now.Sub(first) >= DropAfter {
			due = append(due, key)
		}
	}
	f.foreignSince = since
	return due, nil
}

func (f *Follower) assigned(c coordinator.Catalog, key wire.ShardKey) bool {
	x, ok := c.IndexByID(key.IndexID)
	if !ok {
		return false
	}
	s := x.ShardNumbered(key.Shard)
	return s != nil && s.ReplicaOn(f.Self) != nil
}
