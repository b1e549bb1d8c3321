package peer

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"shoal/wire"
)

// maxFrame bounds one message, in bytes. Larger contents are streamed in chunks.
const maxFrame = 64 << 20

// frame is one message on a connection, or a sign about an exchange.
type frame struct {
	kind byte
	// exchange numbers the exchanges of a connection, modulo 256. A caller that left an
	// exchange early uses it to skip frames that were still on their way.
	exchange byte
	data     []byte
}

// Frame kinds. Only append: the numbers are part of the contract.
const (
	frameMessage byte = iota
	// frameError ends an exchange; its data is a status.
	frameError
	// frameOpen begins an exchange; its data is the name of the method, then, if the caller
	// is traced, a zero byte and the trace. It also ends the caller's exchange before.
	frameOpen
	// frameEnd says that its sender sends no more messages in this exchange.
	frameEnd
	// frameReply is a message and the end of the exchange in one.
	frameReply
	// frameLeave says that the caller does not wait for anything in this exchange any more.
	frameLeave
)

// ends tells whether a frame of the answering side is the last one of its exchange.
func (f *frame) ends() bool {
	return f.kind == frameError || f.kind == frameEnd || f.kind == frameReply
}

func messageFrame(v any) (*frame, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return &frame{kind: frameMessage, data: b}, nil
}

func errorFrame(err error) *frame { return &frame{kind: frameError, data: encodeError(err)} }

// take decodes a received message into v, or returns the error it carries; io.EOF for an end.
func (f *frame) take(v any) error {
	switch f.kind {
	case frameError:
		return decodeError(f.data)
	case frameEnd:
		return io.EOF
	case frameMessage, frameReply:
	default:
		return fmt.Errorf("a peer sent frame %d instead of a message: %w", f.kind, wire.ErrUnavailable)
	}
	if err := wire.Unmarshal(f.data, v); err != nil {
		return fmt.Errorf("decode %T from a peer: %w", v, err)
	}
	return nil
}

const (
	// frameHeader is the length of the data in four bytes, little end first, the kind and
	// the number of the exchange.
	frameHeader = 6
	// keptBuffer is how large a buffer for sending is kept for the next frame.
	keptBuffer = 64 << 10
)

// framing is one end of a connection that carries frames. Whoever sends a frame writes it to
// the connection, and whoever waits for one reads it from there: no other goroutine is woken
// on either end (docs/adr/0014). send and receive may be used by one goroutine each, Close by
// any.
type framing struct {
	net.Conn
	// older: the other side knows frames without exchanges only (older.go).
	older  bool
	header [frameHeader]byte // of the frame that is being received
	out    []byte            // the frames that are being sent
}

// send writes frames at once. An error other than *tooLong means that the connection is lost.
func (c *framing) send(frames ...*frame) error {
	out := c.out[:0]
	for _, f := range frames {
		if len(f.data) > maxFrame {
			return &tooLong{len(f.data)}
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(f.data))), f.kind)
		if !c.older {
			out = append(out, f.exchange)
		}
		out = append(out, f.data...)
	}
	_, err := c.Write(out)
	if c.out = out; cap(out) > keptBuffer {
		c.out = nil
	}
	return err
}

// receive waits for a frame. An error means that the connection is lost.
func (c *framing) receive(f *frame) error {
	header := c.header[:]
	if c.older {
		header = header[:frameHeader-1]
	}
	if _, err := io.ReadFull(c.Conn, header); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(header)
	if size > maxFrame {
		return &tooLong{int(size)}
	}
	f.kind, f.data = header[4], make([]byte, size)
	if !c.older {
		f.exchange = header[5]
	}
	_, err := io.ReadFull(c.Conn, f.data)
	return err
}

// Close ends the connection at once, without a farewell that might have to wait.
func (c *framing) Close() error { return c.below().Close() }

// below is the connection below TLS.
func (c *framing) below() net.Conn {
	if tc, ok := c.Conn.(interface{ NetConn() net.Conn }); ok {
		return tc.NetConn()
	}
	return c.Conn
}

// tooLong: a message is longer than maxFrame.
type tooLong struct{ size int }

func (e *tooLong) Error() string {
	return fmt.Sprintf("a message of %d bytes, %d are allowed", e.size, maxFrame)
}
