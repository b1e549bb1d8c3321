package staged

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"shoal/wire"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
)

// The form is a header, blocks of frames, and an end mark:
//
//	header  "SHS" version(1) flags(1) keyLen(uvarint) key sum(8)
//	block   rawLen(4) storedLen(4) sum(8) stored bytes (S2 block)
//	end     0(4) 8(4) sum(8) frames(8)
//
// Integers are little-endian; sums are xxHash64 over the bytes of their part
// (for a block: the two lengths and the stored bytes). A block holds whole
// frames:
//
//	slot(2) idLen(uvarint) documentLen(uvarint) id document
//
// so a reader with a range of slots can skip other documents without parsing them.
const (
	magic   = "SHS"
	version = 1

	keyedFlag = 1 << 0 // flags: frames have slots and ids under the header's key

	// blockSize is the raw size at which a block ends. A larger document gets a block of its
	// own.
	blockSize = 128 << 10
	// maxBlock bounds the block sizes that a reader accepts. It is far above any limit that can
	// be configured for one document.
	maxBlock = 1 << 31
)

// ErrDamaged reports a staged payload that is damaged, or of a version that this program does
// not know.
var ErrDamaged = errors.New("wire: damaged staged payload")

// Frame is one document of a payload: its external id under the writer's key in text form, the
// slot of that id, and the JSON object as text. Without a key ID is empty and Slot 0.
type Frame struct {
	Slot     uint16
	ID       []byte
	Document []byte
}

// Writer writes the staged form. It buffers one block; memory is bounded
// by the largest document. Not safe for concurrent use.
type Writer struct {
	w      io.Writer
	keyed  bool
	raw    []byte
	stored []byte
	frames uint64
	err    error
}

// NewWriter writes the header. key is the primary key from which frame ids are read. keyed
// false means that none could be assumed; every frame is then written without id.
func NewWriter(w io.Writer, key string, keyed bool) (*Writer, error) {
	head := make([]byte, 0, 16+len(key))
	head = append(head, magic...)
	head = append(head, version)
	if keyed {
		head = append(head, keyedFlag)
		head = binary.AppendUvarint(head, uint64(len(key)))
		head = append(head, key...)
	} else {
		head = append(head, 0, 0)
	}
	head = binary.LittleEndian.AppendUint64(head, xxhash.Sum64(head))
	if _, err := w.Write(head); err != nil {
		return nil, err
	}
	return &Writer{w: w, keyed: keyed}, nil
}

// Append adds one document. A writer without key ignores id. The slices are copied.
func (s *Writer) Append(id, document []byte) error {
	if s.err != nil {
		return s.err
	}
	var slot uint16
	if s.keyed {
		slot = wire.SlotOfBytes(id)
	} else {
		id = nil
	}
	s.raw = binary.LittleEndian.AppendUint16(s.raw, slot)
	s.raw = binary.AppendUvarint(s.raw, uint64(len(id)))
	s.raw = binary.AppendUvarint(s.raw, uint64(len(document)))
	s.raw = append(s.raw, id...)
	s.raw = append(s.raw, document...)
	s.frames++
	if len(s.raw) >= blockSize {
		s.err = s.flush()
	}
	return s.err
}

// Close writes the last block and the end mark. It does not close the
// underlying writer.
func (s *Writer) Close() error {
	if s.err == nil {
		s.err = s.flush()
	}
	if s.err != nil {
		return s.err
	}
	var end [headSize + 8]byte
	binary.LittleEndian.PutUint64(end[headSize:], s.frames)
	sealBlock(end[:headSize], 0, end[headSize:])
	_, s.err = s.w.Write(end[:])
	if s.err != nil {
		return s.err
	}
	s.err = wire.ErrClosed
	return nil
}

func (s *Writer) flush() error {
	if len(s.raw) == 0 {
		return nil
	}
	if len(s.raw) > maxBlock {
		return fmt.Errorf("wire: a document of %d bytes is too large to be staged", len(s.raw))
	}
	need := headSize + s2.MaxEncodedLen(len(s.raw))
	if cap(s.stored) < need {
		s.stored = make([]byte, need)
	}
	body := s2.Encode(s.stored[headSize:need], s.raw)
	out := s.stored[:headSize+len(body)]
	sealBlock(out[:headSize], len(s.raw), body)
	_, err := s.w.Write(out)
	s.raw = s.raw[:0]
	if cap(s.raw) > 8*blockSize { // do not keep the buffers of one huge document
		s.raw, s.stored = nil, nil
	}
	return err
}

// headSize is the size of a block's head.
const headSize = 16

// sealBlock fills in the head of a block.
func sealBlock(head []byte, rawLen int, body []byte) {
	binary.LittleEndian.PutUint32(head, uint32(rawLen))
	binary.LittleEndian.PutUint32(head[4:], uint32(len(body)))
	binary.LittleEndian.PutUint64(head[8:], blockSum(head, body))
}

func blockSum(head, body []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write(head[:8]) // a Digest never fails
	_, _ = d.Write(body)
	return d.Sum64()
}
