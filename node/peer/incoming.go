package peer

import (
	"errors"
	"sync"
	"time"

	"shoal/wire"
)

const (
	// silence bounds a wait for the next frame and for the sending of one. Callers close
	// connections that they do not use sooner.
	silence = 90 * time.Second
	// workTime is how long a handler works before a goroutine watches whether the caller
	// goes away.
	workTime = 20 * time.Millisecond
)

// incoming is a connection that another node has made. Its exchanges are answered one after
// the other by one goroutine.
//
// A handler learns when its caller goes away. A goroutine that always reads would have to be
// woken for each message, so only a handler that works for long has one. It reads the frame
// that the handler will ask for next.
type incoming struct {
	framing
	caller   wire.NodeID
	exchange byte   // the present one
	pending  *frame // begins the next one: it came before the present one had ended
	fault    error  // the connection is lost
	timer    *time.Timer

	mu      sync.Mutex // guards the rest
	gone    func()     // tells the handler that its caller is gone
	working bool
	ahead   chan arrival // of the goroutine that reads ahead, if there is one
	work    sync.WaitGroup
}

// arrival is what came next.
type arrival struct {
	frame frame
	err   error
}

// next waits for the frame that begins an exchange. It drops frames of the former exchange
// that its handler did not read.
func (c *incoming) next() (*frame, error) {
	if f := c.pending; f != nil {
		c.pending = nil
		return f, nil
	}
	for {
		f := new(frame)
		if err := c.fetch(f); err != nil {
			return nil, err
		}
		if f.kind == frameOpen {
			return f, nil
		}
	}
}

// begin begins an exchange; gone is called when its caller goes away.
func (c *incoming) begin(exchange byte, gone func()) {
	c.exchange = exchange
	c.mu.Lock()
	c.gone = gone
	c.mu.Unlock()
	c.start()
}

// endExchange ends the current exchange: its gone is not called any more. A frame that was
// read ahead is kept.
func (c *incoming) endExchange() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.working, c.gone = false, nil
	if c.timer != nil {
		c.timer.Stop()
	}
}

// transmit implements carrier.
func (c *incoming) transmit(f *frame) error {
	f.exchange = c.exchange
	err := c.SetWriteDeadline(time.Now().Add(silence))
	if err == nil {
		err = c.send(f)
	}
	if long := new(tooLong); err != nil && !errors.As(err, &long) {
		c.fault = err
	}
	return err
}

// await implements carrier; from its return on the handler works.
func (c *incoming) await(f *frame) error {
	if c.fault != nil {
		return c.fault
	}
	if err := c.fetch(f); err != nil {
		c.fault = err
		return err
	}
	if f.kind == frameOpen {
		opens := *f
		c.pending = &opens
	}
	c.start()
	return nil
}

// fetch waits for a frame, or takes the one that was read ahead.
func (c *incoming) fetch(f *frame) error {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Lock()
	ahead := c.ahead
	c.working, c.ahead = false, nil
	c.mu.Unlock()
	if err := c.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	if ahead == nil {
		return c.receive(f)
	}
	got := <-ahead
	*f = got.frame
	return got.err
}

// start arranges for a goroutine to read ahead when the handler works for long.
func (c *incoming) start() {
	c.mu.Lock()
	c.working = true
	c.mu.Unlock()
	if c.timer == nil {
		c.timer = time.AfterFunc(workTime, c.listen)
		return
	}
	c.timer.Reset(workTime)
}

// listen reads ahead of the handler.
func (c *incoming) listen() {
	c.mu.Lock()
	if !c.working || c.ahead != nil {
		c.mu.Unlock()
		return
	}
	ahead := make(chan arrival, 1)
	c.ahead = ahead
	c.work.Add(1)
	gone := c.gone
	c.mu.Unlock()
	defer c.work.Done()
	var got arrival
	if got.err = c.SetReadDeadline(time.Time{}); got.err == nil {
		got.err = c.receive(&got.frame)
	}
	if got.err != nil || got.frame.kind == frameLeave || got.frame.kind == frameOpen {
		gone()
	}
	ahead <- got
}

// end closes the connection and waits for the goroutine that reads ahead.
func (c *incoming) end() {
	c.endExchange()
	_ = c.Close() // it fails only when it was closed before
	c.work.Wait()
}
