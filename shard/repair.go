package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/scrub"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// drainTime is how long emptying a damaged shard waits for its readers.
const drainTime = 10 * time.Second

// repair finds out what a damaged file held, and cuts damaged shards out of the store
// before copies replace them. Safe for concurrent use.
type repair struct {
	*resources
	replicas  *replicas
	footprint footprint
	scrubber  *scrub.Scrubber
	dir       string // Options.Dir
}

// damagedFile marks the shards that lost data with a damaged file.
func (p *repair) damagedFile(ctx context.Context, f store.TableFile, why error) {
	pace := p.scrubber.Pace(ctx)
	type content struct {
		key    wire.ShardKey
		span   store.KeyRange
		mended int
	}
	var parts []content
	for _, key := range p.footprint.known() {
		for _, span := range p.footprint.spans(key) {
			if f.Overlaps(span) {
				parts = append(parts, content{key, span, p.faults.MendedBefore(key)})
			}
		}
	}
	// A copy may have replaced the file while it was read.
	if files, err := p.store.TableFiles(); err != nil || !slices.ContainsFunc(files, func(now store.TableFile) bool { return now.Path == f.Path }) {
		return
	}
	// Without a sound frame, no key of the file can be read.
	all := p.store.CheckFrame(f.Path, pace)
	hit := false
	for _, part := range parts {
		err := all
		if err == nil {
			err = p.store.CheckKeys(f.Path, part.span, pace)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil && store.Damaged(err) {
			hit = true
			if p.faults.MendedBefore(part.key) == part.mended {
				p.faults.Mark(part.key, err)
			}
		}
	}
	if !hit {
		p.log.Debug("shard: a table file is damaged where no shard has anything", slog.String("file", f.Path), slog.String("error", store.Reason(why)))
	}
}

// recheck forgets damage that is gone, because a compaction dropped it or the disk can
// be read again.
func (p *repair) recheck(ctx context.Context) error {
	if p.faults.Figures().Shards == 0 {
		return nil
	}
	files, err := p.store.TableFiles()
	if err != nil {
		return err
	}
	for _, d := range p.faults.All() {
		sound := !d.Emptied
		for _, span := range p.footprint.spans(d.Key) {
			for _, f := range files {
				if !sound || !f.Overlaps(span) {
					continue
				}
				pace := p.scrubber.Pace(ctx)
				err := p.store.CheckFrame(f.Path, pace)
				if err == nil {
					err = p.store.CheckKeys(f.Path, span, pace)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sound = err == nil
			}
		}
		if sound {
			p.log.Info("shard: a shard that was damaged can be read again", slog.Any("shard", d.Key))
			if _, err := p.faults.Clear(d.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty removes a damaged shard from the store and resets the replica, before a copy
// arrives. It waits until there are no readers. The caller holds installing. After an
// error it may be called again.
func (p *repair) empty(r *replica) error {
	// No columns are built meanwhile, because their source is being removed.
	defer p.columnist.Pause()()
	was, _ := p.faults.Of(r.key)
	p.faults.SetEmptied(r.key, true) // no new readers
	if err := r.drain(drainTime); err != nil {
		p.faults.SetEmptied(r.key, was.Emptied)
		return err
	}
	if err := p.faults.Note(r.key); err != nil {
		p.faults.SetEmptied(r.key, was.Emptied)
		return err
	}
	if err := p.excise(r.key); err != nil {
		return err
	}
	c, err := version.Load(p.shared, r.key, r.caching.Load)
	if err != nil {
		return err
	}
	if err := errors.Join(r.columns.Reset(c), p.table.SweepShard(r.key)); err != nil {
		c.Release()
		return err
	}
	r.columns.Advance(c, docset.Set{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
	r.current, r.pending, r.loaded = c, deltas{}, true
	r.caching.Store(0)
	r.newest.Store(0)
	r.wake()
	return nil
}

// repaired records that a copy replaced a damaged shard.
func (p *repair) repaired(key wire.ShardKey) error {
	was, err := p.faults.Clear(key)
	if was && err == nil {
		p.faults.Mended()
		p.log.Info("shard: a damaged shard was replaced by a copy of another node", slog.Any("shard", key))
		p.faults.DropAside(p.dir, p.catalogue.replaced)
	}
	return err
}

// excise cuts a shard out of the store. Table files with keys of this shard only are
// not read. In others, the edges of the shard must be readable.
func (p *repair) excise(key wire.ShardKey) error {
	var failed error
	for _, span := range p.footprint.spans(key) {
		if err := p.store.DB.Excise(context.Background(), pebble.KeyRange{Start: span.Lo, End: span.Hi}); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	if failed == nil || !store.Damaged(failed) {
		return failed
	}
	return p.exciseFiles(key, failed)
}

// exciseFiles removes whole files in which the edges of a shard cannot be read. The
// other shards in them lose data, too, so other nodes must hold all of them.
func (p *repair) exciseFiles(key wire.ShardKey, why error) error {
	files, err := p.store.TableFiles()
	if err != nil {
		return err
	}
	spans := p.footprint.spans(key)
	files = slices.DeleteFunc(files, func(f store.TableFile) bool {
		return !slices.ContainsFunc(spans, f.Overlaps) || p.store.CheckTable(f.Path, func(int) error { return nil }) == nil
	})
	var beside []wire.ShardKey
	for _, other := range p.footprint.known() {
		inside := func(f store.TableFile) bool { return slices.ContainsFunc(p.footprint.spans(other), f.Overlaps) }
		if other == key || !slices.ContainsFunc(files, inside) {
			continue
		}
		if !p.catalogue.elsewhere(other) {
			return fmt.Errorf("shard %v cannot be cut out of a file that holds the only copy of shard %v, too: %w", key, other, why)
		}
		beside = append(beside, other)
	}
	for _, other := range beside {
		done, err := p.abandon(other, why)
		if err != nil {
			return err
		}
		defer done()
	}
	for _, f := range files {
		for _, s := range f.Spans {
			if err := p.store.DB.Excise(context.Background(), pebble.KeyRange{Start: s.Lo, End: append(slices.Clone(s.Hi), 0)}); err != nil {
				return err
			}
		}
	}
	for _, span := range spans {
		if err := p.store.DB.Excise(context.Background(), pebble.KeyRange{Start: span.Lo, End: span.Hi}); err != nil {
			return err
		}
	}
	return nil
}

// abandon marks a shard as damaged before a part of it is removed, and waits until it
// has no readers. Nothing is installed until the caller calls done.
func (p *repair) abandon(key wire.ShardKey, why error) (done func(), err error) {
	p.faults.Mark(key, why)
	r := p.replicas.obtain(key)
	if !r.installing.TryLock() {
		return nil, fmt.Errorf("shard %v is damaged and in use: %w", key, wire.ErrUnavailable)
	}
	was, _ := p.faults.Of(key)
	p.faults.SetEmptied(key, true)
	if err := errors.Join(r.drain(drainTime), p.faults.Note(key)); err != nil {
		p.faults.SetEmptied(key, was.Emptied)
		r.installing.Unlock()
		return nil, err
	}
	return r.installing.Unlock, nil
}
