package peer

import (
	"context"
	"errors"
	"io"
)

// carrier takes the frames of an exchange to the caller and back.
type carrier interface {
	transmit(f *frame) error
	// await waits for the caller's next frame.
	await(f *frame) error
}

// exchange is the answering side of one call or stream. It implements Stream.
type exchange struct {
	carrier
	ctx    context.Context
	counts *counts
	// done: the caller sends nothing more. left: it reads nothing more either.
	// ended: the last frame was sent.
	done, left, ended bool
}

// Context is the context of the handler: it ends when the caller goes away.
func (x *exchange) Context() context.Context { return x.ctx }

// Send sends one message.
func (x *exchange) Send(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	x.counts.add(Sent, f)
	return x.transmit(f)
}

// reply sends the only answer and ends the exchange.
func (x *exchange) reply(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	f.kind = frameReply
	x.counts.add(Sent, f)
	err = x.transmit(f)
	var long *tooLong
	x.ended = !errors.As(err, &long) // the caller is told of that
	return err
}

// Recv receives one message; io.EOF when the caller is done.
func (x *exchange) Recv(v any) error {
	if x.done {
		return io.EOF
	}
	var f frame
	if err := x.await(&f); err != nil {
		x.done = true
		return err
	}
	switch f.kind {
	case frameLeave, frameOpen:
		x.done, x.left = true, true
		return io.EOF
	case frameEnd:
		x.done = true
		return io.EOF
	}
	x.counts.add(Received, &f)
	return f.take(v)
}

// end ends the exchange with the outcome of its handler, unless the handler or the caller
// has ended it already.
func (x *exchange) end(err error) {
	if x.ended || x.left {
		return
	}
	x.ended = true
	f := &frame{kind: frameEnd}
	if err != nil {
		f = errorFrame(err)
	}
	_ = x.transmit(f) // the connection remembers its fault
}
