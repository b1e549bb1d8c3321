package liquid

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What one document or search may use. A template is written by a client: without
// bounds a few lines of it take any amount of memory and time.
const (
	// MaxOutput bounds what one template renders, in bytes.
	MaxOutput = 4 << 20
	// maxBytes bounds what all filters, captures and outputs make on the way.
	maxBytes = 64 << 20
	// maxSteps bounds the rounds of loops and the filters that are applied.
	maxSteps = 1 << 20
	// MaxTime is for what steps and bytes do not tell.
	MaxTime = 10 * time.Second
	// MaxSource and maxNesting bound the text of a template: its parser and what is
	// made of it call themselves.
	MaxSource  = 256 << 10
	maxNesting = 100
)

// ErrBudget is in every error about a template that wants more than it may use.
var ErrBudget = errors.New("liquid: the template is too expensive")

func exceeded(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBudget, fmt.Sprintf(format, args...))
}

// Budget is what renderings that belong together have used. Not safe for concurrent use.
type Budget struct {
	ctx   context.Context
	ends  time.Time
	steps int
	bytes int
}

// NewBudget begins with nothing used; the end of ctx stops what uses it.
func NewBudget(ctx context.Context) *Budget {
	return &Budget{ctx: ctx, ends: time.Now().Add(MaxTime)}
}

// step counts n steps.
func (b *Budget) step(n int) {
	before := b.steps >> 8
	b.steps += max(n, 1)
	if b.steps > maxSteps {
		stop(exceeded("more than %d rounds of loops and filters", maxSteps))
	}
	if b.steps>>8 == before {
		return
	}
	if err := b.ctx.Err(); err != nil {
		stop(err)
	}
	if time.Now().After(b.ends) {
		stop(exceeded("more than %s", MaxTime))
	}
}

// spend counts n bytes that were made.
func (b *Budget) spend(n int) {
	b.room(n)
	b.bytes += n
}

// room stops the rendering unless n more bytes may be made.
func (b *Budget) room(n int) {
	if n < 0 || n > maxBytes-b.bytes {
		stop(exceeded("more than %d bytes made by filters, captures and outputs", maxBytes))
	}
}

// look counts n bytes that were only looked at.
func (b *Budget) look(n int) { b.spend(n / 16) }
