package shard

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
)

// settler turns merges that leave nothing of a key into deletions, so that
// emptied keys do not pile up. It reads the base beside the ops, which come in
// key order. For one goroutine.
type settler struct {
	it   *pebble.Iterator
	emit func(op) error
}

func (s *settler) add(o op) error {
	if o.kind == opMerge {
		empties, err := s.empties(o)
		if err != nil {
			return err
		}
		if empties {
			o.kind, o.value = opDelete, nil
		}
	}
	return s.emit(o)
}

// empties tells whether nothing is left of the key after o.
func (s *settler) empties(o op) (bool, error) {
	if tableOf(o.key) == tableWords {
		change, err := decodeCounts(o.value)
		if err != nil || change.tolerant >= 0 && change.exact >= 0 {
			return false, err
		}
		value, ok, err := s.base(o.key)
		if err != nil || !ok {
			return false, err
		}
		was, err := decodeCounts(value)
		return was.tolerant+change.tolerant == 0 && was.exact+change.exact == 0, err
	}
	if o.value[0] != operandClear || docset.ContainerLen(o.value[1:]) > 0 {
		return false, nil
	}
	change, err := decodeOperand(o.value)
	if err != nil {
		return false, err
	}
	value, ok, err := s.base(o.key)
	if err != nil || !ok {
		return false, err
	}
	was, err := decodePosting(value)
	return was.AndLen(change.clear) == was.Len(), err
}

func (s *settler) base(key []byte) (value []byte, ok bool, err error) {
	if !s.it.SeekGE(key) || !bytes.Equal(s.it.Key(), key) {
		return nil, false, s.it.Error()
	}
	value, err = s.it.ValueAndErr()
	return value, err == nil, err
}
