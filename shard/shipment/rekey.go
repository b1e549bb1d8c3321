package shipment

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"shoal/shard/store"
)

// Rekey copies a whole shard in the form of shard.Copies.SendCopy into another index. It only
// replaces the index number at the start of every key.
func Rekey(in io.Reader, index uint32, out io.Writer) error {
	br := bufio.NewReaderSize(in, 256<<10)
	head, err := ReadHead(br)
	if err != nil {
		return err
	}
	if !head.Whole {
		return fmt.Errorf("shard %v: a delta cannot change its index: %w", head.Key, store.ErrCorruptValue)
	}
	old := head.Key.IndexID
	head.Key.IndexID = index
	if err := WriteHead(out, &head); err != nil {
		return err
	}
	run, to := store.NewRunReader(br), store.NewCopyWriter(out)
	var key []byte
	for {
		o, ok, err := run.Next()
		if err != nil {
			return err
		}
		if !ok {
			return to.Close()
		}
		if len(o.Key) < store.PrefixLen || binary.BigEndian.Uint32(o.Key) != old {
			return fmt.Errorf("shard %v: a copy holds foreign keys: %w", head.Key, store.ErrCorruptValue)
		}
		key = append(key[:0], o.Key...)
		binary.BigEndian.PutUint32(key, index)
		o.Key = key
		if err := to.Add(o); err != nil {
			return err
		}
	}
}
