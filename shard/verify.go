package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/damage"
	"shoal/shard/pending"
	"shoal/shard/posting"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
)

// Verified is the result of Verify.
type Verified struct {
	// Files and Bytes count table files and the files of deltas.
	Files int
	Bytes int64
	// Copies are the readable shards, in key order.
	Copies []Content
	// Damage has a line for everything that cannot be read.
	Damage []string
}

// Content identifies what a copy of a shard holds. Two copies at the same version and
// delta have equal sums.
type Content struct {
	Key     wire.ShardKey
	Version uint64
	Delta   string
	Keys    int64
	Sum     uint64
}

// Verify reads the whole store of a node that does not run; dir is its Options.Dir. It
// compares every table and pending delta with its checksums, and reads every shard as
// searches do. It changes nothing. An error means that the check could not finish;
// damage is reported in Verified.
func Verify(ctx context.Context, dir string, files vfs.FS) (*Verified, error) {
	if files == nil {
		files = vfs.Default
	}
	out := &Verified{}
	log := slog.New(slog.DiscardHandler)
	s, err := store.OpenReadOnly(&store.Options{
		Dir: dir, FS: files, CacheBytes: 64 << 20, Log: log,
		Fatal: func(error) {}, Damage: func(string, error) {}, // readers get the errors, too
	})
	if damage.Unreadable(err) {
		out.Damage = append(out.Damage, "the store cannot be opened: "+store.Reason(err))
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	shared := &version.Shared{
		Store: s, Postings: posting.NewCache(1 << 20), Vectors: vector.NewCache(1<<20, time.Now), Log: log,
	}
	v := &verification{
		ctx: ctx, store: s, out: out, pace: func(int) error { return ctx.Err() },
		list:  func() ([]wire.ShardKey, error) { return shardsIn(s.DB) },
		found: func(store.TableFile, error) {}, lost: func(wire.ShardKey, error) {},
		open: func(key wire.ShardKey) (*version.Version, error) {
			return version.Load(shared, key, func() uint64 { return 0 })
		},
	}
	return out, errors.Join(v.files(), v.copies(v.deltas), s.Close())
}

// Verify checks the store of a running node. It compares every table file with its
// checksums, past the caches, and reads every shard at its newest version. It yields to
// searches. Damage that it finds is repaired from another node as after a scrub, so a
// second run may find less. Pending deltas are not read: one that is installed or
// dropped meanwhile would look lost.
func (h *Host) Verify(ctx context.Context) (*Verified, error) {
	if err := h.calls.enter(); err != nil {
		return nil, err
	}
	defer h.calls.leave()
	yield := h.gate.Pacer()
	v := &verification{
		ctx: ctx, store: h.store, out: &Verified{}, pace: func(int) error { return yield(ctx) },
		found: func(f store.TableFile, err error) { h.repair.damagedFile(ctx, f, err) },
		lost:  func(key wire.ShardKey, err error) { _ = h.faults.Translate(err, key) }, // the error is reported, too
		list:  h.Shards, open: h.replicas.opened,
	}
	if err := v.files(); err != nil {
		return nil, err
	}
	if err := v.copies(func(wire.ShardKey) error { return nil }); err != nil {
		return nil, err
	}
	for _, d := range h.faults.All() { // including damage known before
		line := fmt.Sprintf("shard %v: %s", d.Key, d.Why)
		if !slices.Contains(v.out.Damage, line) {
			v.out.Damage = append(v.out.Damage, line)
		}
	}
	return v.out, nil
}

// verification is one run of Verify.
type verification struct {
	ctx   context.Context
	store *store.Store
	out   *Verified
	pace  store.Pace
	// found is told of damaged table files, lost of shards that cannot be read.
	found func(store.TableFile, error)
	lost  func(wire.ShardKey, error)
	// list lists the shards with data, in key order.
	list func() ([]wire.ShardKey, error)
	// open returns the newest version of a shard with a reference. wire.ErrNoShard means
	// that it was dropped meanwhile.
	open func(wire.ShardKey) (*version.Version, error)
}

// note records an error as damage. It returns errors of any other kind.
func (v *verification) note(what string, err error) error {
	if err == nil || !store.Damaged(err) && !errors.Is(err, store.ErrCorruptValue) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	v.out.Damage = append(v.out.Damage, what+": "+store.Reason(err))
	return nil
}

// files reads every table file.
func (v *verification) files() error {
	files, err := v.store.TableFiles()
	for _, f := range files {
		if err != nil {
			break
		}
		v.out.Files++
		v.out.Bytes += f.Size
		fault := v.store.CheckTable(f.Path, v.pace)
		if fault != nil && store.Damaged(fault) {
			v.found(f, fault)
		}
		err = v.note("table file "+f.Path, fault)
	}
	return err
}

// copies reads every shard. It calls before for each of them first.
func (v *verification) copies(before func(wire.ShardKey) error) error {
	keys, err := v.list()
	if err = v.note("the list of shards", err); err != nil {
		return err
	}
	for _, key := range keys {
		if err := before(key); err != nil {
			return err
		}
		c, err := v.content(key)
		switch {
		case err == nil:
			v.out.Copies = append(v.out.Copies, c)
		case errors.Is(err, wire.ErrNoShard):
		default:
			v.lost(key, err)
			if err = v.note(fmt.Sprintf("shard %v", key), err); err != nil {
				return err
			}
		}
	}
	return nil
}

// deltas reads the files of pending deltas and of those kept for replicas that are
// behind.
func (v *verification) deltas(key wire.ShardKey) error {
	heads, err := v.heads(key)
	err = v.note(fmt.Sprintf("waiting deltas of shard %v", key), err)
	for n := range heads {
		head := &heads[n]
		for i := range head.Files {
			v.out.Files++
			v.out.Bytes += head.Files[i].Size
			err = errors.Join(err, v.note("delta", v.store.CheckDelta(head, i)))
		}
	}
	return errors.Join(err, v.ctx.Err())
}

func (v *verification) heads(key wire.ShardKey) (heads []store.Head, err error) {
	lo, hi := store.TableRange(key, 0, store.TablePending)
	it, err := v.store.DB.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return nil, err
	}
	heads, err = pending.Heads(it)
	return heads, errors.Join(err, it.Close()) // the iterator may have failed, too
}

