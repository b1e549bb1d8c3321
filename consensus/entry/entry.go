package entry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"shoal/wire"
)

// The first byte of every entry is its version. It is followed by the leader's time and the
// leader's watermark (both int64, UnixNano, big-endian), with summedVersion by the CRC-32C
// of everything else, and by the command. The stamps are outside the command so that the
// leader can set them on a forwarded command without decoding it.
const (
	entryVersion  = 1
	summedVersion = 2
)

const (
	entryHeader  = 1 + 8 + 8
	summedHeader = entryHeader + 4
)

// SummedSince is the first wire.Version whose programs read entries with a checksum.
const SummedSince = 7

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged: an entry is not what was written.
var ErrDamaged = errors.New("an entry of the log is not what was written")

// Check compares an entry with its checksum. An entry without one is accepted.
func Check(data []byte) error {
	if len(data) == 0 || data[0] != summedVersion {
		return nil
	}
	if len(data) < summedHeader || sumOf(data) != binary.BigEndian.Uint32(data[entryHeader:]) {
		return ErrDamaged
	}
	return nil
}

// sumOf is the checksum of an entry of summedVersion.
func sumOf(data []byte) uint32 {
	return crc32.Update(crc32.Checksum(data[:entryHeader], castagnoli), castagnoli, data[summedHeader:])
}

// A command of more than compressedFrom bytes is compressed (zstd) in its entry. The
// settings and field names of a wide index are many bytes, most of them repeated in one
// command. No command begins like a zstd frame, because that would be a number in
// MessagePack.
const compressedFrom = 512 << 10

// CompressedSince is the first wire.Version whose programs read compressed commands.
const CompressedSince = 2

// MaxSize bounds an accepted command as stored in the log, in bytes; maxCommand bounds it
// uncompressed. Larger ones would delay replication. A proposer with more data splits it or
// stages a blob.
const (
	MaxSize    = 8 << 20
	maxCommand = 256 << 20
)

// compressedWindow is the distance within which repeats are found, in bytes.
const compressedWindow = 64 << 20

// ErrUnknown stops the node. An entry that this program does not understand must not be
// skipped, because the states of nodes would silently differ (architecture 4).
var ErrUnknown = errors.New("the log holds an entry that this version does not understand")

// ErrOlderProgram stops the node: the log is written for a newer program, as it says itself
// (wire.ValueProgram).
var ErrOlderProgram = errors.New("the log of the cluster is that of a newer program")

// CheckProgram refuses a log of a newer version than this program's.
func CheckProgram(version int) error {
	if version <= wire.Version {
		return nil
	}
	return fmt.Errorf("%w (it is of version %d of what nodes say to each other, this program knows %d)", ErrOlderProgram, version, wire.Version)
}

// Encode encodes a command without its time, for a log of a given version.
func Encode(cmd *wire.Command, spoken int) ([]byte, error) {
	bare := *cmd
	bare.At = 0
	body, err := wire.Marshal(&bare)
	if err != nil {
		return nil, fmt.Errorf("encode command: %w", err)
	}
	size := len(body)
	if size > compressedFrom && size <= maxCommand && spoken >= CompressedSince {
		if body, err = compress(body); err != nil {
			return nil, err
		}
	}
	return body, CheckSize(body)
}

// CheckSize refuses a command that is too large for the log.
func CheckSize(body []byte) error {
	if len(body) > MaxSize {
		return fmt.Errorf("a command of %d bytes exceeds the limit of %d: %w", len(body), MaxSize, wire.ErrTooLarge)
	}
	return nil
}

// compress compresses one of the few large commands. It does not keep the encoder, because
// its tables are large.
func compress(body []byte) ([]byte, error) {
	// The window covers the copies of long settings in one command.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(compressedWindow))
	if err != nil {
		return nil, fmt.Errorf("compress command: %w", err)
	}
	out := enc.EncodeAll(body, make([]byte, 0, len(body)/2))
	return out, enc.Close()
}

// decompress is the inverse of compress. It returns other bodies unchanged.
func decompress(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, zstdMagic) {
		return body, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(compressedWindow), zstd.WithDecoderMaxMemory(maxCommand))
	if err != nil {
		return nil, fmt.Errorf("decompress command: %w", err)
	}
	defer dec.Close()
	out, err := dec.DecodeAll(body, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return out, nil
}

// zstdMagic begins a frame (RFC 8878).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Stamp makes the log entry of an encoded command. summed adds a checksum, once all nodes
// know SummedSince.
func Stamp(at, visible int64, body []byte, summed bool) []byte {
	out := make([]byte, 0, summedHeader+len(body))
	out = append(out, entryVersion)
	out = binary.BigEndian.AppendUint64(out, uint64(at))
	out = binary.BigEndian.AppendUint64(out, uint64(visible))
	if !summed {
		return append(out, body...)
	}
	out[0] = summedVersion
	out = append(append(out, 0, 0, 0, 0), body...)
	binary.BigEndian.PutUint32(out[entryHeader:], sumOf(out))
	return out
}

// Decode is the inverse of Stamp. The time becomes the command's At. An unknown member is
// an error, like an unknown version.
func Decode(data []byte) (cmd *wire.Command, visible int64, err error) {
	if err := Check(data); err != nil {
		return nil, 0, err
	}
	header := entryHeader
	if len(data) > 0 && data[0] == summedVersion {
		header = summedHeader
	}
	if len(data) < header || data[0] != entryVersion && data[0] != summedVersion {
		return nil, 0, ErrUnknown
	}
	body, err := decompress(data[header:])
	if err != nil {
		return nil, 0, err
	}
	cmd = new(wire.Command)
	if err := wire.UnmarshalKnown(body, cmd); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	cmd.At = int64(binary.BigEndian.Uint64(data[1:]))
	return cmd, int64(binary.BigEndian.Uint64(data[9:])), nil
}
