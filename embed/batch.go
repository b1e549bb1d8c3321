package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"shoal/api/jsonvalue"
)

const (
	// textsPerCall is the number of inputs in one call to a server that accepts several.
	textsPerCall = 10
	// bytesPerCall bounds their JSON together, so that long texts make short lists: about
	// 16,384 tokens of three bytes each. A longer input has a call of its own.
	bytesPerCall = 3 * 16 << 10
)

// Watcher is told what a Documents does. Its methods are called concurrently.
type Watcher interface {
	// Called follows each call to the server. fault is nil after a success.
	Called(fault error)
	// Waits is called before the pause that follows a failed call, and the result after it.
	Waits() (over func())
}

// unwatched is the Watcher of calls that nobody follows.
type unwatched struct{}

func (unwatched) Called(error) {}

func (unwatched) Waits() (over func()) { return func() {} }

// distinct are inputs without repetitions. The i-th of all inputs is list[at[i]].
type distinct struct {
	list  []jsonvalue.Value
	sizes []int // of their JSON
	at    []int
}

func distinctOf(inputs []jsonvalue.Value) *distinct {
	d := &distinct{at: make([]int, len(inputs))}
	known := make(map[string]int, len(inputs))
	for i := range inputs {
		text := inputs[i].JSON()
		k, found := known[text]
		if !found {
			k = len(d.list)
			known[text] = k
			d.list, d.sizes = append(d.list, inputs[i]), append(d.sizes, len(text))
		}
		d.at[i] = k
	}
	return d
}

// batches cuts the list into the inputs of calls, and returns where each ends.
func (d *distinct) batches(perCall int) (ends []int) {
	from, bytes := 0, 0
	for i, size := range d.sizes {
		if i > from && (i-from == perCall || bytes+size > bytesPerCall) {
			ends, from, bytes = append(ends, i), i, 0
		}
		bytes += size
	}
	if len(d.list) > 0 {
		ends = append(ends, len(d.list))
	}
	return ends
}

// mostRefused is how many inputs a server may refuse, one by one, before it counts as one
// that refuses all.
const mostRefused = 10

// errRefused ends the calls of a Documents when it is known which input is refused.
var errRefused = errors.New("the server refuses an input")

// calls are those of one Documents.
type calls struct {
	*client
	watch    Watcher
	patience *patience

	mu       sync.Mutex
	answered bool
	refused  []refusal
	together []refusal // of several inputs, by the position of the first one
}

// refusal is an input, by its position, that the server refuses on its own.
type refusal struct {
	at    int
	fault *Error
}

// run embeds the batches of a list that end at ends, several at a time. A failure ends the
// later ones only, so the error is that of the first batch that fails, whichever is answered
// first.
func (c *calls) run(ctx context.Context, list []jsonvalue.Value, ends []int, vectors [][]float32) error {
	errs := make([]error, len(ends))
	var group errgroup.Group
	group.SetLimit(parallelism)
	lo := 0
	for i, hi := range ends {
		batch, first := ctx, lo
		later, stop := context.WithCancel(ctx) // of all later batches
		defer stop()
		group.Go(func() error {
			if errs[i] = c.part(batch, first, list[first:hi], vectors[first:hi]); errs[i] != nil {
				stop()
			}
			return nil
		})
		ctx, lo = later, hi
	}
	_ = group.Wait() // errors are in errs
	return cmp.Or(errs...)
}

// part is embed for one batch. A panic is an error.
func (c *calls) part(ctx context.Context, first int, inputs []jsonvalue.Value, out [][]float32) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("embed: the client of the embedder panicked: %v", p)
		}
	}()
	return c.embed(ctx, first, inputs, out)
}

// embed writes the vectors of inputs to out. If the server refuses several inputs together,
// each half is sent on its own, so that one unacceptable input is found. first is the
// position of the first input.
func (c *calls) embed(ctx context.Context, first int, inputs []jsonvalue.Value, out [][]float32) error {
	vectors, err := c.call(ctx, inputs)
	var fault *Error
	switch {
	case err == nil:
		copy(out, vectors)
		return c.served()
	case !errors.As(err, &fault) || !fault.concernsInput():
		return err
	case len(inputs) == 1:
		return c.refuses(first, fault)
	}
	c.refusesTogether(first, fault)
	half := len(inputs) / 2
	if err := c.embed(ctx, first, inputs[:half], out[:half]); err != nil {
		return err
	}
	return c.embed(ctx, first+half, inputs[half:], out[half:])
}

// served records an answer.
func (c *calls) served() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
	if len(c.refused) > 0 {
		return errRefused
	}
	return nil
}

// refuses records a refused input. The others go on until one of them is answered: a server
// that refuses all is configured in a wrong way.
func (c *calls) refuses(at int, fault *Error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = append(c.refused, refusal{at, fault})
	if c.answered || len(c.refused) >= mostRefused {
		return errRefused
	}
	return nil
}

// refusesTogether records that several inputs were refused in one call. What follows for parts of them
// does not count.
func (c *calls) refusesTogether(first int, fault *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.ContainsFunc(c.together, func(r refusal) bool { return r.at == first }) {
		c.together = append(c.together, refusal{first, fault})
	}
}

func earliest(list []refusal) refusal {
	return slices.MinFunc(list, func(a, b refusal) int { return cmp.Compare(a.at, b.at) })
}

// fault is the error of all calls after they ended, nil if every input was embedded. It
// names an input only if the server accepts others. Otherwise it is that of the first call, which
// tells more of a server that is configured in a wrong way than those of its parts.
func (c *calls) fault(d *distinct) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refused) == 0 {
		return nil
	}
	first := earliest(c.refused)
	if !c.answered && len(c.together) > 0 && earliest(c.together).at <= first.at {
		first = earliest(c.together)
	}
	e := *first.fault
	for i, at := range d.at {
		if at == first.at && c.answered {
			e.Input = i + 1
			break
		}
	}
	return &e
}

// call sends inputs in one call. It repeats the call for as long as ctx and the patience
// allow, unless the answer says that another one is useless.
func (c *calls) call(ctx context.Context, inputs []jsonvalue.Value) ([][]float32, error) {
	request := c.request.inject(inputs)
	body := request.AppendJSON(nil)
	for attempt := 0; ; attempt++ {
		vectors, again, fault := c.try(ctx, body, len(inputs))
		if fault == nil {
			c.watch.Called(nil)
			c.patience.served()
			return vectors, nil
		}
		c.watch.Called(fault)
		if err := context.Cause(ctx); err != nil && c.pool.cancelled(ctx) {
			return nil, err
		}
		if again == nil || c.patience.lost() {
			return nil, fault
		}
		again.Attempt = attempt
		over := c.watch.Waits()
		goesOn := c.pool.retry.Wait(ctx, *again)
		over()
		if !goesOn {
			return nil, fault
		}
	}
}

// one embeds a single input that no document has.
func (c *client) one(ctx context.Context, input jsonvalue.Value, now func() time.Time) ([]float32, error) {
	vectors, err := (&calls{client: c, watch: unwatched{}, patience: newPatience(1, now)}).call(ctx, []jsonvalue.Value{input})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}
