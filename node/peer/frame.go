package peer

import (
	"fmt"

	"google.golang.org/grpc/mem"

	"shoal/wire"
)

// frame is one message on a link: a kind byte and the payload.
type frame struct {
	kind byte
	data []byte
}

// Frame kinds.
const (
	frameMessage byte = iota
	frameError
	// frameOpen begins a direct connection; its data is the name of a method.
	frameOpen
)

// frameCodec lets gRPC carry frames as they are.
type frameCodec struct{}

func (frameCodec) Name() string { return "shoal-frame" }

func (frameCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("peer: cannot send a %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer([]byte{f.kind}), mem.SliceBuffer(f.data)}, nil
}

func (frameCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("peer: cannot receive a %T", v)
	}
	b := data.Materialize()
	if len(b) == 0 {
		return fmt.Errorf("peer: empty frame")
	}
	f.kind, f.data = b[0], b[1:]
	return nil
}

func messageFrame(v any) (*frame, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return &frame{kind: frameMessage, data: b}, nil
}

// take decodes a received frame into v, or returns the error it carries.
func (f *frame) take(v any) error {
	if f.kind == frameError {
		return decodeError(f.data)
	}
	if err := wire.Unmarshal(f.data, v); err != nil {
		return fmt.Errorf("decode %T from a peer: %w", v, err)
	}
	return nil
}

// How much a stream, and a link with all its streams, may bring before somebody reads it.
// A link whose windows are left to gRPC measures them: each message that comes alone is
// followed by a window update and a ping, and the ping's answer, which cost as much as it.
const (
	streamWindow = 4 << 20
	linkWindow   = 16 << 20
)