// content reads one shard.
func (v *verification) content(key wire.ShardKey) (Content, error) {
	view, err := v.open(key)
	if err != nil {
		return Content{}, err
	}
	defer view.Release()
	return v.read(key, view)
}

// read reads one version of a shard.
func (v *verification) read(key wire.ShardKey, view *version.Version) (c Content, err error) {
	c = Content{Key: key, Version: view.State().Version, Delta: view.State().DeltaID}
	if err := view.ReadDictionaries(v.ctx); err != nil {
		return c, err
	}
	sum := xxhash.New()
	var size [8]byte
	it := view.Borrow(nil)
	defer view.GiveBack(it)
	for _, t := range view.Keys().Tables() {
		if t == store.TablePending {
			continue // they differ between nodes
		}
		prefix := view.Keys().Prefix(nil, t)
		store.Narrow(it, prefix)
		for more := it.First(); more; more = it.Next() {
			if c.Keys++; c.Keys&0xfff == 0 && v.ctx.Err() != nil {
				return c, v.ctx.Err()
			}
			value, err := it.ValueAndErr()
			if err != nil {
				return c, err
			}
			for _, part := range [][]byte{it.Key(), value} {
				binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
				_, _ = sum.Write(size[:]) // never fails
				_, _ = sum.Write(part)
			}
		}
		if err := it.Error(); err != nil {
			return c, err
		}
	}
	c.Sum = sum.Sum64()
	return c, nil
}

// Disagreements compares copies of the same shards; keys of copies are the names of
// their owners. Two copies at one version must come from the same delta and hold the
// same. Different deltas mean two histories: somebody restored a node to an earlier
// state.
func Disagreements(copies map[string][]Content) (lines []string) {
	type state struct {
		key     wire.ShardKey
		version uint64
	}
	first := map[state]string{}
	sums := map[state]Content{}
	for _, who := range slices.Sorted(func(yield func(string) bool) {
		for name := range copies {
			if !yield(name) {
				return
			}
		}
	}) {
		for _, c := range copies[who] {
			at := state{c.Key, c.Version}
			if other, known := sums[at]; !known {
				first[at], sums[at] = who, c
			} else if other.Delta != c.Delta {
				lines = append(lines, fmt.Sprintf("shard %v at version %d is of two histories: %s has it by delta %s, %s by delta %s",
					c.Key, c.Version, first[at], other.Delta, who, c.Delta))
			} else if other.Sum != c.Sum {
				lines = append(lines, fmt.Sprintf("shard %v at version %d: %s has %d keys with sum %016x, %s has %d with %016x",
					c.Key, c.Version, first[at], other.Keys, other.Sum, who, c.Keys, c.Sum))
			}
		}
	}
	return lines
}
