package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// told are the tables whose ops update the state in memory. For most of them the keys
// suffice.
var told = append([]Table{TableLive, TableRows, TableMeta, TableVector}, append(slices.Clone(TextTables),
	slices.DeleteFunc(slices.Clone(FacetTables), func(t Table) bool { return t == TableValues || t == TableElement })...)...)

var (
	valued   = []Table{TableLive, TableRows, TableMeta, TableWords}
	recorded = append(slices.Clone(valued), TableTokens)
	postings = []Table{TableWord, TableExact, TableCount, TableState, TableNumber, TableString}
)

// digestPosting is the largest value of a posting list in a digest.
const digestPosting = 4 << 10

// Digest returns the ops of a large delta that update the state in memory, encoded like
// those of a small delta, without documents and values. Of posting lists it has small
// values only, and none once they fill half of the space. Values of token records are
// empty unless records is set. The files must still be in the staging folder. It
// returns nil if the ops would exceed most bytes.
func (s *Store) Digest(head *Head, most int, records bool) ([]byte, error) {
	var out opEncoder
	with := valued
	if records {
		with = recorded
	}
	for i := range head.Files {
		path := s.DeltaPath(head, i)
		whole, err := s.digest(path, &out, most, with)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", path, err)
		}
		if !whole {
			return nil, nil
		}
	}
	return out.buf, nil
}

// digest appends the ops of one file. whole is false if they are too large.
func (s *Store) digest(path string, out *opEncoder, most int, with []Table) (whole bool, err error) {
	f, err := s.FS.Open(path)
	if err != nil {
		return false, err
	}
	in, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return false, errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), in, s.options.MakeReaderOptions())
	if err != nil {
		return false, errors.Join(err, in.Close())
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, it.Error(), it.Close()) }()
	kv := it.First()
	for kv != nil {
		key := kv.K.UserKey
		t := TableOf(key)
		if !slices.Contains(told, t) {
			next := append(bytes.Clone(key[:PrefixLen-1]), byte(t)+1)
			kv = it.SeekGE(next, 0)
			continue
		}
		o := Op{Kind: opKinds[kv.K.Kind()], Key: key}
		if o.Kind == 0 {
			return false, ErrCorruptValue
		}
		posting := slices.Contains(postings, t) && len(out.buf) < most/2
		if o.Kind != OpDelete && (posting || slices.Contains(with, t)) {
			if o.Value, _, err = kv.Value(nil); err != nil {
				return false, err
			}
			if posting && len(o.Value) > digestPosting {
				o.Value = nil
			}
		}
		if out.add(o); len(out.buf) > most {
			return false, nil
		}
		kv = it.Next()
	}
	return true, nil
}

var opKinds = map[pebble.InternalKeyKind]OpKind{
	pebble.InternalKeyKindSet: OpSet, pebble.InternalKeyKindDelete: OpDelete, pebble.InternalKeyKindMerge: OpMerge,
}
