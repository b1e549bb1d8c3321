package staged

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"shoal/wire"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
)

// Reader reads the staged form. Memory is bounded by the largest block.
// Not safe for concurrent use.
type Reader struct {
	r      *bufio.Reader
	key    string
	keyed  bool
	lo, hi uint32
	stored []byte
	raw    []byte
	rest   []byte // unread part of raw
	frames uint64
	done   bool
}

// headBuffer is the buffer size for block heads; the content bypasses it. Most payloads are
// small, and they are read three times.
const headBuffer = 4 << 10

// NewReader reads and checks the header. The Reader yields every frame, unless Only restricts
// it. Errors: ErrDamaged, or those of r.
func NewReader(r io.Reader) (*Reader, error) {
	s := &Reader{r: bufio.NewReaderSize(r, headBuffer), hi: wire.Slots}
	head := make([]byte, 5, 64)
	if _, err := io.ReadFull(s.r, head); err != nil {
		return nil, readFault(err)
	}
	if string(head[:3]) != magic || head[3] != version || head[4]&^keyedFlag != 0 {
		return nil, fmt.Errorf("%w: unknown header", ErrDamaged)
	}
	s.keyed = head[4]&keyedFlag != 0
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		b, err := s.r.ReadByte()
		if err != nil {
			return nil, readFault(err)
		}
		head = append(head, b)
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift >= 28 {
			return nil, fmt.Errorf("%w: key length", ErrDamaged)
		}
	}
	key, err := readN(s.r, nil, n)
	if err != nil {
		return nil, readFault(err)
	}
	head = append(head, key...)
	var sum [8]byte
	if _, err := io.ReadFull(s.r, sum[:]); err != nil {
		return nil, readFault(err)
	}
	if binary.LittleEndian.Uint64(sum[:]) != xxhash.Sum64(head) {
		return nil, fmt.Errorf("%w: header checksum", ErrDamaged)
	}
	s.key = string(key)
	return s, nil
}

// Key returns the primary key from which the frames' ids were read. ok is false when none could
// be assumed and frames have no ids.
func (s *Reader) Key() (key string, ok bool) { return s.key, s.keyed }

// Only restricts Next to the slots [lo, hi). Frames without ids are never skipped. Positions
// still count every frame.
func (s *Reader) Only(lo, hi uint32) { s.lo, s.hi = lo, hi }

// Next returns the next frame of the range and its position in the payload, counted from 0 over
// all slots. The slices are valid until the next call. It returns io.EOF at the end of a
// complete payload, and ErrDamaged for a truncated or damaged one.
func (s *Reader) Next() (f Frame, position uint64, err error) {
	for {
		if len(s.rest) == 0 {
			if err := s.block(); err != nil {
				return Frame{}, 0, err
			}
		}
		b := s.rest
		if len(b) < 2 {
			return Frame{}, 0, fmt.Errorf("%w: frame head", ErrDamaged)
		}
		slot := binary.LittleEndian.Uint16(b)
		b = b[2:]
		idLen, n := binary.Uvarint(b)
		if n <= 0 {
			return Frame{}, 0, fmt.Errorf("%w: frame head", ErrDamaged)
		}
		b = b[n:]
		docLen, n := binary.Uvarint(b)
		if n <= 0 {
			return Frame{}, 0, fmt.Errorf("%w: frame head", ErrDamaged)
		}
		b = b[n:]
		size := uint64(len(b))
		if idLen > size || docLen > size-idLen {
			return Frame{}, 0, fmt.Errorf("%w: frame length", ErrDamaged)
		}
		s.rest = b[idLen+docLen:]
		position = s.frames
		s.frames++
		if s.keyed && (uint32(slot) < s.lo || uint32(slot) >= s.hi) {
			continue
		}
		return Frame{Slot: slot, ID: b[:idLen:idLen], Document: b[idLen : idLen+docLen : idLen+docLen]}, position, nil
	}
}

// block loads the next block into rest.
func (s *Reader) block() error {
	if s.done {
		return io.EOF
	}
	var head [headSize]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return readFault(err)
	}
	rawLen := binary.LittleEndian.Uint32(head[:])
	storedLen := binary.LittleEndian.Uint32(head[4:])
	stored, err := readN(s.r, s.stored, uint64(storedLen))
	if err != nil {
		return readFault(err)
	}
	s.stored = stored
	if binary.LittleEndian.Uint64(head[8:]) != blockSum(head[:], stored) {
		return fmt.Errorf("%w: block checksum", ErrDamaged)
	}
	if rawLen == 0 {
		if len(stored) != 8 || binary.LittleEndian.Uint64(stored) != s.frames {
			return fmt.Errorf("%w: end mark", ErrDamaged)
		}
		s.done = true
		return io.EOF
	}
	if n, err := s2.DecodedLen(stored); err != nil || n != int(rawLen) || n > maxBlock {
		return fmt.Errorf("%w: block length", ErrDamaged)
	}
	if s.raw, err = s2.Decode(s.raw[:cap(s.raw)], stored); err != nil {
		return fmt.Errorf("%w: block: %w", ErrDamaged, err)
	}
	s.rest = s.raw
	return nil
}

// readN reads n bytes into buf. It grows buf only as bytes arrive, so that a damaged length
// cannot allocate more than there is.
func readN(r io.Reader, buf []byte, n uint64) ([]byte, error) {
	const step = 1 << 20
	buf = buf[:0]
	for n > 0 {
		m := int(min(n, step))
		at := len(buf)
		if cap(buf)-at < m {
			grown := make([]byte, at, max(at+m, min(2*cap(buf), at+int(n))))
			copy(grown, buf)
			buf = grown
		}
		buf = buf[:at+m]
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return nil, err
		}
		n -= uint64(m)
	}
	return buf, nil
}

// readFault reports an end of the input inside a part as damage.
func readFault(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: truncated", ErrDamaged)
	}
	return err
}
