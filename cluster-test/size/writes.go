package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// writesFor is how long the writes of one case last.
const writesFor = 15 * time.Second

// writes measures searches beside writes: of nothing, of single documents, of batches.
// Every second document written is one that is there already.
func (b *bench) writes(ctx context.Context) error {
	next := b.c.n
	if _, err := b.each(ctx, b.c.typing); err != nil { // the node was started anew
		return err
	}
	for _, text := range strings.Split(b.o.sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		if err := b.idle(ctx); err != nil {
			return err
		}
		if err := b.beside(ctx, size, &next); err != nil {
			return err
		}
	}
	return nil
}

// beside searches while batches of size are written one after the other, at most as many
// documents a second as -rate says.
func (b *bench) beside(ctx context.Context, size int, next *int) error {
	ctx, stop := context.WithTimeout(ctx, 10*writesFor)
	defer stop()
	r := rand.New(rand.NewPCG(b.o.seed, uint64(size)))
	end := time.Now().Add(writesFor)
	var written atomic.Int64
	failed := make(chan error, 1)
	go func() {
		var buf bytes.Buffer
		due := time.Now()
		for size > 0 && time.Now().Before(end) && due.Before(end) {
			select {
			case <-ctx.Done():
				failed <- ctx.Err()
				return
			case <-time.After(time.Until(due)):
			}
			if b.o.rate > 0 {
				due = due.Add(time.Duration(float64(size) / b.o.rate * float64(time.Second)))
			}
			buf.Reset()
			for range (size + 1) / 2 {
				b.c.chunk(&buf, *next, *next+1)
				*next++
			}
			for range size / 2 {
				id := r.IntN(b.c.n)
				b.c.chunk(&buf, id, id+1)
			}
			if err := b.node.Write(ctx, http.MethodPost, indexPath+"/documents", buf.Bytes()); err != nil {
				failed <- err
				return
			}
			written.Add(int64(size))
		}
		failed <- nil
	}()
	profiled := b.profile(ctx, fmt.Sprintf("writes-%d", size), writesFor-time.Second)
	before, err := b.cpu()
	if err != nil {
		return err
	}
	var times []timed
	for i := 0; time.Now().Before(end); i++ {
		t, err := b.each(ctx, b.c.typing[i%len(b.c.typing):][:1])
		if err != nil {
			return err
		}
		times = append(times, t...)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond): // as somebody types, not as fast as can be
		}
	}
	if err := errors.Join(<-failed, profiled()); err != nil {
		return err
	}
	name := fmt.Sprintf("beside batches of %d (%d written)", size, written.Load())
	if b.o.rate > 0 {
		name = fmt.Sprintf("beside batches of %d, %g wanted and %d written a second", size, b.o.rate, written.Load()/int64(writesFor/time.Second))
	}
	return b.line(name, times, before)
}
