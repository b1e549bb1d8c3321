package driver

import (
	"context"
	"errors"

	"shoal/coordinator/fanout"
	"shoal/wire"
)

// parts is the state of a PrefetchClient whose source answers in two parts. While the second
// part is on its way, this node ranks its own documents.
type parts struct {
	// continued: the second part of the last message is still to come. begins: it belongs to
	// the latest Begin. awaited: a step was asked meanwhile, and the second part likely answers
	// it.
	continued, begins, awaited bool
}

// errOnePart reports an answer in parts on a session that cannot receive the second one.
var errOnePart = errors.New("driver: an answer in two parts on a session that can receive one")

// received records whether a message continues, and learns from it.
func (c *PrefetchClient) received(s *wire.SearchStep, reply *wire.SearchReply, err error) (*wire.SearchReply, error) {
	if err == nil {
		c.continued, c.begins = reply.Continued, false
	}
	return c.learn(s, reply, err)
}

// join waits for the second part of the last message.
func (c *PrefetchClient) join(ctx context.Context) error {
	far, ok := c.session.(fanout.Sender)
	if !ok {
		return errOnePart
	}
	rest, err := far.Receive(ctx)
	if err != nil {
		return err
	}
	c.continued = false
	switch {
	case c.begun != nil:
		begun := &c.begun.Reply
		begun.Ahead, begun.Shown, begun.Counted = append(begun.Ahead, rest.Ahead...), rest.Shown, rest.Counted
	case c.begins:
		c.known = append(c.known, rest.Ahead...)
		c.tell(rest)
	}
	return nil
}
