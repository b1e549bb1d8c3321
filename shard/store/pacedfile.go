package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// pacedFile is a table file that is read at a limited pace. Once it knows the blocks of
// the table, it verifies the checksum of each block before pebble does. On a mismatch,
// pebble searches for the flipped bit with one checksum per bit, which takes half a
// second of CPU.
type pacedFile struct {
	vfs.File
	pace   Pace
	blocks map[int64]int // size of the block at an offset, with trailer
}

// knows sets the blocks of the table.
func (f *pacedFile) knows(blocks []block.Handle) {
	f.blocks = make(map[int64]int, len(blocks))
	for _, h := range blocks {
		f.blocks[int64(h.Offset)] = int(h.Length) + block.TrailerLen
	}
}

// ReadAt reads when the pace allows.
func (f *pacedFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.pace(len(p)); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, off)
	if errors.Is(err, io.EOF) && n < len(p) {
		return n, errCut
	}
	if (err == nil || errors.Is(err, io.EOF)) && f.blocks[off] == len(p) && !sound(p) {
		return n, fmt.Errorf("block %d/%d: checksum mismatch: %w", off, len(p)-block.TrailerLen, pebble.ErrCorruption)
	}
	return n, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sound verifies the checksum of a block with trailer: a rotated and shifted CRC-32C of
// all bytes before it. Our writer uses no other checksum.
func sound(b []byte) bool {
	n := len(b) - 4
	c := crc32.Checksum(b[:n], castagnoli)
	return (c>>15|c<<17)+0xa282ead8 == binary.LittleEndian.Uint32(b[n:])
}
