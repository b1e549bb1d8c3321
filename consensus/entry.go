package consensus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"shoal/wire"
)

// entryVersion is the first byte of every entry. An entry is that byte, the
// leader's time, the leader's watermark (both int64, UnixNano, big-endian) and the
// command; the stamps stand outside so that the leader sets them on a forwarded
// command without decoding it.
const entryVersion = 1

const entryHeader = 1 + 8 + 8

// MaxEntry is the largest command that is accepted, in bytes. Larger ones would
// delay heartbeats; who has more to say splits it or stages a blob.
const MaxEntry = 2 << 20

// errUnknownEntry stops the node: an entry that this binary does not understand
// may never be skipped, or its state would silently differ (distribution 13).
var errUnknownEntry = errors.New("the log holds an entry that this version does not understand")

// encodeCommand renders a command without its time.
func encodeCommand(cmd *wire.Command) ([]byte, error) {
	bare := *cmd
	bare.At = 0
	body, err := wire.Marshal(&bare)
	if err != nil {
		return nil, fmt.Errorf("encode command: %w", err)
	}
	if len(body) > MaxEntry {
		return nil, fmt.Errorf("a command of %d bytes exceeds the limit of %d", len(body), MaxEntry)
	}
	return body, nil
}

// stampEntry makes the log entry of an encoded command.
func stampEntry(at, visible int64, body []byte) []byte {
	out := make([]byte, 0, entryHeader+len(body))
	out = append(out, entryVersion)
	out = binary.BigEndian.AppendUint64(out, uint64(at))
	out = binary.BigEndian.AppendUint64(out, uint64(visible))
	return append(out, body...)
}

// decodeEntry is the inverse of stampEntry; the time is the command's At. A
// member it does not know is an error, like a version it does not know.
func decodeEntry(data []byte) (cmd *wire.Command, visible int64, err error) {
	if len(data) < entryHeader || data[0] != entryVersion {
		return nil, 0, errUnknownEntry
	}
	dec := msgpack.NewDecoder(bytes.NewReader(data[entryHeader:]))
	dec.DisallowUnknownFields(true)
	cmd = new(wire.Command)
	if err := dec.Decode(cmd); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errUnknownEntry, err)
	}
	cmd.At = int64(binary.BigEndian.Uint64(data[1:]))
	return cmd, int64(binary.BigEndian.Uint64(data[9:])), nil
}
