package liquid

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits for one document or search. Templates are written by clients; without limits a few
// lines could take any amount of memory and time.
const (
	// MaxOutput bounds what one template renders, in bytes.
	MaxOutput = 4 << 20
	// maxBytes bounds the bytes that all filters, captures and outputs make.
	maxBytes = 64 << 20
	// maxSteps bounds the loop iterations and filter applications.
	maxSteps = 1 << 20
	// MaxTime bounds work that steps and bytes do not measure.
	MaxTime = 10 * time.Second
	// MaxSource and maxNesting bound the text of a template, because the parser and the
	// rendering are recursive.
	MaxSource  = 256 << 10
	maxNesting = 100
)

// ErrBudget is wrapped by every error about a template that exceeds its limits.
var ErrBudget = errors.New("liquid: the template is too expensive")

func exceeded(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBudget, fmt.Sprintf(format, args...))
}

// Budget is the usage of renderings that belong together. Not safe for concurrent use.
type Budget struct {
	ctx   context.Context
	ends  time.Time
	steps int
	bytes int
}

// NewBudget returns an unused budget. The end of ctx stops its renderings.
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

// room stops the rendering if it may not make n more bytes.
func (b *Budget) room(n int) {
	if n < 0 || n > maxBytes-b.bytes {
		stop(exceeded("more than %d bytes made by filters, captures and outputs", maxBytes))
	}
}

// look counts n bytes that were only read.
func (b *Budget) look(n int) { b.spend(n / 16) }
