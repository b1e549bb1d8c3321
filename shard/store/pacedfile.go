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

// pacedFile is a table file that is read no faster than its reader shall. Once it knows
// the blocks of the table it compares each one that is read with its checksum, before
// pebble does: pebble looks for the bit that flipped, with a checksum of the block for
// each of its bits, which is half a second of a core.
type pacedFile struct {
	vfs.File
	pace   Pace
	blocks map[int64]int // bytes of the block at an offset, trailer included
}

// knows tells where the blocks of the table are.
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

// sound compares a block, its trailer included, with its checksum: a CRC-32C that is
// turned and shifted, the only one that the writer uses, of all bytes before it.
func sound(b []byte) bool {
	n := len(b) - 4
	c := crc32.Checksum(b[:n], castagnoli)
	return (c>>15|c<<17)+0xa282ead8 == binary.LittleEndian.Uint32(b[n:])
}
