package prompt

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What one document or search may use. A template is written by a client: without
// bounds a few lines of it take any amount of memory and time.
const (
	// maxOutput bounds what one template renders, in bytes.
	maxOutput = 4 << 20
	// maxBytes bounds what all filters, captures and outputs make on the way.
	maxBytes = 64 << 20
	// maxSteps bounds the rounds of loops and the filters that are applied.
	maxSteps = 1 << 20
	// maxTime is for what steps and bytes do not tell.
	maxTime = 10 * time.Second
	// maxSource and maxNesting bound the text of a template: the engine's parser and
	// what it makes call themselves.
	maxSource  = 256 << 10
	maxNesting = 100
)

// ErrBudget is in every error about a template that wants more than it may use.
var ErrBudget = errors.New("liquid: the template is too expensive")

func exceeded(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBudget, fmt.Sprintf(format, args...))
}

// budget is what one rendering has used. Not safe for concurrent use.
type budget struct {
	ctx   context.Context
	ends  time.Time
	steps int
	bytes int
	// fault is why the rendering was stopped: the engine may wrap or repeat what it
	// is told.
	fault error
}

func newBudget(ctx context.Context) *budget {
	return &budget{ctx: ctx, ends: time.Now().Add(maxTime)}
}

// stop ends the rendering by a panic, which the engine lets through.
func (b *budget) stop(fault error) {
	if b.fault == nil {
		b.fault = fault
	}
	panic(b.fault)
}

// step counts n steps.
func (b *budget) step(n int) {
	before := b.steps >> 8
	b.steps += max(n, 1)
	if b.steps > maxSteps {
		b.stop(exceeded("more than %d rounds of loops and filters", maxSteps))
	}
	if b.steps>>8 == before {
		return
	}
	if err := b.ctx.Err(); err != nil {
		b.stop(err)
	}
	if time.Now().After(b.ends) {
		b.stop(exceeded("more than %s", maxTime))
	}
}

// spend counts n bytes that were made.
func (b *budget) spend(n int) {
	b.room(n)
	b.bytes += n
}

// room stops the rendering unless n more bytes may be made.
func (b *budget) room(n int) {
	if n < 0 || n > maxBytes-b.bytes {
		b.stop(exceeded("more than %d bytes made by filters, captures and outputs", maxBytes))
	}
}

// look counts n bytes that were only looked at.
func (b *budget) look(n int) { b.spend(n / 16) }
