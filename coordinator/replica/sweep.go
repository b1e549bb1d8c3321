package replica

import (
	"context"
	"time"

	"shoal/coordinator"
	"shoal/wire"
)

// sight is the state seen by a sweep; its zero value means none.
type sight struct {
	looked   bool
	applied  uint64 // log index of a catalogue that is not newer than the one checked
	arrivals uint64 // see Store
}

// Sweep drops shards that have not been assigned to this node for a while. The catalogue of
// this node may be older than the data, so it decides with a catalogue that was read after the
// data was seen. It does nothing while nothing has changed since a sweep that found no foreign
// data, because a sweep costs as much as there are shards.
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

// foreign lists the shards whose data is due to be dropped.
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
