package build

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// reducer turns merges that empty a key into deletions, so that empty keys do not
// accumulate. It reads the base along with the ops, which come in key order. For one
// goroutine.
type reducer struct {
	it     *pebble.Iterator
	within []byte // the prefix of the table that it is over
	emit   func(store.Op) error
}

func (s *reducer) add(o store.Op) error {
	if o.Kind == store.OpMerge {
		empties, err := s.empties(o)
		if err != nil {
			return err
		}
		if empties {
			o.Kind, o.Value = store.OpDelete, nil
		}
	}
	return s.emit(o)
}

// empties reports whether o leaves the key without content.
func (s *reducer) empties(o store.Op) (bool, error) {
	if store.TableOf(o.Key) == store.TableWords {
		change, err := store.DecodeCounts(o.Value)
		if err != nil || change.Tolerant >= 0 && change.Exact >= 0 {
			return false, err
		}
		value, ok, err := s.base(o.Key)
		if err != nil || !ok {
			return false, err
		}
		was, err := store.DecodeCounts(value)
		return was.Tolerant+change.Tolerant == 0 && was.Exact+change.Exact == 0, err
	}
	if store.TableOf(o.Key) == store.TableRows {
		return false, nil
	}
	if o.Value[0] != store.OperandClear || docset.ContainerLen(o.Value[1:]) > 0 {
		return false, nil
	}
	change, err := store.DecodeOperand(o.Value)
	if err != nil {
		return false, err
	}
	value, ok, err := s.base(o.Key)
	if err != nil || !ok {
		return false, err
	}
	was, err := store.DecodePosting(value)
	return was.AndLen(change.Clear) == was.Len(), err
}

func (s *reducer) base(key []byte) (value []byte, ok bool, err error) {
	if table := key[:store.PrefixLen]; !bytes.Equal(table, s.within) {
		s.within = append(s.within[:0], table...)
		store.Narrow(s.it, table)
	}
	if !s.it.SeekGE(key) || !bytes.Equal(s.it.Key(), key) {
		return nil, false, s.it.Error()
	}
	value, err = s.it.ValueAndErr()
	return value, err == nil, err
}
